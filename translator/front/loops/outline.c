// SPDX-License-Identifier: Apache-2.0
// outline.c: moves code that threads share into a function. Compilers put an OpenMP
// region into a function too, but pass it addresses of variables: `restrict` is lost on
// the way, and each store may change a bound or a pointer. Measured on a matrix product,
// 25 GFLOP/s a core become 10 (Clang 22) and 2 (gcc 12). Here the region calls a function
// that gets values of variables, with the kernel's own parameter list, so `restrict` is
// kept.
#include <string.h>

#include "front/lang/language.h"
#include "loops.h"

// A variable of the function around the code, or one of its parameters.
struct variable {
  TSNode declaration, declarator;
  size_t offset;
};
struct outline {
  struct builder *b;
  TSNode root;
  const struct nest *nest;     /* NULL: a loop as its author wrote it */
  unsigned at;                 /* its first AT loops are around the code */
  const struct region *region; /* NULL: code within a loop that threads share */
  struct variable *locals;
  unsigned n;
  struct slice *own; /* each call has its own, without a value at first */
  unsigned n_own;
  bool restricted; /* a parameter is `restrict` */
  bool unclear;    /* a name may be that of a variable that was not found */
  struct moved *moved;
};

// ---- variables ----------------------------------------------------------------------

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

static bool find_parameter(const struct outline *o, struct slice name,
                           struct variable *v) {
  TSNode list = node_field(declarator_of_function(o->b->f->node), "parameters");
  for (uint32_t i = 0; i < ts_node_named_child_count(list); i++) {
    v->declaration = ts_node_named_child(list, i);
    v->declarator = node_field(v->declaration, "declarator");
    v->offset = ts_node_start_byte(v->declarator);
    if (slices_same(source_slice(o->b->s, declarator_name(v->declarator)), name))
      return true;
  }
  return false;
}

static bool outline_find(const struct outline *o, struct slice name, struct variable *v) {
  return find_local(o, name, v) || find_parameter(o, name, v);
}

static bool outline_lists(const struct slice *names, unsigned n, struct slice name) {
  for (unsigned i = 0; i < n; i++)
    if (slices_same(names[i], name))
      return true;
  return false;
}

static bool outline_is_own(const struct outline *o, struct slice name) {
  return outline_lists(o->own, o->n_own, name);
}

static bool outline_is_sum(const struct outline *o, struct slice name) {
  return o->region && outline_lists(o->region->sums, o->region->n_sums, name);
}

// True if the calls need not see each other's changes of NAME.
static bool private_variable(const struct outline *o, struct slice name) {
  for (unsigned i = 0; o->nest && i < o->nest->n_dims; i++)
    if (slices_same(o->nest->dims[i]->var, name))
      return true;
  return outline_is_own(o, name) || outline_is_sum(o, name) ||
      (o->region && outline_lists(o->region->first, o->region->n_first, name));
}

// True if NAME is the variable of a loop around the code, which needs its value.
static bool outline_is_around(const struct outline *o, struct slice name) {
  for (unsigned i = 0; i < o->at; i++)
    if (slice_is(name, o->nest->loops[i].var))
      return true;
  return false;
}

static void outline_collect(struct outline *o, TSNode node);

// Notes the variable NAME, which the code mentions, and those that its declaration
// mentions. VALUE: it needs the value of NAME.
static void outline_note(struct outline *o, struct slice name, bool value) {
  struct variable v, parameter;
  unsigned i = 0;
  bool outside = find_parameter(o, name, &parameter);
  if (!find_local(o, name, &v)) {
    o->unclear |= !outside && !usage_declares(&o->b->u, o->root, name) &&
        usage_declares(&o->b->u, o->b->f->node, name);
    return;
  }
  o->unclear |= outside;
  while (i < o->n && o->locals[i].offset < v.offset)
    i++;
  if (i < o->n && o->locals[i].offset == v.offset)
    return;
  *GROW(o->locals, o->n) = v;
  memmove(&o->locals[i + 1], &o->locals[i], (o->n - 1 - i) * sizeof v);
  o->locals[i] = v;
  if (!value && node_is(v.declarator, "identifier") && !outline_is_sum(o, name))
    *GROW(o->own, o->n_own) = name;
  outline_collect(o, v.declarator);
}

