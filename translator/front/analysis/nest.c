// SPDX-License-Identifier: Apache-2.0
// nest.c: loops in the canonical form of OpenMP (6.0, section 6.4.1), and how they nest.
#include <string.h>

#include "analysis.h"

uint64_t dim_needs(const struct dim *d) {
  uint64_t needs = 0;
  for (const struct dim *o = d->outer; o; o = o->outer)
    if (lex_mentions(d->low, o->var) || lex_mentions(d->bound, o->var) ||
        lex_mentions(d->step, o->var))
      needs |= BIT(o->id);
  return needs;
}

// True for names, numbers and sums of them: they cannot trap and cost little.
static bool nest_is_safe(TSNode e) {
  static const char *const kinds[] = {
    "identifier",        "number_literal",           "char_literal",
    "binary_expression", "parenthesized_expression", "sizeof_expression",
    "unary_expression"
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (node_is(e, kinds[i])) {
      if (i == 3 && strchr("/%&|<>=!", *ts_node_type(node_field(e, "operator"))))
        return false;
      for (uint32_t j = 0; i > 2 && i != 5 && j < ts_node_named_child_count(e); j++)
        if (!nest_is_safe(ts_node_named_child(e, j)))
          return false;
      return true;
    }
  return false;
}

static bool nest_refuse(const char **why, TSNode *at, TSNode node, const char *reason) {
  *why = reason;
  *at = node;
  return false;
}

// Returns what the parentheses around E hold. Sets *PLAIN to false if there are some,
// unless it is NULL.
static TSNode nest_bare(TSNode e, bool *plain) {
  while (node_is(e, "parenthesized_expression")) {
    uint32_t i = 0;
    while (i < ts_node_named_child_count(e) &&
           node_is(ts_node_named_child(e, i), "comment"))
      i++;
    e = ts_node_named_child(e, i);
    if (plain)
      *plain = false;
  }
  return e;
}

// Returns D's variable without parentheses if E is that, else E as it is.
static TSNode nest_bare_variable(const struct usage *u, const struct dim *d, TSNode e,
                                 bool *plain) {
  TSNode bare = nest_bare(e, NULL);
  bool same = node_is(bare, "identifier") &&
      slices_same(source_slice(u->s, bare), d->var);
  return same ? nest_bare(e, plain) : e;
}

// Returns the step E without parentheses if it is a number or a name: what else they hold
// may need them.
static TSNode nest_bare_step(TSNode e) {
  static const char *const kinds[] = { "number_literal", "identifier", NULL };
  TSNode bare = nest_bare(e, NULL);
  TSNode value = node_is(bare, "unary_expression") ? node_field(bare, "argument") : bare;
  return node_is_any(value, kinds) ? bare : e;
}

// Returns the type of a declaration, specifiers and then stars: "double *" for `double *p
// = a`. Leaves out the words that a loop's declaration cannot repeat.
static struct slice nest_type(const struct usage *u, TSNode declaration,
                              TSNode declarator) {
  struct text t = { 0 };
  uint32_t end = ts_node_start_byte(declarator);
  for (uint32_t i = 0; i < ts_node_child_count(declaration); i++) {
    TSNode c = ts_node_child(declaration, i);
    struct slice word = source_slice(u->s, c);
    if (ts_node_start_byte(c) >= end)
      break;
    if (!slice_is(word, "register") && !slice_is(word, "auto") && !node_is(c, "comment"))
      text_printf(&t, "%s%.*s", t.size ? " " : "", (int)word.size, word.data);
  }
  for (TSNode c = node_field(declarator, "declarator"); node_is(c, "pointer_declarator");
       c = node_field(c, "declarator"))
    text_add(&t, " *", 2);
  return (struct slice){ t.data ? t.data : "", t.size };
}

static bool parse_init(const struct usage *u, struct dim *d, TSNode init,
                       const char **why, TSNode *at) {
  TSNode low;
  if (node_is(init, "declaration")) {
    TSNode declarator = node_field(init, "declarator");
    TSNode next = ts_node_next_named_sibling(declarator);
    while (node_is(next, "comment"))
      next = ts_node_next_named_sibling(next);
    if (!node_is(declarator, "init_declarator") || !ts_node_is_null(next))
      return nest_refuse(why, at, init,
                         "it must declare one variable, and give it a value");
    TSNode name = node_field(declarator, "declarator");
    while (node_is(name, "pointer_declarator"))
      name = node_field(name, "declarator");
    if (!node_is(name, "identifier"))
      return nest_refuse(why, at, init, "its variable must be an integer or a pointer");
    d->var = source_slice(u->s, name);
    d->type = nest_type(u, init, declarator);
    d->pointer = node_is(node_field(declarator, "declarator"), "pointer_declarator");
    low = node_field(declarator, "value");
  } else if (node_is(init, "assignment_expression") &&
             node_is(node_field(init, "left"), "identifier") &&
             slice_is(source_slice(u->s, node_field(init, "operator")), "=")) {
    d->var = source_slice(u->s, node_field(init, "left"));
    d->pointer = usage_is_pointer(u, d->var);
    low = node_field(init, "right");
  } else {
    return nest_refuse(why, at, ts_node_is_null(init) ? d->node : init,
                       "it must begin by giving its variable a value");
  }
  if (node_is(low, "initializer_list") || node_is(low, "comma_expression"))
    return nest_refuse(why, at, low, "the first value must be one expression");
  d->low = source_slice(u->s, low);
  d->safe = nest_is_safe(low);
  return true;
}

// Reads the condition C. Sets *PLAIN to false if parentheses are around it or its
// variable.
static bool nest_parse_condition(const struct usage *u, struct dim *d, TSNode c,
                                 bool *plain, const char **why, TSNode *at) {
  static const char *const signs[] = { "<", "<=", ">", ">=", "!=" };
  static const enum relation flipped[] = { GREATER, GREATER_EQUAL, LESS, LESS_EQUAL,
                                           NOT_EQUAL };
  const char *reason =
      "its condition must compare its variable with a bound by <, <=, >, >= or !=";
  c = nest_bare(c, plain);
  if (!node_is(c, "binary_expression"))
    return nest_refuse(why, at, ts_node_is_null(c) ? d->node : c, reason);
  TSNode left = nest_bare_variable(u, d, node_field(c, "left"), plain),
         right = nest_bare_variable(u, d, node_field(c, "right"), plain);
  struct slice sign = source_slice(u->s, node_field(c, "operator"));
  unsigned i = 0;
  while (i < 5 && !slice_is(sign, signs[i]))
    i++;
  bool at_left = node_is(left, "identifier") &&
      slices_same(source_slice(u->s, left), d->var);
  bool at_right = node_is(right, "identifier") &&
      slices_same(source_slice(u->s, right), d->var);
  if (i == 5 || at_left == at_right)
    return nest_refuse(why, at, c, reason);
  TSNode bound = at_left ? right : left;
  if (node_mentions(u->s, bound, d->var))
    return nest_refuse(why, at, bound, "its bound depends on its own variable");
  d->relation = at_left ? i : flipped[i];
  d->bound = source_slice(u->s, bound);
  d->safe = d->safe && nest_is_safe(bound);
  return true;
}

// Returns the step of `i += c`, `i = i + c`, `i = c + i` and the like; a null node:
// another form.
static TSNode step_of(const struct usage *u, const struct dim *d, TSNode update,
                      bool *minus) {
  TSNode none = { 0 }, right = node_field(update, "right");
  struct slice op = source_slice(u->s, node_field(update, "operator"));
  if (!slices_same(source_slice(u->s, nest_bare(node_field(update, "left"), NULL)),
                   d->var))
    return none;
  *minus = slice_is(op, "-=");
  if (*minus || slice_is(op, "+="))
    return nest_bare_step(right);
  right = nest_bare(right, NULL);
  if (!slice_is(op, "=") || !node_is(right, "binary_expression"))
    return none;
  struct slice sign = source_slice(u->s, node_field(right, "operator"));
  TSNode first = nest_bare(node_field(right, "left"), NULL),
         second = nest_bare(node_field(right, "right"), NULL);
  *minus = slice_is(sign, "-");
  if (!*minus && !slice_is(sign, "+"))
    return none;
  if (slices_same(source_slice(u->s, first), d->var))
    return nest_bare_step(node_field(right, "right"));
  return !*minus && slices_same(source_slice(u->s, second), d->var)
      ? nest_bare_step(node_field(right, "left"))
      : none;
}

// Reads the step UPDATE. Sets *PLAIN to false if parentheses are in it.
static bool parse_update(const struct usage *u, struct dim *d, TSNode update, bool *plain,
                         const char **why, TSNode *at) {
  const char *reason = "its step must be ++, --, += or -=, or 'i = i + step'";
  bool minus = false;
  d->step = slice_of("1");
  update = nest_bare(update, plain);
  *plain = *plain && !node_holds(update, "parenthesized_expression");
  if (node_is(update, "update_expression") &&
      slices_same(source_slice(u->s, nest_bare(node_field(update, "argument"), NULL)),
                  d->var)) {
    minus = slice_is(source_slice(u->s, node_field(update, "operator")), "--");
  } else if (node_is(update, "assignment_expression")) {
    TSNode step = step_of(u, d, update, &minus);
    if (ts_node_is_null(step))
      return nest_refuse(why, at, update, reason);
    if (node_mentions(u->s, step, d->var))
      return nest_refuse(why, at, step, "its step depends on its own variable");
    d->step = source_slice(u->s, step);
    d->safe = d->safe && nest_is_safe(step);
    if (!node_is(step, "binary_expression") && d->step.size > 1 &&
        *d->step.data == '-') { // i += -1
      d->step = slice_trim((struct slice){ d->step.data + 1, d->step.size - 1 });
      minus = !minus;
    }
  } else {
    return nest_refuse(why, at, ts_node_is_null(update) ? d->node : update, reason);
  }
  d->unit_step = slice_is(d->step, "1");
  d->down = minus;
  if (d->relation == NOT_EQUAL && !d->unit_step)
    return nest_refuse(why, at, update, "with != its step must be 1 or -1");
  bool less = d->relation == LESS || d->relation == LESS_EQUAL;
  if (d->relation != NOT_EQUAL && less == minus)
    return nest_refuse(why, at, update,
                       less ? "it counts down, but its condition is an upper bound"
                            : "it counts up, but its condition is a lower bound");
  if (slice_is(d->step, "0"))
    return nest_refuse(why, at, update, "its step is 0");
  return true;
}

// Returns the offset after the ')' of the header.
static size_t header_end(TSNode loop) {
  size_t end = ts_node_start_byte(loop);
  for (uint32_t i = 0; i < ts_node_child_count(loop); i++)
    if (node_is(ts_node_child(loop, i), ")"))
      end = ts_node_end_byte(ts_node_child(loop, i));
  return end;
}

// Returns D's header without parentheses around its parts: gcc does not share out a loop
// that has them. INIT is the text up to the condition.
static struct slice header_plain(const struct dim *d, struct slice init) {
  static const char *const signs[] = { "<", "<=", ">", ">=", "!=" };
  struct text t = { 0 };
  text_printf(&t, "%.*s%.*s %s %.*s; %.*s", (int)init.size, init.data, (int)d->var.size,
              d->var.data, signs[d->relation], (int)d->bound.size, d->bound.data,
              (int)d->var.size, d->var.data);
  if (d->unit_step)
    text_printf(&t, "%s)", d->down ? "--" : "++");
  else
    text_printf(&t, " %c= %.*s)", d->down ? '-' : '+', (int)d->step.size, d->step.data);
  return (struct slice){ t.data, t.size };
}

bool dim_parse(const struct usage *u, TSNode loop, struct dim *d, const char **why,
               TSNode *at) {
  size_t start = ts_node_start_byte(loop);
  TSNode condition = node_field(loop, "condition");
  bool plain = true;
  d->node = loop;
  d->offset = start;
  d->header = (struct slice){ u->s->text + start, header_end(loop) - start };
  if (!parse_init(u, d, node_field(loop, "initializer"), why, at) ||
      !nest_parse_condition(u, d, condition, &plain, why, at) ||
      !parse_update(u, d, node_field(loop, "update"), &plain, why, at))
    return false;
  if (!plain)
    d->header = header_plain(
        d, (struct slice){ d->header.data, ts_node_start_byte(condition) - start });
  return true;
}

bool only_ours(const struct source *s, size_t from, size_t to) {
  struct lexer l = { s->text + from, s->text + to, true };
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    if (!slice_is(t.text, "#"))
      continue;
    bool number = line_is_number(l);
    struct slice word = lex(&l).text, second = lex(&l).text;
    if (!number && (!slice_is(word, "pragma") || !slice_is(second, "autotune")))
      return false;
    l.p = lex_line_end(word.data, l.end);
  }
  return true;
}

