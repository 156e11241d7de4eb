// SPDX-License-Identifier: Apache-2.0
// section.c: the range of elements that a function touches, from subscripts and the
// ranges of loops. An array reaches from its first element to the last one that is
// touched for certain: all between the two is one object, since the address of one is
// computed from the other's (C11, 6.5.6). Elements that are touched only under a
// condition must lie within that range.
#include <string.h>

#include "analysis.h"
#include "autotune_abi.h"
#include "front/kernel/kernel.h"
#include "front/lang/language.h"

// ---- the ends of one access ---------------------------------------------------------

// Returns the number of iterations of INNER less one, as far as it depends on LOOP:
// *FACTOR * LOOP's iteration + the result.
static struct poly section_left(const struct iter *inner, const struct iter *loop,
                                struct poly *factor) {
  struct poly rest, all = poly_replace(inner->left, inner->atom, inner->from);
  *factor = poly_coefficient(all, loop->atom, &rest);
  return rest;
}

// True if the loops from INNER up to LOOP may run longer in LOOP's last iteration than in
// its first one.
static bool section_lengthens(const struct iter *inner, const struct iter *loop,
                              const struct system *facts) {
  for (; inner != loop; inner = inner->outer) {
    struct poly factor;
    section_left(inner, loop, &factor);
    if (factor.known && factor.n && system_implies(facts, factor))
      return true;
  }
  return false;
}

// Returns the iteration of LOOP next to END, its first or its last one, in which the
// loops from INNER up to it run at all: `j` in `for (j = i + 1; j < n; j++)` does not for
// the last i.
static struct poly section_end(const struct iter *inner, const struct iter *loop,
                               struct poly end) {
  for (; inner != loop; inner = inner->outer) {
    struct poly factor, rest = section_left(inner, loop, &factor);
    int64_t by, left;
    if (!poly_is_int(factor, &by) || (by != 1 && by != -1) ||
        !poly_is_int(poly_add(rest, poly_mul(factor, end), 1), &left) || left >= 0)
      continue;
    end = poly_add(poly_int(0), rest, -by);
  }
  return end;
}

// Returns the largest (UP) or smallest value of P. CHOSEN, by atom, is the value of each
// loop at that point.
static struct poly section_extreme(const struct iter *loop, const struct system *facts,
                                   struct poly p, bool up, struct poly *chosen) {
  for (const struct iter *l = loop; l; l = l->outer) {
    struct poly rest, c = poly_coefficient(p, l->atom, &rest);
    if (!c.known)
      return poly_unknown;
    bool none = c.n == 0, rises = none || system_implies(facts, c);
    if (!rises && !system_implies(facts, poly_add(poly_int(0), c, -1)))
      return poly_unknown;
    bool last = none ? section_lengthens(loop, l, facts) : rises == up;
    chosen[l->atom] = section_end(loop, l, last ? l->to : l->from);
    p = none ? p : poly_replace(p, l->atom, chosen[l->atom]);
  }
  return p;
}

// Adds the guard G >= 0, about LOOP and those around it, to R and to ALL. NONE: what is
// known without it.
static void add_guard(struct ends *r, struct poly g, const struct iter *loop,
                      const struct poly *chosen, const struct system *none,
                      struct system *all) {
  for (const struct iter *o = loop->outer; o; o = o->outer)
    g = poly_replace(g, o->atom, chosen[o->atom]);
  system_add(all, g, false);
  r->certain = r->certain && g.known && system_feasible(all);
  bool known = system_implies(none, g);
  for (unsigned i = 0; i < r->n_guards; i++)
    known = known || poly_same(g, r->guards[i]);
  if (!known)
    *GROW(r->guards, r->n_guards) = g;
}

