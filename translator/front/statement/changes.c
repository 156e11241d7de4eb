// SPDX-License-Identifier: Apache-2.0
// changes.c: whether a statement changes a variable of the function around it, and so how
// the kernel gets it.
#include <string.h>

#include "statement.h"

// True if the target of N, a change, is a part of the variable itself: `x.y`, `x.y[i]`.
// In doubt it is: `y` may be a pointer.
static bool changes_member(TSNode n) {
  TSNode t = node_is(n, "assignment_expression") ? node_field(n, "left")
                                                 : node_field(n, "argument");
  bool member = false;
  while (!ts_node_is_null(t) && !node_is(t, "identifier")) {
    if (node_is(t, "pointer_expression"))
      return false;
    member = member || node_is(t, "field_expression");
    t = node_is(t, "parenthesized_expression") ? ts_node_named_child(t, 0)
                                               : node_field(t, "argument");
  }
  return member;
}

// True if H is a change of the variable C itself, not of what C leads to.
static bool changes_object(const struct statement *st, const struct capture *c,
                           const struct change *h) {
  TSNode declared = captures_resolve(st, c->name, h->node);
  if (!slices_same(h->name, c->name) ||
      !(c->made ? ts_node_is_null(declared) : ts_node_eq(declared, c->declared)))
    return false;
  bool whole = h->part == PART_WHOLE && h->how != BY_POINTER;
  return whole || (c->shape == SHAPE_PLAIN && changes_member(h->node));
}

bool changes_later(const struct statement *st, const struct capture *c, size_t at) {
  for (unsigned i = 0; i < st->usage.n_changes; i++) {
    const struct change *h = &st->usage.changes[i];
    if (ts_node_start_byte(h->node) >= at && changes_object(st, c, h))
      return true;
  }
  return false;
}

// True if N, `&x`, is no more than an argument of a call.
static bool changes_is_argument(TSNode n) {
  TSNode up = ts_node_parent(n);
  while (node_is(up, "parenthesized_expression") || node_is(up, "cast_expression"))
    up = ts_node_parent(up);
  return node_is(up, "argument_list");
}

// True if words of the type, but not of what it points to, say WORD.
static bool changes_qualified(const struct capture *c, const char *word) {
  return c->shape == SHAPE_PLAIN && lex_mentions(c->specifiers, slice_of(word));
}

struct found {
  bool assigned;  // in the statement
  bool addressed; // in the statement
  bool stored;    // its address is kept in a variable somewhere
};

static struct found changes_look(const struct statement *st, const struct capture *c) {
  struct found f = { .assigned = c->macro_change };
  for (unsigned i = 0; i < st->usage.n_changes; i++) {
    const struct change *h = &st->usage.changes[i];
    if (!changes_object(st, c, h))
      continue;
    bool within = node_within(h->node, st->node);
    if (h->how == BY_ADDRESS) {
      f.addressed = f.addressed || within;
      f.stored = f.stored || !changes_is_argument(h->node);
    } else {
      f.assigned = f.assigned || within;
    }
  }
  if (changes_qualified(c, "const")) // then members are pointers to what changes
    f.assigned = false;
  return f;
}

static bool changes_has_label(TSNode function) {
  return node_holds(node_field(function, "body"), "labeled_statement");
}

// True if the value that the statement leaves in C may be read later. In doubt it is.
static bool changes_read_after(const struct statement *st, const struct capture *c) {
  if (c->made)
    return true;
  TSNode declaration = ts_node_parent(c->declared), first;
  TSNode storage = node_child(declaration, "storage_class_specifier");
  struct slice word = statement_text(st, storage);
  bool automatic = ts_node_is_null(storage) || slice_is(word, "register") ||
      slice_is(word, "auto");
  return !automatic || c->macro_change || names_has(&st->after, c->name) ||
      changes_has_label(st->function) ||
      usage_declarators(&st->usage, st->function, c->name, &first) > 1 ||
      live_read_after(&st->usage, st->node, c->name);
}

// True if the words of C's type hold the name of a typedef or macro.
static bool changes_named_type(const struct capture *c) {
  struct lexer l = lexer_of(c->specifiers);
  bool tag = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; tag = is_tag(t.text))
    if (t.kind == TOKEN_WORD && !tag && !is_tag(t.text) && !is_type_word(t.text))
      return true;
  return false;
}

// True if the function assigns to all of C, which C forbids for arrays.
static bool changes_assigned_whole(const struct statement *st, const struct capture *c) {
  for (unsigned i = 0; i < st->usage.n_changes; i++) {
    const struct change *h = &st->usage.changes[i];
    if (h->how == BY_ASSIGNMENT && h->part == PART_WHOLE && changes_object(st, c, h))
      return true;
  }
  return false;
}