static void outline_collect(struct outline *o, TSNode node) {
  struct slice name = source_slice(o->b->s, node);
  if (!focus_holds(&o->b->u, node))
    return;
  if (node_is(node, "identifier"))
    outline_note(o, name,
                 !node_within(node, o->root) || outline_is_around(o, name) ||
                     live_reads_first(&o->b->u, o->root, name));
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
    outline_collect(o, ts_node_named_child(node, i));
}

// Notes the variables of a clause, such as the n of schedule(static, n).
static void outline_collect_text(struct outline *o, struct slice text) {
  struct lexer l = lexer_of(text);
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l))
    if (t.kind == TOKEN_WORD)
      outline_note(o, t.text, true);
}

// ---- may the code move? -------------------------------------------------------------

static bool outline_is_array(TSNode declarator) {
  return node_is(declarator, "pointer_declarator") ||
      node_is(declarator, "array_declarator");
}

// True if the code can work on copies of the variables: it changes none of them as a
// whole or by a member, and uses no `sizeof` (which differs for a parameter) and no
// `asm`.
static bool outline_copies_do(const struct outline *o) {
  const struct usage *u = &o->b->u;
  for (unsigned i = 0; i < u->n_changes; i++) {
    const struct change *c = &u->changes[i];
    struct variable v;
    if (!node_within(c->node, o->root) || !focus_holds(u, c->node) ||
        c->how == BY_POINTER || private_variable(o, c->name) ||
        !outline_find(o, c->name, &v))
      continue;
    if (c->part != PART_ELEMENT || !outline_is_array(v.declarator))
      return false;
  }
  return !node_holds(o->root, "sizeof_expression") &&
      !node_holds(o->root, "asm_statement") && !node_holds(o->root, "gnu_asm_expression");
}

// True if a word of the code means something else in another function, or orders the
// threads. While a function has a `restrict` pointer, compilers may keep in registers
// what other threads write under the same lock.
static bool outline_binds(struct slice word) {
  static const char *const here[] = {
    "__func__",    "__FUNCTION__", "__PRETTY_FUNCTION__",
    "__VA_ARGS__", "alloca",       "__builtin_alloca",
    NULL
  };
  static const char lock[] = "lock";
  size_t n = sizeof lock - 1;
  return slice_in(word, here) ||
      (word.size > n && memcmp(word.data, "omp_", 4) == 0 &&
       memcmp(word.data + word.size - n, lock, n) == 0);
}

// True if the function declares types or macros before the code, or the code holds OpenMP
// directives that belong to the region around it, or stands in an #if.
static bool bound_to_place(const struct outline *o) {
  static const char *const types[] = { "typedef", "enum", "using", NULL };
  const char *text = o->b->s->text;
  size_t from = o->b->f->body_at, start = ts_node_start_byte(o->root),
         end = ts_node_end_byte(o->root);
  struct lexer l = { text + from, text + end, true };
  int depth = 0; // of #ifs before the code
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l)) {
    bool before = (size_t)(t.text.data - text) < start;
    if (t.kind == TOKEN_WORD &&
        (before ? slice_in(t.text, types) : outline_binds(t.text)))
      return true;
    if (!t.first || !slice_is(t.text, "#"))
      continue;
    struct slice word = lex(&l).text, who = lex(&l).text, what = lex(&l).text;
    enum line kind = line_kind(word);
    depth += !before ? 0 : kind == LINE_IF ? 1 : kind == LINE_ENDIF ? -1 : 0;
    if (kind == LINE_DEFINE || kind == LINE_UNDEF || kind == LINE_INCLUDE)
      return true;
    if (!before && kind == LINE_PRAGMA && slice_is(who, "omp") &&
        !slice_is(what, "simd") && !slice_is(what, "atomic"))
      return true;
    l.p = lex_line_end(t.text.data, l.end);
    l.first = true;
  }
  return depth != 0;
}

// True if the function defines a type before ROOT.
static bool outline_holds_types(TSNode node, TSNode root) {
  static const char *const kinds[] = { "struct_specifier", "union_specifier",
                                       "class_specifier", NULL };
  if (ts_node_start_byte(node) >= ts_node_start_byte(root))
    return false;
  if (node_is_any(node, kinds) && !ts_node_is_null(node_field(node, "body")))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
    if (outline_holds_types(ts_node_named_child(node, i), root))
      return true;
  return false;
}