// Adds the guards: the loops reach the iterations in CHOSEN.
static void find_guards(const struct model *m, struct ends *r,
                        const struct poly *chosen) {
  struct system none = { 0 }, all = { 0 };
  model_facts(m, NULL, &none);
  r->certain = r->certain && system_feasible(&r->facts);
  for (const struct iter *l = r->x->loop; l; l = l->outer) {
    struct poly at = chosen[l->atom];
    add_guard(r, poly_replace(l->left, l->atom, l->from), l, chosen, &none, &all);
    if (poly_same(at, l->from) || poly_same(at, l->to))
      continue;
    add_guard(r, poly_add(at, l->from, -1), l, chosen, &none, &all);
    add_guard(r, poly_add(l->to, at, -1), l, chosen, &none, &all);
  }
}

const char *section_reach(struct model *m, const struct access *x, struct poly index,
                          bool both, struct ends *r) {
  struct poly chosen[MAX_ATOMS] = { 0 };
  *r = (struct ends){ .x = x, .certain = !x->conditional || condition_is_met(m, x) };
  model_facts(m, x->loop, &r->facts);
  r->low = section_extreme(x->loop, &r->facts, index, false, chosen);
  if (both && r->low.known)
    find_guards(m, r, chosen);
  r->last = section_extreme(x->loop, &r->facts, index, true, chosen);
  if (!r->low.known || !r->last.known)
    return "it cannot be told which element is the last";
  find_guards(m, r, chosen);
  return NULL;
}

// True if N, a part of a condition, names the variable of LOOP or of one around it, but
// not to find an element.
static bool section_compares(const struct model *m, TSNode n, const struct iter *loop) {
  for (; loop && node_is(n, "identifier"); loop = loop->outer)
    if (slices_same(model_text(m, n), loop->dim.var))
      return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (!node_is(n, "subscript_expression") &&
        section_compares(m, ts_node_named_child(n, i), loop))
      return true;
  return false;
}

bool section_is_kept_in(const struct model *m, const struct access *x) {
  for (TSNode n = x->node, up; !ts_node_is_null(up = ts_node_parent(n)); n = up) {
    bool operand = node_is(up, "binary_expression");
    TSNode test = node_field(up, operand ? "left" : "condition");
    if (!ts_node_is_null(test) && !node_is(up, "for_statement") && !ts_node_eq(test, n) &&
        (!operand || strchr("&|", *ts_node_type(node_field(up, "operator")))) &&
        section_compares(m, test, x->loop))
      return true;
  }
  return false;
}

// ---- all accesses of an array -------------------------------------------------------

// True if A reaches as far as B wherever A's guards hold.
static bool section_dominates(const struct ends *a, const struct ends *b) {
  struct system s = { 0 };
  for (unsigned i = 0; i < b->facts.n; i++)
    system_add(&s, b->facts.facts[i].p, b->facts.facts[i].equal);
  for (unsigned i = 0; i < a->n_guards; i++)
    system_add(&s, a->guards[i], false);
  return poly_same(a->last, b->last) ||
      system_implies(&s, poly_add(a->last, b->last, -1));
}

static bool implies_guards(const struct ends *b, const struct ends *a) {
  for (unsigned i = 0; i < a->n_guards; i++)
    if (!system_implies(&b->facts, a->guards[i]))
      return false;
  return true;
}

// Returns a length such as "n > 0 ? n * n : 0"; NULL: unknown. *FIRST is the access that
// reaches farthest. *SPLIT: if its loops do not run, loops of other accesses may.
static const char *length_of(struct model *m, struct ends *const *list, unsigned n,
                             bool guarded, const struct ends **first, bool *split,
                             unsigned depth) {
  if (n == 0)
    return "0";
  for (unsigned i = 0; i < 2 * n && depth < 3;
       i++) { // the first access whose guards all others imply
    struct ends **others = arena_alloc((n + 1) * sizeof *others);
    const struct ends *r = list[i % n];
    unsigned n_others = 0, far = 0;
    while (r->certain && far < n && section_dominates(r, list[far]))
      far++;
    if (far < n || !r->certain)
      continue;
    for (unsigned j = 0; j < n; j++)
      if (!implies_guards(list[j], r))
        others[n_others++] = list[j];
    if (n_others && i < n)
      continue;
    *first = *first ? *first : r;
    *split |= n_others > 0;
    const char *length = poly_text(m, poly_add(r->last, poly_int(1), 1), POLY_VALUE);
    if (r->n_guards == 0 || (!guarded && n_others == 0))
      return length;
    const char *rest = length_of(m, others, n_others, guarded, first, split, depth + 1);
    const char *guards = conditions_text(m, r->guards, r->n_guards);
    return rest ? arena_printf("%s ? %s : %s", guards, length, rest) : NULL;
  }
  return NULL;
}

