// SPDX-License-Identifier: Apache-2.0
// footprint.c: how many bytes the loops within the innermost tile touch, as an expression
// of tile sizes and arguments.
//
// For each structure that directives can give a nest, the loops inside of all that count
// tiles run over a known number of iterations: a tile's size, or all of them where the
// bounds are arguments. For each array that the body refers to, the number of elements is
// the number of values that its subscripts take; the same array under the same variables
// counts once. What cannot be told is left out: arrays that are no arguments, subscripts
// read from memory, or computed before. Several nests count as the largest.
#include <string.h>

#include "front/kernel/kernel.h"
#include "loops.h"
#include "front/reach/unit.h"

#define WORD(s) (int)(s).size, (s).data

struct reference {
  const char *array;
  uint64_t set;
};

// One nest in one structure.
struct tile {
  const struct builder *b;
  const struct nest *nest;
  unsigned inside; // loops from here on run within a tile
  struct reference *seen;
  unsigned n_seen;
  struct text *out;
};

bool footprint_applies(const struct kernel *k) {
  for (unsigned i = 0; i < k->main.n_directives; i++)
    if (k->main.directives[i].kind == DIR_TILE)
      return true;
  return false;
}

// ---- what can be said in terms of arguments and params ------------------------------

// Plain arithmetic that can be evaluated anywhere: integer arguments, params, numbers;
// divisors are numbers.
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

// The value of a directive's argument; NULL: it cannot be told here.
static const char *value_of(const struct builder *b, const struct dir_arg *a) {
  int p = arg_param(b, a);
  if (p >= 0)
    return b->k->params[p].kind == VALUE_INT ? arena_printf("autotune_v[%d]->i", p)
                                             : NULL;
  return footprint_is_plain(b->k, a->text) ? arena_copy(a->text.data, a->text.size)
                                           : NULL;
}

// All iterations of D; NULL: that cannot be told here.
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

// Declares how many iterations each loop within the tile makes. False: of a tiled one
// that is unknown.
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

// Does NODE, a declaration, an assignment or the like, change NAME?
static bool footprint_changes(const struct tile *t, TSNode node, struct slice name) {
  static const char *const fields[] = { "declarator", "left", "argument" };
  static const char *const types[] = { "init_declarator",       "declaration",
                                       "assignment_expression", "update_expression",
                                       "parameter_declaration", "array_declarator",
                                       "pointer_declarator" };
  for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
    for (unsigned f = 0; f < 3 && node_is(node, types[i]); f++) {
      TSNode part = node_field(node, fields[f]);
      if (!ts_node_is_null(part) && slices_same(source_slice(t->b->s, part), name))
        return true;
    }
  return false;
}

// Is NAME declared, assigned or counted below NODE? Then it may have any value there.
static bool footprint_varies(const struct tile *t, TSNode node, struct slice name) {
  TSTreeCursor cursor = ts_tree_cursor_new(node);
  bool found = false;
  do
    found = footprint_changes(t, ts_tree_cursor_current_node(&cursor), name);
  while (!found && cursor_next(&cursor, true));
  ts_tree_cursor_delete(&cursor);
  return found;
}

// The number of values of an expression: those that are SCALED by a stride, times those
// that are not.
struct count {
  const char *scaled, *unit;
  uint64_t set;
  bool known;
};
static const struct count one = { "1", "1", 0, true }, unknown = { "1", "1", 0, false };

static struct count footprint_of_name(const struct tile *t, struct slice name) {
  for (unsigned i = 0; i < t->nest->n; i++) {
    const struct loop *l = &t->nest->loops[i];
    if (!slices_same(l->dim->var, name) || (l->grid && i < t->inside))
      continue;
    if (i < t->inside)
      return one;
    if (!l->block && !all_of(t->b, l->dim))
      return unknown;
    return (struct count){ "1", arena_printf("autotune_e%u", i), UINT64_C(1) << i, true };
  }
  return footprint_varies(t, t->nest->root, name) ? unknown : one;
}

static const char *footprint_times(const char *a, const char *b) {
  return strcmp(a, "1") == 0 ? b
      : strcmp(b, "1") == 0  ? a
                             : arena_printf("%s * %s", a, b);
}