// ---- the function's parameters ------------------------------------------------------

// Returns the definition of the struct NAME in the file; a null node: there is none.
static TSNode outline_struct(const struct source *s, TSNode node, struct slice name) {
  TSNode found = { 0 }, own = node_field(node, "name"); // null: it has no name
  if (node_is(node, "struct_specifier") && !ts_node_is_null(node_field(node, "body")) &&
      !ts_node_is_null(own) && slices_same(source_slice(s, own), name))
    return node_field(node, "body");
  for (uint32_t i = 0; i < ts_node_named_child_count(node) && ts_node_is_null(found); i++)
    if (!node_is(node, "function_definition"))
      found = outline_struct(s, ts_node_named_child(node, i), name);
  return found;
}

// True if a variable of TYPE can be passed by value: in C++ a class may be anything.
static bool outline_is_plain(const struct outline *o, TSNode type) {
  const struct source *s = o->b->s;
  struct slice name = source_slice(s, type);
  if (!s->language->cplusplus || node_is(type, "primitive_type") ||
      node_is(type, "sized_type_specifier") ||
      (word_of_cplusplus(name) & (WORD_INTEGER | WORD_REAL)))
    return true;
  TSNode body = outline_struct(s, ts_tree_root_node(s->tree), name);
  bool plain = !ts_node_is_null(body) &&
      ts_node_is_null(node_child(ts_node_parent(body), "base_class_clause"));
  for (uint32_t i = 0; plain && i < ts_node_named_child_count(body); i++) {
    TSNode member = ts_node_named_child(body, i);
    plain = node_is(member, "field_declaration") &&
        !node_holds(member, "function_declarator") &&
        (node_is(node_field(member, "type"), "primitive_type") ||
         node_is(node_field(member, "type"), "sized_type_specifier"));
  }
  return plain;
}

static void outline_add(struct moved *m, const char *declaration, const char *argument) {
  text_printf(&m->params, "%s%s", m->params.size ? ", " : "", declaration);
  text_printf(&m->args, "%s%s", m->args.size ? ", " : "", argument);
}

// Makes V a parameter of the function or, if each call has its own, a variable in it.
// False: neither can be done.
static bool outline_add_variable(const struct outline *o, const struct variable *v) {
  const struct source *s = o->b->s;
  struct moved *m = o->moved;
  const char *name =
      arena_printf("%.*s", (int)source_slice(s, declarator_name(v->declarator)).size,
                   source_slice(s, declarator_name(v->declarator)).data);
  TSNode first = node_field(v->declaration, "declarator");
  size_t start = ts_node_start_byte(v->declaration);
  struct slice before = { s->text + start, ts_node_start_byte(first) - start },
               d = source_slice(s, v->declarator);
  const char *type = arena_copy(before.data, before.size);
  bool reference = node_is(v->declarator, "reference_declarator"),
       value = outline_is_array(v->declarator) || reference ||
      outline_is_plain(o, node_field(v->declaration, "type"));
  if (outline_is_own(o, slice_of(name))) {
    text_printf(&m->begin, "%s %.*s;\n", type, (int)d.size, d.data);
    return !reference;
  }
  if (outline_is_sum(o, slice_of(name))) {
    outline_add(m, arena_printf("%s *autotune_sum_%s", type, name),
                arena_printf("&%s", name));
    text_printf(&m->begin, "%s %s = *autotune_sum_%s;\n", type, name, name);
    text_printf(&m->end, "*autotune_sum_%s = %s;\n", name, name);
    return node_is(v->declarator, "identifier");
  }
  bool first_private = o->region &&
      outline_lists(o->region->first, o->region->n_first, slice_of(name));
  if (first_private && (reference || node_is(v->declarator, "array_declarator")) &&
      node_is(v->declaration, "declaration"))
    return false; // threads would share what the clause copies
  outline_add(m, arena_printf("%s %s%.*s", type, value ? "" : "&", (int)d.size, d.data),
              name);
  return value || !first_private;
}