// True if LOOP has the same iterations in each iteration of the loops around it.
static bool section_is_rectangular(const struct iter *loop) {
  for (const struct iter *o = loop->outer; o; o = o->outer)
    if (!loop->left.known || poly_has(loop->from, o->atom) ||
        poly_has(loop->left, o->atom))
      return false;
  return true;
}

// True if every element up to R's last one is written, and A is never read.
static bool section_covers(const struct model *m, const struct array *a,
                           const struct ends *r) {
  const struct access *x = r->x;
  uint64_t seen[2] = { 0 };
  if (a->read || !x->write || x->conditional)
    return false;
  for (const struct iter *l = x->loop; l; l = l->outer)
    if (!section_is_rectangular(l))
      return false;
  for (unsigned i = 0; i < x->n; i++) {
    const struct iter *l = x->loop;
    while (l && !poly_same(x->index[i], poly_atom(l->atom)))
      l = l->outer;
    if (!l || seen[l->atom / 64] & BIT(l->atom % 64) ||
        !poly_same(l->from, poly_int(0)) || !l->to.known)
      return false;
    seen[l->atom / 64] |= BIT(l->atom % 64);
    struct poly length = poly_add(l->to, poly_int(1), 1);
    unsigned later = x->n - 1 - i;
    if (i > 0 && a->n_strides && !poly_same(length, a->strides[later]))
      return false;
    if (i > 0 && !a->n_strides &&
        !slice_is(a->bounds[i], poly_text(m, length, POLY_PLAIN)))
      return false;
  }
  return true;
}

// ---- sections -----------------------------------------------------------------------

static void section_refuse(struct sections *s, TSNode at, const char *why) {
  if (!s->why) {
    s->why = why;
    s->at = at;
  }
}

static const char *section_spell(const struct section *x) {
  struct text t = { 0 };
  text_printf(&t, "%.*s", (int)x->base.size, x->base.data);
  for (unsigned i = 0; i < x->n_dims; i++) {
    struct slice low = x->dims[i].low.size ? x->dims[i].low : slice_of("0");
    text_printf(&t, "[%.*s:%.*s]", (int)low.size, low.data, (int)x->dims[i].length.size,
                x->dims[i].length.data);
  }
  return t.data;
}

// True if the subscripts after X's first one stay within the bounds that A's declaration
// gives.
static bool in_rows(struct model *m, const struct array *a, const struct access *x) {
  struct system s = { 0 };
  model_facts(m, x->loop, &s);
  for (unsigned i = 1; i < a->rank; i++) {
    uint32_t at = (uint32_t)(a->bounds[i].data - m->u.s->text);
    TSNode bound = ts_node_named_descendant_for_byte_range(
        ts_tree_root_node(m->u.s->tree), at, at + (uint32_t)a->bounds[i].size);
    struct poly last = poly_add(value_of_expression(m, bound, NULL), poly_int(1), -1);
    if (!system_implies(&s, x->index[i]) ||
        !system_implies(&s, poly_add(last, x->index[i], -1)))
      return false;
  }
  return true;
}

