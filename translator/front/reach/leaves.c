// SPDX-License-Identifier: Apache-2.0
// leaves.c: the numbers in an element of a section, field by field and through arrays.
// The declarations in sight give the names; the compiler of the build computes offsets
// and sizes. Padding belongs to no leaf. Unions, and what is not in sight, are bytes.
#include <string.h>

#include "autotune_abi.h"
#include "front/kernel/kernel.h"
#include "unit.h"

enum { MAX_NESTED = 32 };

// The part of a type that is being described.
struct part {
  const char *path, *place, *what; // as in struct leaf; those of what holds it if UNNAMED
  const char **arrays;             // those around it, the outermost first
  unsigned n_arrays;
  unsigned depth;
  bool unnamed; // it has no name of its own
  bool bytes;   // it is part of a union without a name
};
struct leaves_writer {
  const struct expansion *x;
  struct leaves *out;
  bool too_many;
};

static void leaves_type(struct leaves_writer *w, struct ctype t, struct part p);

// Adds P as a leaf. OVER, unless it is NULL, consists of numbers like P.
static void leaves_add(struct leaves_writer *w, const struct part *p, const char *element,
                       const char *over) {
  struct leaves *v = w->out;
  w->too_many |= v->n == MAX_LEAVES;
  if (w->too_many)
    return;
  struct leaf leaf = { .path = p->path,
                       .place = p->place,
                       .what = p->what,
                       .element = element,
                       .repeat = v->n_repeats,
                       .n_repeats = p->n_arrays + (over != NULL) };
  for (unsigned i = 0; i < p->n_arrays; i++)
    *GROW(v->repeats, v->n_repeats) = (struct leaf_repeat){ p->arrays[i], NULL };
  if (over)
    *GROW(v->repeats, v->n_repeats) = (struct leaf_repeat){ p->what, over };
  *GROW(v->list, v->n) = leaf;
}

static void leaves_bits(struct leaves_writer *w, const struct part *p,
                        struct slice name) {
  struct part own = *p;
  own.place = p->what;
  own.path = arena_printf("%s.%.*s", p->path, (int)name.size, name.data);
  leaves_add(w, &own, "AUTOTUNE_BYTES", NULL);
  if (!w->too_many)
    w->out->list[w->out->n - 1].field = arena_copy(name.data, name.size);
}

static void leaves_member(struct leaves_writer *w, const struct ctype *of,
                          const struct member *m, const struct part *p) {
  struct part own = *p;
  int size = (int)m->name.size;
  if (m->flexible) // it is no part of the element
    return;
  if (m->name.size)
    *GROW(w->out->words, w->out->n_words) = m->name;
  if (m->bits) {
    leaves_bits(w, p, m->name);
    return;
  }
  own.bytes |= of->base == BASE_UNION;
  own.depth++;
  own.unnamed = m->name.size == 0;
  if (m->name.size) {
    own.path = arena_printf("%s.%.*s", p->path, size, m->name.data);
    own.what = own.place = arena_printf("%s.%.*s", p->what, size, m->name.data);
  }
  leaves_type(w, m->type, own);
}

static void leaves_members(struct leaves_writer *w, const struct ctype *t,
                           const struct part *p) {
  unsigned n;
  struct member *list = type_members(w->x, t, &n);
  for (unsigned i = 0; i < n && !w->too_many; i++)
    leaves_member(w, t, &list[i], p);
}

// Returns P's element, where P is an array.
static struct part leaves_element(const struct part *p) {
  struct part own = *p;
  own.arrays = NULL;
  own.n_arrays = 0;
  for (unsigned i = 0; i < p->n_arrays; i++)
    *GROW(own.arrays, own.n_arrays) = p->arrays[i];
  *GROW(own.arrays, own.n_arrays) = p->what;
  own.path = arena_printf("%s[]", p->path);
  own.what = arena_printf("%s[0]", p->what);
  return own;
}

static void leaves_unseen(struct leaves_writer *w, const struct ctype *t,
                          const struct part *p) {
  struct slice name = slice_trim(t->name);
  if (*p->path || t->tag.size) // else it may be a number
    w->out->unseen = arena_copy(name.data, name.size);
  leaves_add(w, p, *p->path ? "AUTOTUNE_BYTES" : NULL, NULL);
}

// True if T consists of nothing but numbers of one type, `float` or `double`, which *KIND
// becomes; NUMBER becomes the first of them.
static bool leaves_uniform(struct leaves_writer *w, struct ctype t, const char **number,
                           struct slice *kind, unsigned depth) {
  const char *first = NULL;
  unsigned n;
  for (; t.n > 0 && (t.derived[0] == DERIVED_ARRAY || t.derived[0] == DERIVED_VECTOR);
       type_subscript(&t))
    *number = arena_printf("%s[0]", *number);
  if (t.n > 0 || depth > MAX_NESTED)
    return false;
  if (t.base == BASE_NUMBER) {
    *kind = kind->size ? *kind : t.real;
    return kind->size && slices_same(*kind, t.real);
  }
  if (t.base != BASE_STRUCT && t.base != BASE_UNION)
    return false;
  struct member *list = type_members(w->x, &t, &n);
  for (unsigned i = 0; i < n; i++) {
    const struct member *m = &list[i];
    const char *own = *number;
    if (m->name.size)
      own = arena_printf("%s.%.*s", own, (int)m->name.size, m->name.data);
    if (m->bits || m->flexible || !leaves_uniform(w, m->type, &own, kind, depth + 1))
      return false;
    first = first ? first : own;
  }
  *number = first;
  return n > 0;
}

