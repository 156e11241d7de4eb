// SPDX-License-Identifier: Apache-2.0
// vary.c: decides whether compilers and flags alone may make a loop faster that no
// directive can stand on, and whether it may be run again and again for that.
#include <string.h>

#include "front/lang/language.h"
#include "front/reach/unit.h"
#include "suggest.h"

enum { MAX_DEPTH = 8 };

// The code that a kernel runs: its own, and functions that it calls.
struct vary {
  const struct model *m;
  bool real;        // it has floating-point numbers
  bool guarded;     // it has what compilers do more slowly for errno or traps
  bool loop;        // it has a loop
  bool computes;    // a loop does more than copy and fill: compilers call memcpy for that
  bool thread;      // it asks which thread runs it, or how many there are
  unsigned inside;  // > 0 in the body of a loop
  unsigned address; // > 0 in what leads to an element
};

static bool vary_walk(struct vary *v, const struct source *s, TSNode n, unsigned depth);

// Functions that change nothing but memory which is handed to them, or end the program:
// an assertion does not fail.
static bool vary_is_clean(struct slice name) {
  static const char *const names[] = {
    "memcpy",        "memmove", "memset", "omp_get_thread_num", "omp_get_num_threads",
    "__assert_fail", "abort",   NULL
  };
  return slice_in(name, names) || model_is_pure(name);
}

// Reads the function NAME as the compiler sees it. False: it is not in sight, or it does
// what cannot be done twice.
static bool vary_callee(struct vary *v, struct slice name, unsigned depth) {
  const struct name *n = NULL;
  const struct item *i;
  if (depth > MAX_DEPTH || !v->m->x)
    return false;
  while ((i = items_named(&v->m->x->items, NAME_ORDINARY, name, &n)) != NULL)
    if (i->body)
      break;
  if (!i)
    return false;
  struct source *s = source_of(v->m->source->path, i->text.data, i->text.size);
  source_parse(s, v->m->source->language);
  if (depth && openmp_within(s, 0, s->size) & ~(unsigned)OPENMP_SIMD)
    return false; // the parallel loop of a function that it calls: that is the kernel
  return vary_walk(v, s, ts_tree_root_node(s->tree), depth);
}

static bool vary_call(struct vary *v, const struct source *s, TSNode call,
                      unsigned depth) {
  TSNode f = node_field(call, "function"), first;
  struct slice name = source_slice(s, f), std = name;
  struct lexer l = lexer_of(name);
  if (node_is(f, "primitive_type"))
    return true; // a cast of C++
  if (!slices_same(std = word_after_std(&l, lex(&l).text), name))
    return l.p == l.end && model_is_pure(std);
  v->thread = v->thread || (name.size > 4 && memcmp(name.data, "omp_", 4) == 0);
  bool named = node_is(f, "identifier") &&
      usage_declarators(&v->m->u, v->m->u.f->node, name, &first) == 0;
  return named && (vary_is_clean(name) || vary_callee(v, name, depth + 1));
}

// True if N, an expression, computes a number.
static bool vary_is_computed(const struct source *s, TSNode n) {
  static const char *const operators[] = { "+", "-", "*", "/", "%", NULL };
  struct slice op = source_slice(s, n);
  if (node_is(n, "call_expression"))
    return model_is_pure(source_slice(s, node_field(n, "function")));
  if (!node_is(n, "binary_expression") && !node_is(n, "unary_expression") &&
      !node_is(n, "assignment_expression"))
    return false;
  op = source_slice(s, node_field(n, "operator"));
  return node_is(n, "assignment_expression") ? !slice_is(op, "=")
                                             : slice_in(op, operators);
}

// True if N is a part of UP that only leads to an element, or is given to a function.
static bool vary_is_address(const struct source *s, TSNode up, TSNode n) {
  return node_is(up, "pointer_expression") ||
      (node_is(up, "subscript_expression") &&
       !ts_node_eq(n, node_field(up, "argument"))) ||
      (node_is(n, "argument_list") && node_is(up, "call_expression") &&
       !model_is_pure(source_slice(s, node_field(up, "function"))));
}

// Walks over the parts of N. Returns as vary_walk.
static bool vary_parts(struct vary *v, const struct source *s, TSNode n, unsigned depth) {
  TSNode body = node_is_loop(n) ? node_field(n, "body") : (TSNode){ 0 };
  bool fine = true;
  for (uint32_t i = 0; fine && i < ts_node_named_child_count(n); i++) {
    TSNode child = ts_node_named_child(n, i);
    bool inside = !ts_node_is_null(body) && ts_node_eq(child, body);
    bool address = vary_is_address(s, n, child);
    v->inside += inside;
    v->address += address;
    fine = vary_walk(v, s, child, depth);
    v->inside -= inside;
    v->address -= address;
  }
  return fine;
}

// True if N may set errno or trap: a mathematical function, a conversion to integers, or
// a choice between numbers, both of which a vector computes.
static bool vary_is_guarded(const struct source *s, TSNode n) {
  return node_is(n, "if_statement") || node_is(n, "conditional_expression") ||
      (node_is(n, "cast_expression") &&
       is_integer_word(source_slice(s, node_field(n, "type")))) ||
      (node_is(n, "call_expression") && vary_is_computed(s, n));
}

// True if T is a floating-point type, or has members of one.
static bool vary_type_is_real(const struct vary *v, const struct ctype *t,
                              unsigned depth) {
  if (t->real.size || t->element)
    return true;
  if ((t->base != BASE_STRUCT && t->base != BASE_UNION) || depth == MAX_DEPTH)
    return false;
  unsigned n = 0;
  const struct member *members = type_members(v->m->x, t, &n);
  for (unsigned i = 0; i < n; i++)
    if (vary_type_is_real(v, &members[i].type, depth + 1))
      return true;
  return false;
}