// True if C's type is a name that may stand for an array: a typedef of one, or a name of
// which the definition is not in sight.
static bool changes_hidden(const struct statement *st, const struct capture *c) {
  if (c->shape != SHAPE_PLAIN || !changes_named_type(c) || changes_assigned_whole(st, c))
    return false;
  struct ctype t = type_of_name(st->x, c->specifiers);
  return t.base == BASE_UNKNOWN || t.base == BASE_COMPUTED ||
      (t.n > 0 && t.derived[0] == DERIVED_ARRAY);
}

// True if each thread has a C of its own wherever the statement names it.
static bool changes_private(const struct capture *c) {
  bool all = c->n_privates > 0 && !c->in_macro;
  for (unsigned i = 0; i < c->n_mentions && all; i++) {
    all = false;
    for (unsigned j = 0; j < c->n_privates; j++)
      all = all ||
          (c->privates[j].start <= c->mentions[i] && c->mentions[i] < c->privates[j].end);
  }
  return all;
}

static enum pass changes_pass_cxx(const struct statement *st, struct capture *c) {
  struct found f = changes_look(st, c);
  struct kinds_found k = { f.assigned, f.addressed, f.stored, true, true };
  if (!c->member && !scope_captured(st, c)) {
    k.after = changes_read_after(st, c);
    k.before = c->in_macro || live_reads_first(&st->usage, st->node, c->name);
  }
  return kinds_pass(st, c, k, changes_private(c) && !c->shared && !c->bound);
}

static enum pass changes_pass(const struct statement *st, const struct capture *c) {
  struct found f = changes_look(st, c);
  if (c->shape == SHAPE_FUNCTION)
    return PASS_VALUE;
  if (changes_private(c) && !c->shared && !c->bound)
    return PASS_OWN;
  if (c->shape == SHAPE_ARRAY)
    return f.addressed || c->sized ? PASS_PLACE : PASS_VALUE;
  if (f.addressed || (f.stored && (f.assigned || c->shape == SHAPE_PLAIN)) ||
      changes_qualified(c, "volatile") || changes_qualified(c, "_Atomic") ||
      (c->sized && changes_hidden(st, c)))
    return PASS_PLACE;
  if (!f.assigned)
    return PASS_VALUE;
  if (changes_read_after(st, c))
    return PASS_COPY;
  bool before = c->in_macro || live_reads_first(&st->usage, st->node, c->name);
  return before || c->bound ? PASS_VALUE : PASS_OWN;
}

void changes_decide(struct statement *st, struct capture *c) {
  c->pass = st->cplusplus ? changes_pass_cxx(st, c) : changes_pass(st, c);
  int size = (int)c->name.size;
  const char *name = c->name.data;
  bool thread = c->n_privates || c->shared;
  if (c->pass != PASS_OWN && !st->cplusplus && thread &&
      (c->shape == SHAPE_ARRAY || changes_hidden(st, c)))
    statement_refuse(st, "declare it within the kernel, where each thread has its own",
                     "'%.*s' in the clause '%s' may be an array, which would become a "
                     "pointer",
                     size, name, c->shared ? c->shared : "private");
  else if (c->pass == PASS_PLACE && c->shape == SHAPE_POINTER && st->cplusplus &&
           scope_copies(st, c))
    statement_refuse(st, "capture it by reference",
                     "the lambda around it has a copy of '%.*s', whose address is needed",
                     size, name);
  else if (c->pass == PASS_PLACE && !st->cplusplus && (c->in_macro || c->in_pragma))
    statement_refuse(st, "copy it to a variable of its own before the kernel",
                     "the address of '%.*s' is needed, and a macro or pragma in the "
                     "kernel mentions it",
                     size, name);
  else if (c->pass == PASS_PLACE && c->shape == SHAPE_ARRAY &&
           memmem(c->declarator.data, c->declarator.size, "[]", 2))
    statement_refuse(st, "write its size", "the size of '%.*s' is not declared", size,
                     name);
  else if (c->pass == PASS_PLACE && c->local_size)
    statement_refuse(st, "declare the array within the kernel, or use a vector",
                     "the size of '%.*s' is not a constant", size, name);
  else if (c->bound && c->pass != PASS_VALUE)
    statement_refuse(st, "copy it to a variable that keeps its value",
                     "'%.*s' is the bound of an array, and the kernel changes it", size,
                     name);
}
