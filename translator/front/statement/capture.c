// SPDX-License-Identifier: Apache-2.0
// capture.c: the variables of the function that a statement uses, with their types as
// the function declares them.
#include <string.h>

#include "statement.h"

struct capture *captures_named(const struct statement *st, struct slice name) {
  for (unsigned i = 0; i < st->n_captures; i++)
    if (slices_same(st->captures[i].name, name))
      return &st->captures[i];
  return NULL;
}

// ---- scopes -------------------------------------------------------------------------

TSNode captures_scope(TSNode d) {
  bool prototype = false;
  for (TSNode n = ts_node_parent(d); !ts_node_is_null(n); n = ts_node_parent(n)) {
    bool list = node_is(n, "parameter_list");
    if (list && prototype)
      break;
    prototype = prototype || list;
    if (node_is(n, "function_definition") || node_is(n, "lambda_expression"))
      return n;
    if (node_is(n, "compound_statement") || node_is(n, "for_statement") ||
        node_is(n, "for_range_loop"))
      return prototype ? (TSNode){ 0 } : n;
  }
  return (TSNode){ 0 };
}

// Returns NAME in the function's head, of old C, if it is an argument that no declaration
// there types, so that it is an int; null: it is not.
static TSNode capture_untyped(const struct statement *st, struct slice name) {
  TSNode list = node_field(declarator_of_function(st->function), "parameters");
  for (uint32_t i = 0; i < ts_node_named_child_count(list); i++) {
    TSNode n = ts_node_named_child(list, i);
    if (node_is(n, "identifier") && slices_same(statement_text(st, n), name))
      return n;
  }
  return (TSNode){ 0 };
}

TSNode captures_resolve(const struct statement *st, struct slice name, TSNode node) {
  TSNode best = { 0 };
  uint32_t start = 0;
  for (unsigned i = 0; i < st->usage.n_declared; i++) {
    const struct declared *d = &st->usage.declared[i];
    if (!slices_same(d->name, name) ||
        ts_node_start_byte(d->node) > ts_node_start_byte(node))
      continue;
    TSNode scope = captures_scope(d->node);
    if (ts_node_is_null(scope) || !node_within(node, scope) ||
        ts_node_start_byte(scope) < start)
      continue;
    best = d->node;
    start = ts_node_start_byte(scope);
  }
  return ts_node_is_null(best) ? capture_untyped(st, name) : best;
}

// ---- mentions -----------------------------------------------------------------------

static struct capture *capture_add(struct statement *st, TSNode declared);

// Adds the variables in the bounds of the array that D declares.
static void capture_bounds(struct statement *st, TSNode d, TSNode name,
                           struct capture *array) {
  for (uint32_t i = 0; st->fine && i < ts_node_named_child_count(d); i++) {
    TSNode n = ts_node_named_child(d, i);
    if (!node_is(n, "identifier")) {
      capture_bounds(st, n, name, array);
      continue;
    }
    TSNode bound = captures_resolve(st, statement_text(st, n), n);
    if (ts_node_eq(n, name) || ts_node_is_null(bound) || node_within(n, bound))
      continue;
    array->local_size = st->cplusplus;
    if (st->cplusplus)
      continue;
    struct capture *c = capture_add(st, bound);
    if (c)
      c->bound = true;
    if (c && changes_later(st, c, ts_node_end_byte(d)))
      statement_refuse(st,
                       "copy it to a variable that keeps its value, and declare the "
                       "array with that",
                       "'%.*s', which the bounds of '%.*s' mention, is changed later",
                       (int)c->name.size, c->name.data,
                       (int)statement_text(st, name).size, statement_text(st, name).data);
  }
}

// Returns the capture of what DECLARED declares, new or not; NULL: diagnosed.
static struct capture *capture_add(struct statement *st, TSNode declared) {
  struct slice name = statement_text(st, declarator_name(declared));
  struct capture *old = captures_named(st, name), c = { .name = name };
  if (old && ts_node_eq(old->declared, declared))
    return old;
  c.declared = declared;
  captures_read_type(st, &c);
  captures_check_type(st, &c);
  if (c.shape == SHAPE_ARRAY && scope_copies(st, &c))
    c.specifiers =
        slice_of(arena_printf("const %.*s", (int)c.specifiers.size, c.specifiers.data));
  if (st->fine && old)
    captures_unknown(st, &c, "give one of them another name",
                     "two variables of this name are used");
  TSNode d = node_is(declared, "init_declarator") ? node_field(declared, "declarator")
                                                  : declared;
  if (st->fine && (!st->cplusplus || c.shape == SHAPE_ARRAY || c.shape == SHAPE_POINTER))
    capture_bounds(st, d, declarator_name(d), &c);
  if (st->fine && c.local_size && memmem(c.declarator.data, c.declarator.size, "][", 2))
    captures_unknown(st, &c, "make them constants at the scope of the file",
                     "variables of the function are among its bounds");
  if (!st->fine)
    return NULL;
  struct capture *new = GROW(st->captures, st->n_captures);
  *new = c;
  return new;
}