static struct count footprint_combine(struct count a, struct count b, char operator) {
  struct count c = { footprint_times(a.scaled, b.scaled), "1", a.set | b.set,
                     a.known && b.known };
  if (operator == '+' && a.set && b.set && strcmp(a.unit, "1") != 0 &&
      strcmp(b.unit, "1") != 0)
    c.unit = arena_printf("(%s + %s - 1)", a.unit, b.unit);
  else if (operator == '+')
    c.unit = footprint_times(a.unit, b.unit);
  else
    c.scaled = footprint_times(c.scaled, footprint_times(a.unit, b.unit));
  return c;
}

// DEPTH bounds the recursion, whatever the source is.
static struct count of_expression(const struct tile *t, TSNode e, unsigned depth) {
  struct count c = one;
  if (depth > 64)
    return unknown;
  if (node_is(e, "identifier"))
    return footprint_of_name(t, source_slice(t->b->s, e));
  if (node_is(e, "subscript_expression"))
    return unknown; // read from memory
  if (node_is(e, "binary_expression")) {
    TSNode sign = node_field(e, "operator");
    bool sum = node_is(sign, "+") || node_is(sign, "-");
    return footprint_combine(of_expression(t, node_field(e, "left"), depth + 1),
                             of_expression(t, node_field(e, "right"), depth + 1),
                             sum ? '+' : '*');
  }
  if (node_is(e, "parenthesized_expression") && ts_node_named_child_count(e) == 1)
    return of_expression(t, ts_node_named_child(e, 0), depth + 1);
  // Anything else, as a cast, or a macro that makes an index of several: what is in it
  // together.
  bool call = node_is(e, "call_expression");
  for (uint32_t i = call; i < ts_node_named_child_count(e); i++)
    c = footprint_combine(c, of_expression(t, ts_node_named_child(e, i), depth + 1), '*');
  return c;
}

// ---- references ---------------------------------------------------------------------

// `A` or `s->data` of an argument that the body does not hide; its type is known where we
// write.
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

// ARRAY[…][…], of which NODE is the outermost.
static void add_reference(struct tile *t, TSNode node) {
  struct count c = one;
  struct text element = { 0 };
  TSNode base = node;
  unsigned n = 0;
  for (; node_is(base, "subscript_expression"); base = node_field(base, "argument"), n++)
    c = footprint_combine(of_expression(t, node_field(base, "index"), 0), c, '*');
  struct slice array = source_slice(t->b->s, base);
  if (!c.known || !is_argument(t, base) ||
      was_seen(t, arena_copy(array.data, array.size), c.set))
    return;
  text_printf(&element, "(%.*s)", WORD(array));
  for (unsigned i = 0; i < n; i++)
    text_printf(&element, "[0]");
  text_printf(t->out, "    autotune_sum += %s * (double)sizeof(%s);\n",
              footprint_times(c.scaled, c.unit), element.data);
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

// "autotune_v[3]->i == 1 && …": this structure and no other.
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

static void write_structure(struct variants *v) {
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
  for (unsigned i = 0; i < n->n_parts; i++)
    add_references(&t, n->parts[i].body);
  text_printf(
      &body,
      "    if (autotune_sum > autotune_most) autotune_most = autotune_sum;\n  }\n");
  if (t.n_seen)
    text_add(v->out, body.data, body.size);
}

// Is the loop of directive INDEX part of a nest that an earlier one begins?
static bool is_inner(const struct builder *b, unsigned index) {
  for (unsigned i = 0; i < index; i++) {
    unsigned n;
    const struct loop_directive **chain =
        directives_of_chain(b, b->f->directives[i].loop, &n);
    for (unsigned j = 0; j < n; j++)
      if (chain[j] == &b->f->directives[index])
        return true;
  }
  return false;
}

void footprint_write(const struct source *s, const struct kernel *k, struct text *out) {
  struct text functions = { 0 };
  struct builder b = builder_of(s, k, &k->main);
  b.functions = &functions;
  for (unsigned i = 0; i < k->main.n_directives && !b.failed; i++) {
    struct variants v = {
      .b = &b, .root = k->main.directives[i].loop, .visit = write_structure, .out = out
    };
    if (node_is(v.root, "for_statement") && !is_inner(&b, i))
      variants_visit(&v);
  }
}
