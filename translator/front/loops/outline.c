// SPDX-License-Identifier: Apache-2.0
// outline.c: what threads share out goes into a function of its own. Compilers put an
// OpenMP region into a function too, but pass it addresses of variables, and `restrict`
// is lost on the way: measured on a matrix product, 25 GFLOP/s a core become 10 (Clang
// 22) and 2 (gcc 12). Here the region calls a function that has the kernel's own
// parameter list, which keeps it.
#include <string.h>

#include "loops.h"

// A variable of the function around the nest.
struct variable {
  TSNode declaration, declarator;
  size_t offset;
};
struct outline {
  struct builder *b;
  TSNode root;
  const struct nest *nest;
  struct variable *locals;
  unsigned n;
  struct slice *own;
  unsigned n_own; /* variables that are private to the nest's body */
};

static bool outline_contains(struct slice text, const char *word) {
  struct lexer l = lexer_of(text);
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l))
    if (slice_is(t.text, word))
      return true;
  return false;
}

static TSNode outline_declared_name(TSNode d) {
  while (!ts_node_is_null(d) && !node_is_type(d, "identifier")) {
    TSNode next = node_field(d, "declarator");
    if (ts_node_is_null(next) && node_is_type(d, "parenthesized_declarator"))
      next = ts_node_named_child(d, 0);
    d = next;
  }
  return d;
}

// The declarator of NAME in DECLARATION; a null node: it declares others.
static TSNode outline_declarator_of(const struct builder *b, TSNode declaration,
                                    struct slice name) {
  TSNode none = { 0 };
  for (uint32_t i = 0; i < ts_node_named_child_count(declaration); i++) {
    TSNode d = ts_node_named_child(declaration, i), id;
    if (node_is_type(d, "init_declarator"))
      d = node_field(d, "declarator");
    if (ts_node_eq(d, node_field(declaration, "type")))
      continue;
    id = outline_declared_name(d);
    if (!ts_node_is_null(id) && slices_same(node_text(b, id), name))
      return d;
  }
  return none;
}

// The declaration of NAME that holds at ROOT, among the statements before it and the
// loops around it.
static bool find_local(const struct outline *o, struct slice name, struct variable *v) {
  for (TSNode n = o->root; !ts_node_eq(n, o->b->f->node); n = ts_node_parent(n)) {
    TSNode parent = ts_node_parent(n);
    if (node_is_type(parent, "for_statement"))
      v->declaration = node_field(parent, "initializer");
    else
      v->declaration = ts_node_prev_named_sibling(n);
    for (; !ts_node_is_null(v->declaration);
         v->declaration = ts_node_prev_named_sibling(v->declaration)) {
      if (!node_is_type(v->declaration, "declaration"))
        continue;
      v->declarator = outline_declarator_of(o->b, v->declaration, name);
      v->offset = ts_node_start_byte(v->declarator);
      if (!ts_node_is_null(v->declarator))
        return true;
    }
  }
  return false;
}

static TSNode parameters_of(TSNode function) {
  TSNode d = node_field(function, "declarator");
  while (!ts_node_is_null(d) && !node_is_type(d, "function_declarator"))
    d = node_field(d, "declarator");
  return node_field(d, "parameters");
}

static bool is_parameter(const struct outline *o, struct slice name) {
  TSNode list = parameters_of(o->b->f->node);
  for (uint32_t i = 0; i < ts_node_named_child_count(list); i++)
    if (slices_same(node_text(o->b, outline_declared_name(ts_node_named_child(list, i))),
                    name))
      return true;
  return false;
}

static bool private_variable(const struct outline *o, struct slice name) {
  for (unsigned i = 0; i < o->nest->n_dims; i++)
    if (slices_same(o->nest->dims[i]->var, name))
      return true;
  for (unsigned i = 0; i < o->n_own; i++)
    if (slices_same(o->own[i], name))
      return true;
  return false;
}