// Fills R. Returns NULL, or the reason why the end of X is unknown. GUARDED: nothing may
// be assumed, since no message would report it.
static const char *reach_of(struct model *m, const struct access *x, bool guarded,
                            struct ends *assumed, struct ends *r) {
  if (guarded && !x->why && !in_rows(m, x->array, x))
    return "it cannot be proven that the subscripts stay within a row";
  const char *why = x->why ? x->why : section_reach(m, x, x->first, false, r);
  int64_t number;
  bool natural = !why && system_implies(&r->facts, r->low);
  if (!why && !natural && (guarded || poly_is_int(r->low, &number)))
    return "it cannot be proven that the first subscript is not negative";
  if (!why && !natural) // each call may look
    *GROW(assumed->guards, assumed->n_guards) = r->low;
  if (!why && !guarded && !x->array->written && !m->jumps)
    r->certain = true; // nothing is lost where a condition leaves the last one out
  return why;
}

// Stores in *BEYOND an access of LIST, which counts as certain, that a condition keeps
// within its array, as far as LIST shows.
static void section_find_beyond(const struct model *m, struct ends *const *list,
                                unsigned n, TSNode *beyond) {
  for (unsigned i = 0; i < n; i++) {
    bool within = !list[i]->x->conditional || !section_is_kept_in(m, list[i]->x);
    for (unsigned j = 0; j < n && !within; j++)
      within = !list[j]->x->conditional && section_dominates(list[j], list[i]);
    if (!within)
      *beyond = list[i]->x->node;
  }
}

// Returns the access of A's section; WRITTEN: that of an array which is written.
static unsigned section_access(const struct model *m, const struct array *a,
                               unsigned written) {
  return !a->written                    ? AUTOTUNE_IN
      : directives_local(m->k, a->name) ? AUTOTUNE_SCRATCH
                                        : written;
}

// Adds the section of A, an argument.
static void add_argument(struct model *m, const struct array *a, bool guarded,
                         struct sections *out, struct ends *assumed) {
  struct ends **list = NULL;
  const struct ends *first = NULL;
  unsigned n = 0;
  bool split = false;
  struct section x = { .base = a->name, .offset = model_offset(m, a->home, NULL) };
  for (unsigned i = 0; i < m->n_accesses && !out->why; i++) {
    struct ends *r = arena_alloc(sizeof *r);
    if (m->accesses[i].array != a)
      continue;
    const char *why = reach_of(m, &m->accesses[i], guarded, assumed, r);
    if (why)
      section_refuse(out, m->accesses[i].node, why);
    *GROW(list, n) = r;
  }
  if (out->why)
    return;
  const char *length = length_of(m, list, n, guarded, &first, &split, 0);
  if (!length || !first) {
    section_refuse(out, a->home, "it cannot be told which of its elements is the last");
    return;
  }
  *GROW(x.dims, x.n_dims) = (struct section_dim){ { 0 }, slice_of(length) };
  if (!guarded)
    section_find_beyond(m, list, n, &out->beyond);
  for (unsigned i = 1; i < a->rank; i++)
    *GROW(x.dims, x.n_dims) = (struct section_dim){ { 0 }, a->bounds[i] };
  for (unsigned i = 0; i < first->n_guards && !guarded; i++)
    *GROW(assumed->guards, assumed->n_guards) = first->guards[i];
  bool whole = !split && section_covers(m, a, first);
  x.access = section_access(m, a, whole ? AUTOTUNE_OUT : AUTOTUNE_INOUT);
  x.name = section_spell(&x);
  *GROW(out->list, out->n) = x;
}

// Adds the section of A, whose rows pointers lead to.
static void add_rows(struct model *m, const struct array *a, struct sections *out,
                     struct ends *assumed) {
  struct section x = { .base = a->name,
                       .access = section_access(m, a, AUTOTUNE_INOUT),
                       .offset = model_offset(m, a->home, NULL) };
  TSNode at = a->home;
  const char *why = rows_section(m, a, &x, assumed, &at, &out->beyond);
  if (why) {
    section_refuse(out, at, why);
    return;
  }
  x.name = section_spell(&x);
  *GROW(out->list, out->n) = x;
}

