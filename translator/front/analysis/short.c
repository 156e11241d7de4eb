// SPDX-License-Identifier: Apache-2.0
// short.c: warns of an output's section that ends before the last element that the kernel
// writes for certain, or begins after the first one. What lies outside is neither
// compared nor put back between two runs.
#include <string.h>

#include "analysis.h"
#include "autotune_abi.h"
#include "front/lang/language.h"

// ---- the declared section -----------------------------------------------------------

// Returns N, a name or a member in a clause, as M has it.
static struct poly short_leaf(const struct reading *r, TSNode n, unsigned depth) {
  const struct model *m = r->of;
  struct text path = { 0 };
  if (node_is(n, "cast_expression"))
    return poly_read(r, node_field(n, "value"), depth);
  if (!node_is(n, "identifier") && !node_is(n, "field_expression"))
    return poly_unknown;
  struct slice text = source_slice(r->s, n);
  for (size_t i = 0; i < text.size; i++)
    if (!strchr(" \t\r\n", text.data[i]))
      text_add(&path, &text.data[i], 1);
  for (unsigned i = 0; i < m->n_atoms; i++)
    if (!m->is_loop[i] &&
        slices_same(m->atoms[i], (struct slice){ path.data, path.size }))
      return poly_atom(i);
  return poly_unknown;
}

// Returns EXPR, a bound of a section, in terms of M; empty: 0.
static struct poly short_bound(const struct model *m, struct slice expr) {
  const char *text = arena_printf("int x = (%.*s);", (int)expr.size, expr.data);
  struct source *s = source_of(m->source->path, text, strlen(text));
  struct reading r = { .s = s, .leaf = short_leaf, .of = (void *)(uintptr_t)m };
  if (expr.size == 0)
    return poly_int(0);
  source_parse(s, m->source->language);
  TSNode root = ts_tree_root_node(s->tree);
  TSNode init = node_child(ts_node_named_child(root, 0), "init_declarator");
  return ts_node_has_error(root) ? poly_unknown
                                 : poly_read(&r, node_field(init, "value"), 0);
}

// ---- what is written ----------------------------------------------------------------

struct shortage {
  const struct source *s;
  const struct kernel *k;
  const struct model *m;
  const struct section *section;
  struct poly low, last; // of the section's first dimension
};

// True if FAR is beyond NEAR in some call, and NEAR beyond FAR in none in which GUARDS
// hold.
static bool short_is_beyond(const struct model *m, const struct ends *r, struct poly far,
                            struct poly near) {
  struct system s = { 0 };
  struct poly more = poly_add(far, near, -1);
  model_facts(m, NULL, &s);
  for (unsigned i = 0; i < r->n_guards; i++)
    system_add(&s, r->guards[i], false);
  if (!more.known || more.n == 0 || !system_implies(&s, more))
    return false;
  system_add(&s, poly_add(more, poly_int(1), -1), false);
  return system_feasible(&s);
}

// Warns that X, whose ends are R, is not all in C's section.
static void short_warn(const struct shortage *c, const struct access *x,
                       const struct ends *r) {
  const struct section *d = c->section;
  struct slice base = d->base;
  bool written, from_zero = r->low.n == 0;
  struct poly length = poly_add(poly_add(r->last, poly_int(1), 1), r->low, -1);
  struct text all = { 0 };
  text_printf(&all, "%.*s[%s:%s]", (int)base.size, base.data,
              from_zero ? "0" : poly_text(c->m, r->low, POLY_PLAIN),
              poly_text(c->m, length, POLY_PLAIN));
  for (unsigned i = 1; i < d->n_dims; i++)
    text_printf(&all, "[%.*s:%.*s]", (int)d->dims[i].low.size, d->dims[i].low.data,
                (int)d->dims[i].length.size, d->dims[i].length.data);
  diag_warning(c->s, d->offset, strlen(d->name),
               arena_printf("write %s(%s)", sections_access[d->access], all.data),
               "the section '%s' is only a part of what '%s' writes: '%s'", d->name,
               c->k->main.name, all.data);
  size_t at = model_offset(c->m, x->node, &written);
  struct slice text = written ? model_text(c->m, x->node) : x->array->name;
  diag_note(c->s, at, written ? text.size : 1, "%s'%.*s' is written here",
            written ? "" : "an element of ", (int)text.size, text.data);
}

// Warns if X may be outside of C's section. True: it did.
static bool short_check_access(const struct shortage *c, const struct access *x) {
  struct ends r;
  if (!slices_same(x->array->name, c->section->base) || !x->write || x->conditional ||
      x->why || x->array->why || section_reach(c->m, x, x->first, true, &r))
    return false;
  if (!r.certain ||
      (!short_is_beyond(c->m, &r, r.last, c->last) &&
       !short_is_beyond(c->m, &r, c->low, r.low)))
    return false;
  short_warn(c, x, &r);
  return true;
}

// True if another section of K names a part of X's array, too.
static bool short_is_shared(const struct kernel *k, const struct section *x) {
  for (unsigned i = 0; i < k->n_sections; i++)
    if (&k->sections[i] != x && lex_mentions(k->sections[i].base, x->base))
      return true;
  return false;
}

static void short_check_section(struct shortage *c) {
  const struct section *x = c->section;
  if (!(x->access & AUTOTUNE_OUT) || x->access == AUTOTUNE_SCRATCH || x->n_dims == 0 ||
      x->returned || !x->dims[0].length.size || short_is_shared(c->k, x))
    return;
  c->low = short_bound(c->m, x->dims[0].low);
  c->last = poly_add(poly_add(c->low, short_bound(c->m, x->dims[0].length), 1),
                     poly_int(1), -1);
  for (unsigned i = 0; i < c->m->n_accesses && c->low.known && c->last.known; i++)
    if (short_check_access(c, &c->m->accesses[i]))
      return;
}

void short_check(const struct source *s, struct kernel *k, const struct expansion *x) {
  struct shortage c = { .s = s, .k = k };
  if (k->inferred || k->n_sections == 0 || k->verify == AUTOTUNE_VERIFY_OFF)
    return;
  c.m = scan_function(s, k, &k->main, x);
  for (unsigned i = 0; i < k->n_sections && !c.m->jumps; i++) {
    c.section = &k->sections[i];
    short_check_section(&c);
  }
}
