// SPDX-License-Identifier: Apache-2.0
// outline.c: moves the code that threads share into a function. Compilers put an
// OpenMP region into a function too, but pass it addresses of variables, and `restrict`
// is lost on the way: measured on a matrix product, 25 GFLOP/s a core become 10 (Clang
// 22) and 2 (gcc 12). Here the region calls a function that has the kernel's own
// parameter list, so `restrict` is kept.
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

// Returns the declarator of NAME in DECLARATION; a null node: it declares other names.
static TSNode outline_declarator_of(const struct builder *b, TSNode declaration,
                                    struct slice name) {
  TSNode none = { 0 };
  for (uint32_t i = 0; i < ts_node_named_child_count(declaration); i++) {
    TSNode d = ts_node_named_child(declaration, i), id;
    if (node_is(d, "init_declarator"))
      d = node_field(d, "declarator");
    if (ts_node_eq(d, node_field(declaration, "type")))
      continue;
    id = declarator_name(d);
    if (!ts_node_is_null(id) && slices_same(source_slice(b->s, id), name))
      return d;
  }
  return none;
}

// Finds the declaration of NAME that is visible at ROOT, among the statements before it
// and the loops around it.
static bool find_local(const struct outline *o, struct slice name, struct variable *v) {
  for (TSNode n = o->root; !ts_node_eq(n, o->b->f->node); n = ts_node_parent(n)) {
    TSNode parent = ts_node_parent(n);
    if (node_is(parent, "for_statement"))
      v->declaration = node_field(parent, "initializer");
    else
      v->declaration = ts_node_prev_named_sibling(n);
    for (; !ts_node_is_null(v->declaration);
         v->declaration = ts_node_prev_named_sibling(v->declaration)) {
      if (!node_is(v->declaration, "declaration"))
        continue;
      v->declarator = outline_declarator_of(o->b, v->declaration, name);
      v->offset = ts_node_start_byte(v->declarator);
      if (!ts_node_is_null(v->declarator))
        return true;
    }
  }
  return false;
}

static bool is_parameter(const struct outline *o, struct slice name) {
  TSNode list = node_field(declarator_of_function(o->b->f->node), "parameters");
  for (uint32_t i = 0; i < ts_node_named_child_count(list); i++)
    if (slices_same(source_slice(o->b->s, declarator_name(ts_node_named_child(list, i))),
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

// Collects the locals that NODE mentions, and those that their declarations mention.
static void outline_collect(struct outline *o, TSNode node) {
  if (node_is(node, "identifier")) {
    struct variable v;
    if (!find_local(o, source_slice(o->b->s, node), &v))
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

// True if the nest can work on copies of the variables: it changes none of them as a
// whole or by a member, and uses no `sizeof` (which differs for a parameter) and no
// `asm`.
static bool outline_copies_do(const struct outline *o) {
  const struct usage *u = &o->b->u;
  for (unsigned i = 0; i < u->n_changes; i++) {
    const struct change *c = &u->changes[i];
    struct variable v;
    if (node_within(c->node, o->root) && c->part != PART_ELEMENT &&
        c->how != BY_POINTER && !private_variable(o, c->name) &&
        (is_parameter(o, c->name) || find_local(o, c->name, &v)))
      return false;
  }
  return !node_holds(o->root, "sizeof_expression") &&
      !node_holds(o->root, "asm_statement");
}

// True if the function declares types or macros before the nest, or the nest holds OpenMP
// directives that belong to the region around it.
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
      if (lex_mentions(before, slice_of(storage[j])) &&
          (j < 5 || j == 7 || memchr(before.data, '{', before.size)))
        return false;
    struct slice d = source_slice(o->b->s, v->declarator);
    outline_add(
        params, args,
        arena_printf("%.*s %.*s", (int)before.size, before.data, (int)d.size, d.data),
        source_slice(o->b->s, declarator_name(v->declarator)));
  }
  return true;
}

static bool add_parameters(struct outline *o, struct text *params, struct text *args) {
  TSNode list = node_field(declarator_of_function(o->b->f->node), "parameters");
  bool restricted = false;
  for (uint32_t i = 0; i < ts_node_named_child_count(list); i++) {
    TSNode p = ts_node_named_child(list, i), name = declarator_name(p);
    struct slice text = source_slice(o->b->s, p);
    if (!node_is(p, "parameter_declaration") || ts_node_is_null(name))
      continue;
    restricted = restricted || lex_mentions(text, slice_of("restrict")) ||
        lex_mentions(text, slice_of("__restrict")) ||
        lex_mentions(text, slice_of("__restrict__"));
    outline_add(params, args, arena_copy(text.data, text.size),
                source_slice(o->b->s, name));
  }
  return restricted;
}

bool outline(struct builder *b, TSNode root, const struct nest *n, struct text *params,
             struct text *args) {
  struct outline o = { .b = b, .root = root, .nest = n };
  for (unsigned i = 0; i < n->n_parts; i++) {
    unsigned m;
    struct slice *some = live_counters(&b->u, root, n->parts[i].body, &m);
    for (unsigned j = 0; j < m; j++)
      *GROW(o.own, o.n_own) = some[j];
  }
  if (!add_parameters(&o, params, args) || bound_to_place(&o) || !outline_copies_do(&o))
    return false;
  outline_collect(&o, root);
  return add_locals(&o, params, args);
}
