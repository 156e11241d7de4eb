// SPDX-License-Identifier: Apache-2.0
// footprint.c: writes the number of bytes that the loops within the innermost tile touch,
// as an expression of tile sizes and arguments.
//
// In each structure that directives can give a nest, the loops within the innermost tile
// have a known number of iterations: a tile's size, or the full range if the bounds are
// arguments. For each array that the body refers to, the number of elements is the number
// of values that its subscripts take; the same array under the same variables counts
// once. Arrays that are not arguments and subscripts that are read from memory or
// computed before are left out. Of several nests the largest counts.
#include <string.h>

#include "front/kernel/kernel.h"
#include "loops.h"
#include "front/reach/unit.h"

enum { MAX_INDEX = 16 }; // subscripts of one reference

#define WORD(s) (int)(s).size, (s).data

struct reference {
  const char *array;
  uint64_t set;
};

// An atom in the polynomials of subscripts.
struct footprint_term {
  struct slice text;
  uint64_t set; // places of the loops that it depends on
  bool loop;    // it is the variable of the one loop in SET
};

// One nest in one structure.
struct tile {
  const struct builder *b;
  const struct nest *nest;
  unsigned inside; // loops from here on run within a tile
  struct reference *seen;
  unsigned n_seen;
  struct footprint_term *terms;
  unsigned n_terms;
  struct text *out;
};

bool footprint_applies(const struct kernel *k) {
  for (unsigned i = 0; i < k->main.n_directives; i++)
    if (k->main.directives[i].kind == DIR_TILE)
      return true;
  return false;
}

// ---- values in terms of arguments and params ----------------------------------------

// True for plain arithmetic that can be evaluated anywhere: integer arguments, params,
// numbers. Divisors must be numbers.
static bool footprint_is_plain(const struct kernel *k, struct slice text) {
  struct lexer l = lexer_of(text);
  bool divides = false, any = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END; any = true) {
    int arg = t.kind == TOKEN_WORD ? kernel_arg(k, t.text) : -1;
    int param = t.kind == TOKEN_WORD ? kernel_param(k, t.text) : -1;
    bool number = t.kind == TOKEN_NUMBER && !slice_is(t.text, "0");
    bool known = (arg >= 0 && k->args[arg].integer && !k->args[arg].pointer) ||
        (param >= 0 && k->params[param].kind == VALUE_INT) || t.kind == TOKEN_NUMBER;
    bool sign = t.kind == TOKEN_PUNCTUATOR && t.text.size == 1 &&
        strchr("+-*/%()", *t.text.data);
    if ((!known && !sign) || (divides && !number))
      return false;
    divides = slice_is(t.text, "/") || slice_is(t.text, "%");
  }
  return any;
}

// Returns the value of a directive's argument; NULL: unknown here.
static const char *value_of(const struct builder *b, const struct dir_arg *a) {
  int p = arg_param(b, a);
  if (p >= 0)
    return b->k->params[p].kind == VALUE_INT ? arena_printf("autotune_v[%d]->i", p)
                                             : NULL;
  return footprint_is_plain(b->k, a->text) ? arena_copy(a->text.data, a->text.size)
                                           : NULL;
}

// Returns the number of all iterations of D; NULL: unknown here.
static const char *all_of(const struct builder *b, const struct dim *d) {
  const struct kernel *k = b->k;
  bool plain = !d->pointer && footprint_is_plain(k, d->low) &&
      footprint_is_plain(k, d->bound) && (d->unit_step || footprint_is_plain(k, d->step));
  if (!plain)
    return NULL;
  struct slice from = d->down ? d->bound : d->low, to = d->down ? d->low : d->bound;
  bool inclusive = d->relation == LESS_EQUAL || d->relation == GREATER_EQUAL;
  const char *n = arena_printf("((double)(%.*s) - (double)(%.*s) + %d)", WORD(to),
                               WORD(from), inclusive);
  return d->unit_step ? n : arena_printf("%s / (double)(%.*s)", n, WORD(d->step));
}