const struct loop_directive **directives_on(const struct function *f, TSNode loop,
                                            unsigned *n) {
  const struct loop_directive **list = NULL;
  *n = 0;
  for (unsigned i = 0; i < f->n_directives; i++)
    if (ts_node_eq(f->directives[i].loop, loop))
      *GROW(list, *n) = &f->directives[i];
  return list;
}

TSNode nest_inner(const struct usage *u, TSNode loop) {
  TSNode none = { 0 }, last, body = nest_body(u, loop, &last), inner = body;
  bool whole = ts_node_eq(body, node_field(loop, "body"));
  size_t from = whole ? header_end(loop) : ts_node_start_byte(body);
  unsigned n;
  if (!ts_node_eq(body, last))
    return none;
  while (node_is(inner, "compound_statement")) {
    directives_of(u, inner, &n);
    if (n)
      break;
    TSNode only = none;
    for (uint32_t i = 0; i < ts_node_named_child_count(inner); i++) {
      TSNode c = ts_node_named_child(inner, i);
      if (node_is(c, "comment"))
        continue;
      if (!ts_node_is_null(only))
        return none;
      only = c;
    }
    inner = only;
  }
  if (!node_is(inner, "for_statement") && !node_is(inner, "compound_statement"))
    return none;
  if (fission_of(u, inner)) // its loops become several nests
    return none;
  if (!only_ours(u->s, from, ts_node_start_byte(inner)) ||
      !only_ours(u->s, ts_node_end_byte(inner), ts_node_end_byte(body)))
    return none;
  return inner;
}

bool order_is_identity(const unsigned *order, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (order[i] != i)
      return false;
  return true;
}
