// SPDX-License-Identifier: Apache-2.0
// short.c: warns of a section that ends before the last element that the kernel writes
// (of an input: reads) for certain, or begins after the first one. What lies outside is
// neither compared nor put back between two runs, nor kept with a captured call. Also
// warns of an output that the kernel reads before it writes it.
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
  struct model *m;
  const struct section *section;
  struct slice base;     // of the section, without the * of `*c`
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
  struct slice base = c->base;
  const char *verb = d->access == AUTOTUNE_IN ? "read" : "write";
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
               "the section '%s' is only a part of what '%s' %ss: '%s'", d->name,
               c->k->main.name, verb, all.data);
  size_t at = model_offset(c->m, x->node, &written);
  struct slice text = written ? model_text(c->m, x->node) : x->array->name;
  diag_note(c->s, at, written ? text.size : 1, "%s'%.*s' is %s here",
            written ? "" : "an element of ", (int)text.size, text.data,
            d->access == AUTOTUNE_IN ? "read" : "written");
}

// Warns if X may be outside of C's section. True: it did.
static bool short_check_access(const struct shortage *c, const struct access *x) {
  struct ends r;
  bool counts = c->section->access == AUTOTUNE_IN ? x->read : x->write;
  if (!slices_same(x->array->name, c->base) || !counts || x->conditional || x->why ||
      x->array->why || section_reach(c->m, x, x->first, true, &r))
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

// Warns if C's section is an output of which each element is read before it is written.
static void short_check_read(const struct shortage *c) {
  const struct access *first = NULL;
  bool written;
  for (unsigned i = 0; i < c->m->n_accesses; i++) {
    const struct access *x = &c->m->accesses[i];
    if (!slices_same(x->array->name, c->base) || !x->write)
      continue;
    if (!x->read || x->array->why || !ts_node_is_null(x->array->handed))
      return;
    first = first || x->conditional ? first : x;
  }
  if (!first || c->section->access != AUTOTUNE_OUT)
    return;
  diag_warning(c->s, c->section->offset, strlen(c->section->name),
               arena_printf("write inout(%s)", c->section->name),
               "'%s' reads '%.*s' before it writes it, so it is an input, too",
               c->k->main.name, (int)c->base.size, c->base.data);
  size_t at = model_offset(c->m, first->node, &written);
  struct slice text = written ? model_text(c->m, first->node) : c->base;
  diag_note(c->s, at, written ? text.size : 1, "'%.*s' is read and written here",
            (int)text.size, text.data);
}

struct slice section_array(const struct section *x) {
  struct lexer l = lexer_of(x->base);
  struct token star = lex(&l), name = lex(&l);
  bool pointer = x->n_dims == 0 && slice_is(star.text, "*") && name.kind == TOKEN_WORD &&
      lex(&l).kind == TOKEN_END;
  return pointer ? name.text : x->base;
}

static void short_check_section(struct shortage *c) {
  const struct section *x = c->section;
  c->base = section_array(x);
  if (x->access == AUTOTUNE_SCRATCH || x->returned || short_is_shared(c->k, x) ||
      (x->n_dims == 0 && slices_same(c->base, x->base)))
    return;
  short_check_read(c);
  c->low = c->last = poly_int(0);
  if (x->n_dims)
    c->low = c->last = short_bound(c->m, x->dims[0].low);
  if (x->n_dims && x->dims[0].length.size)
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