static bool vary_name_is_real(const struct vary *v, struct slice type) {
  struct ctype t = type_of_name(v->m->x, type);
  return vary_type_is_real(v, &t, 0);
}

// True if N, of S, is a floating-point number, a type of one, or the name of a variable
// of the file that has one.
static bool vary_is_real(const struct vary *v, const struct source *s, TSNode n) {
  struct slice text = source_slice(s, n);
  const struct name *name = NULL;
  const struct item *i;
  if (!v->m->x)
    return false;
  if (node_is(n, "primitive_type") || node_is(n, "type_identifier") ||
      node_is(n, "struct_specifier") || node_is(n, "union_specifier"))
    return vary_name_is_real(v, text);
  if (node_is(n, "number_literal"))
    return memchr(text.data, '.', text.size) != NULL;
  while (node_is(n, "identifier") &&
         (i = items_named(&v->m->x->items, NAME_ORDINARY, text, &name)) != NULL)
    if (!i->body && !i->is_typedef && vary_name_is_real(v, i->specifiers))
      return true;
  return false;
}

// True if N, of S, only computes. Notes what V asks for.
static bool vary_walk(struct vary *v, const struct source *s, TSNode n, unsigned depth) {
  v->real = v->real || vary_is_real(v, s, n);
  v->loop = v->loop || node_is_loop(n);
  v->guarded = v->guarded || vary_is_guarded(s, n);
  v->computes = v->computes || (v->inside && !v->address && vary_is_computed(s, n));
  if (node_is(n, "declaration") && usage_keeps(s, n) &&
      lex_mentions(source_slice(s, n), slice_of("static")))
    return false; // each variant would have one of its own
  if (strncmp(ts_node_type(n), "gnu_asm", 7) == 0 || node_is(n, "ERROR"))
    return false;
  if (node_is(n, "type_qualifier") && slice_is(source_slice(s, n), "volatile"))
    return false;
  if (node_is(n, "call_expression") && !vary_call(v, s, n, depth))
    return false;
  return vary_parts(v, s, n, depth);
}

// True if V's function only computes. Where its macros are not followed, it is read as
// the compiler sees it.
static bool vary_function(struct vary *v) {
  TSNode node = v->m->u.f->node;
  if (!v->m->x || ts_node_has_error(node))
    return false;
  return v->m->view ? vary_walk(v, v->m->u.s, node, 0)
                    : vary_callee(v, slice_of(v->m->function->name), 0);
}

bool vary_any_thread(const struct model *m) {
  struct vary v = { .m = m };
  return vary_function(&v) && !v.thread;
}

// True if N is a `for` that sets NAME before anything in it reads NAME.
static bool vary_sets(const struct source *s, TSNode n, struct slice name) {
  TSNode set = node_is(n, "for_statement") ? node_field(n, "initializer") : (TSNode){ 0 };
  return node_is(set, "assignment_expression") &&
      slice_is(source_slice(s, node_field(set, "operator")), "=") &&
      slices_same(source_slice(s, node_field(set, "left")), name) &&
      !lex_mentions(source_slice(s, node_field(set, "right")), name);
}

// True if NAME is in a subscript of N, and no `for` sets it before. INSIDE: N is one.
static bool vary_indexes(const struct source *s, TSNode n, struct slice name,
                         bool inside) {
  if (inside && node_is(n, "identifier") && slices_same(source_slice(s, n), name))
    return true;
  if (vary_sets(s, n, name))
    return false;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++) {
    TSNode child = ts_node_named_child(n, i);
    bool index = node_is(n, "subscript_expression") &&
        !ts_node_eq(child, node_field(n, "argument"));
    if (vary_indexes(s, child, name, inside || index))
      return true;
  }
  return false;
}

// True if M's function, a statement, counts up a variable that the function around it
// reads later, and takes it as a subscript: each further run would begin where the last
// one ended, until it leaves the array.
static bool vary_moves(const struct model *m) {
  static const char copy[] = "autotune_to_";
  for (unsigned i = 0; i < m->k->n_args; i++) {
    const char *name = m->k->args[i].name;
    if (strncmp(name, copy, strlen(copy)) == 0 &&
        vary_indexes(m->u.s, m->u.f->node, slice_of(name + strlen(copy)), false))
      return true;
  }
  return false;
}

// True if iterations of an innermost loop of M wait for earlier ones: it adds to a
// variable or an element, or uses what the last iteration wrote.
static bool vary_is_recurrent(struct model *m) {
  for (unsigned i = 0; i < m->n_iters; i++) {
    struct iter *l = m->iters[i];
    if (node_holds_loop(node_field(l->node, "body")))
      continue;
    struct vectors v = depend(m, &l, 1);
    if (!v.why && v.n > 0)
      return true;
    for (unsigned j = 0; j < m->n_scalars; j++)
      if (m->scalars[j].op != '=' && node_within(m->scalars[j].node, l->node))
        return true;
  }
  return false;
}

bool vary_may(struct model *m, bool openmp, struct numbers *numbers) {
  struct vary v = { .m = m };
  bool clean = (m->view || openmp) && !vary_moves(m) && vary_function(&v);
  *numbers = (struct numbers){ .real = v.real,
                               .guarded = v.guarded,
                               .recurrent = v.real && vary_is_recurrent(m) };
  return clean && (openmp ? v.loop && (v.real || v.computes) : v.real && v.computes);
}