// Adds an array of the file, an object of known size. The section names each subscript,
// since without them the object would be compared as bytes.
static void add_global(const struct model *m, const struct array *a,
                       struct sections *out) {
  const char *name = arena_copy(a->name.data, a->name.size);
  struct section x = { .base = a->name, .access = section_access(m, a, AUTOTUNE_INOUT) };
  static const char stars[] = "****";
  for (unsigned i = 0; i < a->rank; i++) {
    const char *length = arena_printf("sizeof %.*s%s / sizeof %.*s%s", (int)i, stars,
                                      name, (int)i + 1, stars, name);
    *GROW(x.dims, x.n_dims) = (struct section_dim){ { 0 }, slice_of(length) };
  }
  x.name = section_spell(&x);
  *GROW(out->list, out->n) = x;
}

static bool has_bounds(const struct array *a) {
  for (unsigned i = a->global ? 0 : 1; i < a->rank && i < MAX_SUBSCRIPTS; i++)
    if (!a->bounds[i].size && !a->rows)
      return false;
  return true;
}

struct sections sections_infer(struct model *m, bool guarded) {
  struct sections out = { 0 };
  struct ends assumed = { 0 };
  for (unsigned i = 0; i < m->n_accesses && !guarded && ts_node_is_null(out.row); i++) {
    const struct access *x = &m->accesses[i];
    if (!x->why && !x->array->why && x->array->written && x->array->rank > 1 &&
        !x->array->rows && !in_rows(m, x->array, x))
      out.row = x->node;
  }
  if (m->n_refusals)
    section_refuse(&out, m->refusals[0].at, m->refusals[0].text);
  for (unsigned i = 0; i < m->n_arrays && !out.why; i++) {
    const struct array *a = m->arrays[i];
    bool touched = a->read || a->written;
    if (a->local || sections_scratch(m->k, a->name) ||
        (!touched && ts_node_is_null(a->handed)))
      continue;
    if (!ts_node_is_null(a->handed))
      section_refuse(&out, a->handed, "it is passed on here");
    else if (a->why)
      section_refuse(&out, a->at, a->why);
    else if (a->member && guarded)
      section_refuse(&out, a->home, "it is a member of a struct");
    else if (a->rows && guarded)
      section_refuse(&out, a->home, "it points to pointers");
    else if (!has_bounds(a))
      section_refuse(&out, a->home, "its declaration does not say how large it is");
    else if (a->rows)
      add_rows(m, a, &out, &assumed);
    else if (a->global)
      add_global(m, a, &out);
    else
      add_argument(m, a, guarded, &out, &assumed);
  }
  out.assumed = conditions_text(m, assumed.guards, assumed.n_guards);
  return out;
}

// Returns TEXT as a person would write it, without the casts of poly_text.
static const char *section_plain(const char *text) {
  static const char cast[] = "(long long)";
  struct text out = { 0 };
  for (const char *end; (end = strstr(text, cast)); text = end + sizeof cast - 1)
    text_add(&out, text, (size_t)(end - text));
  text_printf(&out, "%s", text);
  return out.data;
}

void sections_adopt(const struct source *s, struct kernel *k, const struct expansion *x) {
  bool output = false, declared = false;
  for (unsigned i = 0; i < k->n_sections; i++)
    declared |= k->sections[i].access != AUTOTUNE_SCRATCH;
  if (declared || k->returns || !k->language->loops_check ||
      k->verify == AUTOTUNE_VERIFY_OFF)
    return;
  struct sections found = sections_infer(scan_function(s, k, &k->main, x), true);
  for (unsigned i = 0; i < found.n; i++) {
    output = output || (found.list[i].access & AUTOTUNE_OUT);
    found.list[i].name = section_plain(found.list[i].name);
  }
  if (found.why || !output)
    return;
  for (unsigned i = 0; i < found.n; i++)
    *GROW(k->sections, k->n_sections) = found.list[i];
  k->inferred = true;
}