// Declares the number of iterations of each loop within the tile. False: that of a tiled
// loop is unknown.
static bool write_extents(const struct tile *t) {
  for (unsigned i = t->inside; i < t->nest->n; i++) {
    const struct loop *l = &t->nest->loops[i];
    const char *all = all_of(t->b, l->dim),
               *block = l->block ? value_of(t->b, l->block) : NULL;
    const char *of = l->block_of ? value_of(t->b, l->block_of) : "1";
    if (l->block && (!block || !of))
      return false;
    if (block)
      text_printf(t->out, "    double autotune_e%u = (double)(%s) * (double)(%s);\n", i,
                  block, of);
    if (block && all)
      text_printf(t->out, "    if (%s < autotune_e%u) autotune_e%u = %s;\n", all, i, i,
                  all);
    if (!block && all)
      text_printf(t->out, "    double autotune_e%u = %s;\n", i, all);
    if (block || all)
      text_printf(t->out, "    if (autotune_e%u < 1) autotune_e%u = 1;\n", i, i);
  }
  return true;
}

// ---- subscripts ---------------------------------------------------------------------

// True if NODE declares NAME, assigns it or takes its address: it may have any value
// there.
static bool footprint_varies(const struct tile *t, TSNode node, struct slice name) {
  const struct usage *u = &t->b->u;
  for (unsigned i = 0; i < u->n_changes; i++)
    if (u->changes[i].part == PART_WHOLE && u->changes[i].how != BY_POINTER &&
        slices_same(u->changes[i].name, name) && node_within(u->changes[i].node, node))
      return true;
  return usage_declares(u, node, name);
}

// Returns the atom for TEXT, which has one value for each iteration of the loops SET.
// LOOP: TEXT is that loop's variable.
static struct poly footprint_atom(struct tile *t, struct slice text, uint64_t set,
                                  bool loop) {
  unsigned i = 0;
  while (i < t->n_terms && !slices_same(t->terms[i].text, text))
    i++;
  if (i == MAX_ATOMS)
    return poly_unknown;
  if (i == t->n_terms)
    *GROW(t->terms, t->n_terms) = (struct footprint_term){ text, set, loop };
  return poly_atom(i);
}

// Returns the value of a loop of the tile, or of a name that does not vary in it.
static struct poly footprint_of_name(struct tile *t, struct slice name) {
  for (unsigned i = 0; i < t->nest->n; i++) {
    const struct loop *l = &t->nest->loops[i];
    if (!slices_same(l->dim->var, name) || (l->grid && i < t->inside))
      continue;
    bool counted = l->block || all_of(t->b, l->dim);
    return i < t->inside ? footprint_atom(t, name, 0, false)
        : counted        ? footprint_atom(t, name, BIT(i), true)
                         : poly_unknown;
  }
  return footprint_varies(t, t->nest->root, name) ? poly_unknown
                                                  : footprint_atom(t, name, 0, false);
}

// Returns the set of loops that P depends on.
static uint64_t footprint_set(const struct tile *t, struct poly p) {
  uint64_t set = 0;
  for (unsigned i = 0; i < t->n_terms; i++)
    set |= poly_has(p, i) ? t->terms[i].set : 0;
  return set;
}

// Returns the value of E, which is not a sum or product: a name, or an expression with
// one value for each combination of its loops, such as `i / 2` or a macro that computes
// an index from several.
static struct poly footprint_leaf(const struct reading *r, TSNode e, unsigned depth) {
  struct tile *t = r->of;
  uint64_t set = 0;
  if (node_is(e, "identifier"))
    return footprint_of_name(t, source_slice(r->s, e));
  if (node_is(e, "cast_expression"))
    return poly_read(r, node_field(e, "value"), depth);
  if (node_is(e, "subscript_expression"))
    return poly_unknown; // read from memory
  for (uint32_t i = node_is(e, "call_expression"); i < ts_node_named_child_count(e);
       i++) {
    TSNode child = ts_node_named_child(e, i);
    struct poly p = ts_node_named_child_count(child) || node_is(child, "identifier")
        ? poly_read(r, child, depth)
        : poly_int(0);
    if (!p.known)
      return p;
    set |= footprint_set(t, p);
  }
  return footprint_atom(t, source_slice(r->s, e), set, false);
}