// Returns the capture of NAME, a member of the class that ST is in; NULL: diagnosed.
static struct capture *capture_member(struct statement *st, TSNode n, struct slice name) {
  const struct class_member *m = scope_member(st, name);
  enum member_kind kind = m ? m->kind : MEMBER_NONE;
  struct capture *old = captures_named(st, name), c = { .name = name };
  int size = (int)name.size;
  if (kind == MEMBER_BITS)
    statement_refuse(st, "copy it to a variable before the kernel",
                     "'%.*s' on line %u is a bit-field", size, name.data,
                     statement_line(st, n));
  else if (kind != MEMBER_DATA)
    statement_refuse(st, "use data members alone, or functions that are not members",
                     "'%.*s' on line %u is a member of the class, and the kernel needs "
                     "it outside",
                     size, name.data, statement_line(st, n));
  else if (old && !old->member)
    captures_unknown(st, old, "give one of them another name",
                     "two variables of this name are used");
  if (!st->fine || old)
    return st->fine ? old : NULL;
  st->words = arena_printf("%s %.*s", st->words, (int)m->type.size, m->type.data);
  c.deduced = true;
  c.specifiers = slice_of("auto");
  c.declarator = name;
  c.at = name.data;
  c = m->plain.at ? m->plain : c;
  c.member = true;
  *GROW(st->captures, st->n_captures) = c;
  return &st->captures[st->n_captures - 1];
}

// Reads N, `this`: a data member is named by it.
static void capture_this(struct statement *st, TSNode n) {
  TSNode up = ts_node_parent(n), field = node_field(up, "field");
  if (!node_is(up, "field_expression") || !node_is(field, "field_identifier")) {
    statement_refuse(st, "use its data members, or copy what is needed to variables",
                     "'this' on line %u is used for more than a data member",
                     statement_line(st, n));
    return;
  }
  struct slice name = statement_text(st, field);
  if (!scope_member(st, name)) {
    statement_refuse(st, "copy it to a variable before the kernel",
                     "the class that declares '%.*s' is not in sight", (int)name.size,
                     name.data);
    return;
  }
  struct capture *c = capture_member(st, field, name);
  if (c && usage_declares(&st->usage, st->node, name)) {
    captures_unknown(st, c, "give one of them another name",
                     "two variables of this name are used");
    c = NULL;
  }
  if (!c)
    return;
  c->by_this = true;
  *GROW(c->mentions, c->n_mentions) = ts_node_start_byte(field);
  *GROW(st->drops, st->n_drops) =
      (struct drop){ ts_node_start_byte(n), ts_node_start_byte(field), "" };
}

static void capture_name(struct statement *st, TSNode n) {
  struct slice name = statement_text(st, n);
  TSNode declared = captures_resolve(st, name, n);
  struct capture *c = NULL;
  if (!ts_node_is_null(declared) && node_within(declared, st->node))
    return;
  bool made = made_capture(st, name, &c);
  if (!made && made_away(st, name))
    return;
  if (!made && ts_node_is_null(declared) && !scope_member(st, name)) {
    captures_check_name(st, name);
    return;
  }
  if (!made)
    c = ts_node_is_null(declared) ? capture_member(st, n, name)
                                  : capture_add(st, declared);
  if (!c)
    return;
  *GROW(c->mentions, c->n_mentions) = ts_node_start_byte(n);
  TSNode up = ts_node_parent(n);
  while (node_is(up, "parenthesized_expression") || node_is(up, "type_descriptor"))
    up = ts_node_parent(up);
  c->sized = c->sized || node_is(up, "sizeof_expression");
  if (node_is(up, "argument_list")) {
    TSNode called = node_field(ts_node_parent(up), "function");
    c->macro_change = c->macro_change ||
        macros_assign_arguments(st, statement_text(st, called));
  }
}

static void capture_walk(struct statement *st, TSNode n) {
  if (node_is(n, "identifier") || node_is(n, "type_identifier"))
    capture_name(st, n);
  if (st->cplusplus && node_is(n, "this"))
    capture_this(st, n);
  if (node_is(n, "qualified_identifier")) {
    TSNode list = node_child(node_field(n, "name"), "template_argument_list");
    if (!ts_node_is_null(list))
      capture_walk(st, list);
    return;
  }
  for (uint32_t i = 0; st->fine && i < ts_node_named_child_count(n); i++)
    capture_walk(st, ts_node_named_child(n, i));
}

// Adds NAME, which a macro of TEXT, the statement's, mentions; TEXT empty: a pragma.
static void capture_in_text(struct statement *st, struct slice name, struct slice text) {
  TSNode declared = captures_resolve(st, name, st->node);
  struct capture *c = NULL;
  if (!ts_node_is_null(declared) && node_within(declared, st->node))
    return;
  if (!made_capture(st, name, &c) && !ts_node_is_null(declared) && !made_away(st, name))
    c = capture_add(st, declared);
  if (!c)
    return;
  c->in_macro = c->in_macro || text.size;
  c->in_pragma = c->in_pragma || !text.size;
  c->macro_change = c->macro_change || (text.size && macros_assign(st, text, name));
}