static void leaves_words(struct leaves_writer *w, const struct ctype *t, unsigned depth) {
  unsigned n;
  struct member *list = type_members(w->x, t, &n);
  for (unsigned i = 0; i < n && depth < MAX_NESTED; i++) {
    if (list[i].name.size)
      *GROW(w->out->words, w->out->n_words) = list[i].name;
    leaves_words(w, &list[i].type, depth + 1);
  }
}

static void leaves_union(struct leaves_writer *w, const struct ctype *t,
                         const struct part *p) {
  struct part own = *p;
  struct slice kind = { 0 };
  if (!leaves_uniform(w, *t, &own.what, &kind, 0)) {
    leaves_add(w, p, "AUTOTUNE_BYTES", NULL);
    return;
  }
  own.path = arena_printf("%s[]", p->path);
  leaves_words(w, t, 0);
  leaves_add(w, &own, NULL, p->what);
}

// Adds the leaves of P, whose type is T.
static void leaves_type(struct leaves_writer *w, struct ctype t, struct part p) {
  bool deep = t.n > 0 && p.n_arrays + 1 == AUTOTUNE_MOST_REPEATS;
  if (!p.unnamed && (p.bytes || deep))
    leaves_add(w, &p, "AUTOTUNE_BYTES", NULL);
  else if (t.n == 0 && t.base == BASE_UNION && !p.unnamed)
    leaves_union(w, &t, &p);
  else if (t.n > 0 && t.derived[0] == DERIVED_POINTER)
    leaves_add(w, &p, "AUTOTUNE_POINTER", NULL);
  else if (t.n > 0 && type_subscript(&t))
    leaves_type(w, t, leaves_element(&p));
  else if (t.n == 0 && t.base == BASE_COMPUTED)
    leaves_add(w, &p, NULL, p.what);
  else if (t.n > 0 || t.base == BASE_UNKNOWN || p.depth > MAX_NESTED)
    leaves_unseen(w, &t, &p);
  else if (t.base == BASE_NUMBER)
    leaves_add(w, &p, t.element, t.complex ? p.what : NULL);
  else
    leaves_members(w, &t, &p);
}

// Returns the leaves of T, which is called TYPE in generated text.
static const struct leaves *leaves_of(const struct expansion *x, struct ctype t,
                                      const char *name, const char *type) {
  struct leaves *v = arena_alloc(sizeof *v);
  *v = (struct leaves){ .name = name, .type = type };
  struct leaves_writer w = { .x = x, .out = v };
  struct slice spelled = slice_trim(t.name);
  leaves_type(&w, t, (struct part){ .path = "", .place = "e", .what = "e" });
  bool one = v->n == 1 && !*v->list[0].path && (!v->n_repeats || t.base == BASE_COMPUTED);
  if (w.too_many)
    v->many = arena_copy(spelled.data, spelled.size);
  else if (one)
    v->element = v->list[0].element;
  v->described = !w.too_many && !one && v->n > 0;
  return v;
}

// Sets C's leaves, and whether pointers lead to its rows.
static void leaves_of_section(const struct expansion *x, const struct kernel *k,
                              struct section *c, unsigned index) {
  struct ctype t;
  bool good = true;
  if (c->returned)
    t = type_of_name(x, k->result);
  else
    good = type_of_expression(x, k, c->base, &t);
  c->rows = c->returned;
  for (unsigned i = 0, n = section_subscripts(k, c); i < n && good; i++) {
    c->rows |= i > 0 && i < c->n_dims && t.n > 0 && t.derived[0] == DERIVED_POINTER;
    good = type_subscript(&t);
  }
  c->rows |= !good && c->n_dims > 1; // the compiler of the build knows
  const char *name = arena_printf("%s_%u", k->main.name, index);
  c->leaves = good ? leaves_of(x, t, name, arena_printf("autotune_first_%s", name))
                   : NULL;
}

void leaves_find(const struct expansion *x, struct kernel *k) {
  for (unsigned i = 0; i < k->n_sections; i++)
    leaves_of_section(x, k, &k->sections[i], i);
  if (k->returns)
    k->result_leaves = leaves_of(x, type_of_name(x, k->result),
                                 arena_printf("%s_result", k->main.name),
                                 arena_printf("autotune_result_%s", k->main.name));
}