static bool add_locals(const struct outline *o) {
  static const char *const storage[] = { "static",       "extern",        "register",
                                         "auto",         "__auto_type",   "_Thread_local",
                                         "thread_local", "__thread",      "constexpr",
                                         "_Alignas",     "__attribute__", "alignas" };
  for (unsigned i = 0; i < o->n; i++) {
    const struct variable *v = &o->locals[i];
    size_t start = ts_node_start_byte(v->declaration);
    TSNode first = node_field(v->declaration, "declarator");
    struct slice before = { o->b->s->text + start, ts_node_start_byte(first) - start };
    for (size_t j = 0; j < sizeof storage / sizeof *storage; j++)
      if (lex_mentions(before, slice_of(storage[j])))
        return false;
    if (memchr(before.data, '{', before.size) || !outline_add_variable(o, v))
      return false;
  }
  return true;
}

static bool add_parameters(struct outline *o) {
  static const char *const kinds[] = { "parameter_declaration",
                                       "optional_parameter_declaration", NULL };
  TSNode list = node_field(declarator_of_function(o->b->f->node), "parameters");
  for (uint32_t i = 0; i < ts_node_named_child_count(list); i++) {
    struct variable v = { .declaration = ts_node_named_child(list, i) };
    struct slice text = source_slice(o->b->s, v.declaration);
    v.declarator = node_field(v.declaration, "declarator");
    if (!node_is_any(v.declaration, kinds) ||
        ts_node_is_null(declarator_name(v.declarator)))
      continue;
    if (node_is(v.declarator, "function_declarator") &&
        node_is(node_field(v.declarator, "declarator"), "identifier"))
      return false; // a macro makes the parameter: ARRAY_2D(data, N, M)
    o->restricted = o->restricted || lex_mentions(text, slice_of("restrict")) ||
        lex_mentions(text, slice_of("__restrict")) ||
        lex_mentions(text, slice_of("__restrict__"));
    if (!outline_add_variable(o, &v))
      return false;
  }
  return true;
}

// ---- the whole ----------------------------------------------------------------------

static void outline_add_own(struct outline *o, const struct slice *names, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    *GROW(o->own, o->n_own) = names[i];
}

// Adds the variables of the nest's own loops, but for those around the code, and of loops
// in its body.
static void outline_add_counters(struct outline *o) {
  const struct nest *n = o->nest;
  for (unsigned i = 0; i < n->n_dims; i++) {
    bool around = false;
    for (unsigned j = 0; j < o->at; j++)
      around = around || n->loops[j].dim == n->dims[i];
    if (!around)
      outline_add_own(o, &n->dims[i]->var, 1);
  }
  for (unsigned i = 0; i < n->n_parts; i++) {
    unsigned m;
    struct slice *some = live_counters(&o->b->u, o->root, n->parts[i].body, &m);
    outline_add_own(o, some, m);
  }
}

// True if a clause of R gives each thread a variable of the file: the code that moves
// would not mention that, but the variable itself.
static bool outline_has_own_globals(struct outline *o, const struct region *r) {
  const struct {
    const struct slice *list;
    unsigned n;
  } lists[] = { { r->own, r->n_own }, { r->first, r->n_first }, { r->sums, r->n_sums } };
  struct variable v;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    for (unsigned j = 0; j < lists[i].n; j++) {
      struct lexer l = lexer_of(lists[i].list[j]);
      struct slice name = lex(&l).text;
      if (!outline_find(o, name, &v))
        return true;
    }
  return false;
}

bool outline(struct builder *b, TSNode root, const struct nest *n, unsigned at,
             const struct region *r, struct moved *m) {
  struct outline o = {
    .b = b, .root = root, .nest = n, .at = at, .region = r, .moved = m
  };
  if (n)
    outline_add_counters(&o);
  if (r)
    outline_add_own(&o, r->own, r->n_own);
  if ((r && outline_has_own_globals(&o, r)) || bound_to_place(&o) ||
      outline_holds_types(b->f->node, root) || !outline_copies_do(&o))
    return false;
  if (r)
    outline_collect_text(&o, slice_of(r->share));
  outline_collect(&o, root);
  return !o.unclear && add_parameters(&o) && add_locals(&o) && (r || o.restricted);
}

const char *outline_name(struct builder *b) {
  unsigned number = b->n_functions++;
  return b->fixed ? arena_printf("%s_part%u", b->fixed, number)
                  : arena_printf("autotune_part%u_%s", number, b->f->name);
}