// Adds a factor to OUT: the product of the iterations of the loops SET, or, for a SUM
// such as i + j, the number of its values.
static void put_factor(struct text *out, uint64_t set, bool sum) {
  const char *before = sum ? "(" : "";
  text_printf(out, set && out->size ? " * " : "");
  for (unsigned i = 0; i < 64; i++)
    if (set & BIT(i)) {
      text_printf(out, "%sautotune_e%u", before, i);
      before = sum ? " - 1 + " : " * ";
    }
  text_printf(out, set && sum ? ")" : "");
}

// Returns the number of values of the N subscripts INDEX; *SET is the set of loops that
// they depend on. Values that a stride separates are multiplied; a loop counts in one
// subscript only.
static const char *footprint_count(const struct tile *t, const struct poly *index,
                                   unsigned n, uint64_t *set) {
  struct text apart = { 0 }, together = { 0 };
  bool again = false;
  *set = 0;
  for (unsigned i = n; i-- > 0;) {
    uint64_t units = 0, all = footprint_set(t, index[i]);
    for (unsigned a = 0; a < t->n_terms; a++) {
      struct poly rest, c = poly_coefficient(index[i], a, &rest);
      int64_t number;
      bool unit = poly_is_int(c, &number) && (number == 1 || number == -1);
      units |= t->terms[a].loop && unit ? t->terms[a].set : 0;
    }
    again = again || (*set & all);
    *set |= all;
    put_factor(&apart, all & ~units, false);
    put_factor(&apart, units, true);
  }
  put_factor(&together, *set, false);
  return !*set ? "1" : again ? together.data : apart.data;
}

// ---- references ---------------------------------------------------------------------

// True for `A` or `s->data` of an argument that the body does not hide: its type is known
// where the expression is written.
static bool is_argument(const struct tile *t, TSNode base) {
  while (node_is(base, "field_expression"))
    base = node_field(base, "argument");
  int arg = node_is(base, "identifier") ? kernel_arg(t->b->k, source_slice(t->b->s, base))
                                        : -1;
  return arg >= 0 &&
      !footprint_varies(t, node_field(t->b->f->node, "body"),
                        source_slice(t->b->s, base));
}

static bool was_seen(struct tile *t, const char *array, uint64_t set) {
  for (unsigned i = 0; i < t->n_seen; i++)
    if (t->seen[i].set == set && strcmp(t->seen[i].array, array) == 0)
      return true;
  *GROW(t->seen, t->n_seen) = (struct reference){ array, set };
  return false;
}

// Adds ARRAY[…][…], of which NODE is the outermost subscript.
static void add_reference(struct tile *t, TSNode node) {
  TSNode index[MAX_INDEX];
  struct poly values[MAX_INDEX];
  struct text element = { 0 };
  struct reading r = { .s = t->b->s, .leaf = footprint_leaf, .of = t };
  uint64_t set;
  unsigned n;
  TSNode base = subscripts_read(node, index, MAX_INDEX, &n);
  if (n > MAX_INDEX || !is_argument(t, base))
    return;
  for (unsigned i = 0; i < n; i++)
    if (!(values[i] = poly_read(&r, index[i], 0)).known)
      return;
  const char *count = footprint_count(t, values, n, &set);
  struct slice array = source_slice(t->b->s, base);
  if (was_seen(t, arena_copy(array.data, array.size), set))
    return;
  text_printf(&element, "(%.*s)", WORD(array));
  for (unsigned i = 0; i < n; i++)
    text_printf(&element, "[0]");
  text_printf(t->out, "    autotune_sum += %s * (double)sizeof(%s);\n", count,
              element.data);
}