// Notes that CLAUSE of the pragma D gives each thread a C of its own.
static void capture_clause(const struct statement *st, struct capture *c,
                           struct slice clause, const struct directive *d) {
  static const char *const others[] = { "firstprivate", "lastprivate", "reduction",
                                        "linear", NULL };
  for (unsigned i = 0; others[i]; i++)
    c->shared = slice_is(clause, others[i]) ? others[i] : c->shared;
  if (!slice_is(clause, "private"))
    return;
  size_t at = after_branch(st->s, d->end, statement_end(st));
  TSNode n = ts_node_descendant_for_byte_range(st->node, (uint32_t)at, (uint32_t)at + 1);
  while (!ts_node_eq(n, st->node) && ts_node_start_byte(ts_node_parent(n)) == at)
    n = ts_node_parent(n);
  *GROW(c->privates, c->n_privates) = (struct extent){ d->offset, ts_node_end_byte(n) };
}

// Adds what the pragma D mentions.
static void capture_pragma(struct statement *st, const struct directive *d) {
  struct lexer l = lexer_of(d->rest);
  struct slice clause = { 0 };
  unsigned depth = 0;
  for (struct token t; st->fine && (t = lex(&l)).kind != TOKEN_END;) {
    depth += (unsigned)lex_bracket(t.text);
    if (t.kind != TOKEN_WORD)
      continue;
    clause = depth ? clause : t.text;
    capture_in_text(st, t.text, (struct slice){ 0 });
    struct capture *c = depth ? captures_named(st, t.text) : NULL;
    if (c)
      capture_clause(st, c, clause, d);
  }
}

// Adds what the pragmas in [START, END) mention.
static void capture_pragmas(struct statement *st, size_t start, size_t end) {
  struct directive d;
  struct slice text = { st->s->text, end };
  for (size_t at = start; st->fine && directive_next(text, &at, &d);) {
    struct lexer l = lexer_of(d.rest);
    if (line_kind(d.word) == LINE_PRAGMA && !slice_is(lex(&l).text, "autotune"))
      capture_pragma(st, &d);
  }
}

// Adds what the clauses of the pragma P mention.
static void capture_clauses(struct statement *st, const struct pragma *p) {
  struct lexer l = lexer_of(slice_of(p->blanked));
  struct slice before = { 0 };
  bool after_this = false;
  for (struct token t; st->fine && (t = lex(&l)).kind != TOKEN_END; before = t.text) {
    after_this = slice_is(before, "this") || (after_this && slice_is(before, "->"));
    TSNode declared = captures_resolve(st, t.text, st->node);
    struct capture *c = NULL;
    if (t.kind != TOKEN_WORD || slice_is(before, ".") ||
        (slice_is(before, "->") && !after_this))
      continue;
    if (made_capture(st, t.text, &c))
      ;
    else if (ts_node_is_null(declared) && scope_member(st, t.text))
      c = capture_member(st, st->node, t.text);
    else if (!ts_node_is_null(declared) && !node_within(declared, st->node))
      c = capture_add(st, declared);
    if (c)
      c->in_clause = true;
  }
}

// Diagnoses macros that the function defines before the statement, which needs them.
static void capture_macros(struct statement *st, struct slice text,
                           const struct names *words) {
  struct slice before = { st->s->text, st->p->offset };
  struct directive d;
  for (size_t at = st->f.start; st->fine && directive_next(before, &at, &d);) {
    enum line kind = line_kind(d.word);
    struct lexer l = lexer_of(d.rest);
    struct slice name = lex(&l).text;
    if ((kind == LINE_DEFINE || kind == LINE_UNDEF) &&
        (lex_mentions(text, name) || names_has(words, name)))
      statement_refuse(st, arena_printf("define it before '%s'", st->of),
                       "the macro '%.*s' on line %u is defined in the function, and the "
                       "kernel needs it outside",
                       (int)name.size, name.data,
                       source_where(st->s, d.offset, NULL, NULL));
  }
}

void captures_find(struct statement *st) {
  size_t end = statement_end(st);
  struct slice text = { st->s->text + st->from, end - st->from };
  struct names words = { 0 };
  capture_walk(st, st->node);
  macros_words(st, text, &words);
  capture_macros(st, text, &words);
  for (unsigned i = 0; st->fine && i < words.n; i++)
    capture_in_text(st, words.list[i].text, text);
  if (st->fine)
    capture_pragmas(st, st->from, end);
  for (unsigned i = 0; st->fine && i < st->n_pragmas; i++)
    if (st->pragmas[i].offset >= st->p->offset && st->pragmas[i].offset < end)
      capture_clauses(st, &st->pragmas[i]);
  if (st->fine)
    views_find(st);
  for (unsigned i = 0; st->fine && i < st->n_captures; i++)
    changes_decide(st, &st->captures[i]);
  bool template = false;
  scope_select(st);
  for (unsigned i = 0; i < st->n_parameters; i++)
    template = template || st->parameters[i].used;
  for (unsigned i = 0; i < st->n_captures; i++)
    template = template || st->captures[i].deduced;
  if (template && st->c_linkage)
    statement_refuse(st, "move it out of there",
                     "it becomes a template, which cannot be inside `extern \"C\"`");
}