// Collects the locals that NODE mentions, and those that their declarations do.
static void outline_collect(struct outline *o, TSNode node) {
  if (node_is_type(node, "identifier")) {
    struct variable v;
    if (!find_local(o, node_text(o->b, node), &v))
      return;
    unsigned i = 0;
    while (i < o->n && o->locals[i].offset < v.offset)
      i++;
    if (i < o->n && o->locals[i].offset == v.offset)
      return;
    *GROW(o->locals, o->n) = v;
    memmove(&o->locals[i + 1], &o->locals[i], (o->n - 1 - i) * sizeof v);
    o->locals[i] = v;
    outline_collect(o, v.declarator);
    return;
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
    outline_collect(o, ts_node_named_child(node, i));
}

// What an assignment or the like changes as a whole or in part; a null node: NODE is
// none.
static TSNode outline_changed(const struct builder *b, TSNode node) {
  TSNode at = { 0 };
  if (node_is_type(node, "assignment_expression"))
    at = node_field(node, "left");
  else if (node_is_type(node, "update_expression"))
    at = node_field(node, "argument");
  else if (node_is_type(node, "pointer_expression") &&
           slice_is(node_text(b, node_field(node, "operator")), "&"))
    at = node_field(node, "argument");
  for (;;) {
    if (node_is_type(at, "parenthesized_expression"))
      at = ts_node_named_child(at, 0);
    else if (node_is_type(at, "field_expression") &&
             slice_is(node_text(b, node_field(at, "operator")), "."))
      at = node_field(at, "argument");
    else
      return at;
  }
}

// Copies of variables would do in NODE: none is changed, none is asked for its size or is
// a type.
static bool outline_copies_do(const struct outline *o, TSNode node) {
  TSNode at = outline_changed(o->b, node);
  if (node_is_type(at, "identifier") && !private_variable(o, node_text(o->b, at))) {
    struct variable v;
    if (is_parameter(o, node_text(o->b, at)) || find_local(o, node_text(o->b, at), &v))
      return false;
  }
  if (node_is_type(node, "sizeof_expression") || node_is_type(node, "asm_statement"))
    return false;
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
    if (!outline_copies_do(o, ts_node_named_child(node, i)))
      return false;
  return true;
}

// True when the function declares types or macros of its own before the nest, or the nest
// holds OpenMP directives that belong to the region around it.
static bool bound_to_place(const struct outline *o) {
  const char *text = o->b->s->text;
  size_t from = o->b->f->body_at, start = ts_node_start_byte(o->root),
         end = ts_node_end_byte(o->root);
  struct lexer l = { text + from, text + end, true };
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    bool before = (size_t)(t.text.data - text) < start;
    if (before && t.kind == TOKEN_WORD &&
        (slice_is(t.text, "typedef") || slice_is(t.text, "enum")))
      return true;
    if (!t.first || !slice_is(t.text, "#"))
      continue;
    struct slice word = lex(&l).text, who = lex(&l).text, what = lex(&l).text;
    if (slice_is(word, "define") || slice_is(word, "undef") || slice_is(word, "include"))
      return true;
    if (!before && slice_is(word, "pragma") && slice_is(who, "omp") &&
        !slice_is(what, "simd") && !slice_is(what, "atomic") &&
        !slice_is(what, "critical"))
      return true;
    l.p = lex_line_end(t.text.data, l.end);
    l.first = true;
  }
  return false;
}

static void outline_add(struct text *params, struct text *args, const char *declaration,
                        struct slice name) {
  text_printf(params, "%s%s", params->size ? ", " : "", declaration);
  text_printf(args, "%s%.*s", args->size ? ", " : "", (int)name.size, name.data);
}

static bool add_locals(struct outline *o, struct text *params, struct text *args) {
  static const char *const storage[] = { "static", "extern",       "register",
                                         "auto",   "__auto_type",  "struct",
                                         "union",  "_Thread_local" };
  for (unsigned i = 0; i < o->n; i++) {
    const struct variable *v = &o->locals[i];
    TSNode type = node_field(v->declaration, "type");
    size_t start = ts_node_start_byte(v->declaration);
    struct slice before = { o->b->s->text + start, ts_node_end_byte(type) - start };
    for (size_t j = 0; j < sizeof storage / sizeof *storage; j++)
      if (outline_contains(before, storage[j]) &&
          (j < 5 || j == 7 || outline_contains(before, "{")))
        return false;
    struct slice d = node_text(o->b, v->declarator);
    outline_add(
        params, args,
        arena_printf("%.*s %.*s", (int)before.size, before.data, (int)d.size, d.data),
        node_text(o->b, outline_declared_name(v->declarator)));
  }
  return true;
}

static bool add_parameters(struct outline *o, struct text *params, struct text *args) {
  TSNode list = parameters_of(o->b->f->node);
  bool restricted = false;
  for (uint32_t i = 0; i < ts_node_named_child_count(list); i++) {
    TSNode p = ts_node_named_child(list, i), name = outline_declared_name(p);
    struct slice text = node_text(o->b, p);
    if (!node_is_type(p, "parameter_declaration") || ts_node_is_null(name))
      continue;
    restricted = restricted || outline_contains(text, "restrict") ||
        outline_contains(text, "__restrict") || outline_contains(text, "__restrict__");
    outline_add(params, args, arena_copy(text.data, text.size), node_text(o->b, name));
  }
  return restricted;
}

bool outline(struct builder *b, TSNode root, const struct nest *n, struct text *params,
             struct text *args) {
  struct outline o = { .b = b, .root = root, .nest = n };
  for (unsigned i = 0; i < n->n_parts; i++) {
    unsigned m;
    struct slice *some = private_variables(b, n, n->parts[i].body, &m);
    for (unsigned j = 0; j < m; j++)
      *GROW(o.own, o.n_own) = some[j];
  }
  if (!add_parameters(&o, params, args) || bound_to_place(&o) ||
      !outline_copies_do(&o, root))
    return false;
  outline_collect(&o, root);
  return add_locals(&o, params, args);
}