static void add_references(struct tile *t, TSNode body) {
  TSTreeCursor cursor = ts_tree_cursor_new(body);
  do {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    const char *field = ts_tree_cursor_current_field_name(&cursor);
    bool part = field && strcmp(field, "argument") == 0 &&
        node_is(ts_node_parent(node), "subscript_expression");
    if (node_is(node, "subscript_expression") && !part)
      add_reference(t, node);
  } while (cursor_next(&cursor, true));
  ts_tree_cursor_delete(&cursor);
}

// ---- nests --------------------------------------------------------------------------

// Returns the condition for this structure alone: "autotune_v[3]->i == 1 && …".
static const char *footprint_condition(const struct variants *v) {
  struct text t = { 0 };
  const struct kernel *k = v->b->k;
  text_printf(&t, k->choose >= 0 ? "autotune_v[%d]->i == 0" : "1", k->choose);
  for (unsigned i = 0; i < v->n; i++) {
    int p = v->params[i];
    const struct value *value = &k->params[p].values[v->b->point[p]];
    if (!variants_matters(v, i) || k->params[p].n_values < 2)
      continue;
    if (k->params[p].kind == VALUE_TUPLE)
      text_printf(&t, " && __builtin_strcmp(autotune_v[%d]->text, \"%s\") == 0", p,
                  value->text);
    else
      text_printf(&t, " && autotune_v[%d]->i == %lld", p, value->i);
  }
  return t.data;
}

// Adds what declarations between LOOP and the next one read.
static void add_declared_references(struct tile *t, TSNode loop) {
  TSNode body = node_field(loop, "body");
  for (uint32_t i = 0; i < ts_node_named_child_count(body); i++)
    if (node_is(ts_node_named_child(body, i), "declaration"))
      add_references(t, ts_node_named_child(body, i));
}

static void write_structure(struct variants *v) {
  if (reschedule_present(v->b, v->root)) // its tiles have bounds of their own
    return;
  struct nest *n = nest_build(v->b, v->root);
  struct text body = { 0 };
  struct tile t = { .b = v->b, .nest = n, .out = &body };
  unsigned tiled = 0;
  for (unsigned i = 0; n && i < n->n; i++) {
    t.inside = n->loops[i].grid ? i + 1 : t.inside;
    tiled += n->loops[i].block != NULL;
  }
  if (!n || !tiled || n->n > 64)
    return;
  text_printf(&body, "  if (%s) {\n    double autotune_sum = 0;\n",
              footprint_condition(v));
  if (!write_extents(&t))
    return;
  for (unsigned i = 0; i < n->n_between; i++)
    add_declared_references(&t, n->between[i].dim->node);
  for (unsigned i = 0; i < n->n_parts; i++) {
    struct body part = n->parts[i].body;
    for (TSNode s = part.first; !ts_node_is_null(s); s = body_next(part, s))
      add_references(&t, s);
  }
  text_printf(
      &body,
      "    if (autotune_sum > autotune_most) autotune_most = autotune_sum;\n  }\n");
  if (t.n_seen)
    text_add(v->out, body.data, body.size);
}

void footprint_write(const struct source *s, const struct kernel *k, struct text *out) {
  struct text functions = { 0 };
  struct builder b = builder_of(s, k, &k->main);
  unsigned n;
  const struct nest_root *roots = nest_roots(&b.u, &n);
  b.functions = &functions;
  for (unsigned i = 0; i < n && !b.failed; i++) {
    struct variants v = {
      .b = &b, .root = roots[i].loop, .visit = write_structure, .out = out
    };
    b.u.focus = roots[i].focus;
    if (node_is(v.root, "for_statement") && !roots[i].fission)
      variants_visit(&v);
  }
}
