// SPDX-License-Identifier: Apache-2.0
// cut.c: makes the outermost loops of a kernel end early in variants that are only
// compared with each other (runtime/tune/part.c). A loop over the first iterations, in
// the order of the source, is a program as good as the kernel, and each variant does the
// same work of it, whatever its own order is. So the times of such runs compare variants,
// at a part of the cost. The bounds are macros, which are the bounds as written unless
// the runtime defines AUTOTUNE_PARTS.
#include <stdlib.h>
#include <string.h>

#include "loops.h"

enum { MAX_CUT_PLACES = 16, MAX_CUT_GROWING = 5 };

const char cut_prologue[] =
    "#ifndef AUTOTUNE_PARTS\n"
    "#undef AUTOTUNE_PART_UP\n"
    "#undef AUTOTUNE_PART_DOWN\n"
    "#define AUTOTUNE_PART_UP(low, bound, more, least, power) bound\n"
    "#define AUTOTUNE_PART_DOWN(low, bound, more, least, power) bound\n"
    "#elif !defined AUTOTUNE_PART_UP\n"
    "static __inline__ __attribute__((__unused__)) long long autotune_part(long long n, long long least, int power)\n"
    "{\n"
    "  double low = 0, high = 1;\n"
    "  for (int step = 0; step < 40; step++) {\n"
    "    double middle = (low + high) / 2, square = power > 1 ? middle * middle : middle;\n"
    "    double work = square * (power > 2 ? middle : 1) * (power > 3 ? middle : 1) * (power > 4 ? middle : 1);\n"
    "    *(work * AUTOTUNE_PARTS < 1 ? &low : &high) = middle;\n"
    "  }\n"
    "  long long most = ((long long)((double)n * high) + least - 1) / least * least;\n"
    "  most = most < least ? least : most;\n"
    "  return n < most ? n : most;\n"
    "}\n"
    "#define AUTOTUNE_PART_UP(low, bound, more, least, power) \\\n"
    "  ((__typeof__(bound))((low) + autotune_part((long long)(bound) - (low) + more, least, power) - more))\n"
    "#define AUTOTUNE_PART_DOWN(low, bound, more, least, power) \\\n"
    "  ((__typeof__(bound))((low) - autotune_part((long long)(low) - (bound) + more, least, power) + more))\n"
    "#endif\n";

static int cut_order(const void *a, const void *b) {
  const long long *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

// Returns the LARGEST value of A, a size, or else the middle value, the smaller one of
// two; 1 if it is not known. With the largest one a part would be most of a short loop;
// larger blocks are cut.
static long long cut_size(const struct builder *b, const struct dir_arg *a,
                          bool largest) {
  int p = arg_param(b, a);
  long long *sizes = NULL, size = 1;
  unsigned n = 0;
  for (unsigned i = 0; p >= 0 && i < b->k->params[p].n_values; i++)
    if (b->k->params[p].kind == VALUE_INT)
      *GROW(sizes, n) = b->k->params[p].values[i].i;
  if (n)
    qsort(sizes, n, sizeof *sizes, cut_order);
  if (n)
    size = sizes[largest ? n - 1 : (n - 1) / 2];
  if (p < 0 && is_digits(a->text))
    size = strtoll(a->text.data, NULL, 10);
  return size > 0 ? size : 1;
}

// Returns the places where the loop in place AT may be after the order TEXT, "(2,1,3)".
static unsigned cut_moved_by(struct slice text, unsigned at) {
  static const char digits[] = "0123456789";
  unsigned place = 0;
  for (char *p = arena_copy(text.data, text.size); *(p += strcspn(p, digits)); place++)
    if (strtoul(p, &p, 10) == at + 1)
      return 1u << place;
  return 1u << at;
}

// The same of D, an `interchange`, which may have several orders.
static unsigned cut_moved(const struct builder *b, const struct loop_directive *d,
                          unsigned at) {
  const struct dir_clause *c = directive_clause(d, "permutation");
  int p = c && c->n_args ? arg_param(b, &c->args[0]) : -1;
  bool own = d->present >= 0 && d->present != b->k->whole; // else all are absent at once
  unsigned places = own ? 1u << at : 0;
  if (p < 0)
    return places |
        cut_moved_by(c && c->n_args ? c->args[0].text : slice_of("(2,1)"), at);
  for (unsigned i = 0; i < b->k->params[p].n_values; i++)
    places |= cut_moved_by(slice_of(b->k->params[p].values[i].text), at);
  return places;
}

struct cut_blocks {          // of a loop
  long long middle, largest; // sizes
  bool shares;               // threads share them
};

// Looks at the directives of LOOP's nest, and adds what they say to BLOCKS. The
// directives are applied from the nearest one upwards, and may move LOOP, so PLACES are
// where it may be by then, as bits.
static void cut_look(const struct builder *b, TSNode loop, struct cut_blocks *blocks) {
  unsigned n, places = 1;
  const struct loop_directive **list = directives_of(&b->u, loop, &n);
  for (unsigned i = n; i-- > 0;) {
    unsigned groups = directive_groups(list[i]->kind), moved = 0;
    const struct dir_clause *c = directive_clause(
        list[i], groups & (GROUP_SIZES | GROUP_SCHEDULE) ? "sizes" : "partial");
    blocks->shares |= places & 1 &&
        (groups & GROUP_THREADS || directive_clause(list[i], "num_threads"));
    for (unsigned j = 0; j < MAX_CUT_PLACES; j++) {
      if (!(places & (1u << j)))
        continue;
      const struct dir_arg *size = c && j < c->n_args ? &c->args[j] : NULL;
      long long middle = size ? cut_size(b, size, false) : 1;
      long long largest = size ? cut_size(b, size, true) : 1;
      blocks->middle = middle > blocks->middle ? middle : blocks->middle;
      blocks->largest = largest > blocks->largest ? largest : blocks->largest;
      moved |= groups & GROUP_ORDER ? cut_moved(b, list[i], j) : 1u << j;
    }
    places = moved;
  }
}

// Returns how many iterations LOOP must keep, at least, as an expression: a block of the
// middle size or, for each thread that shares them, one of the largest: with fewer blocks
// than threads, a part would be slower than its share of a whole run.
static const char *cut_least(const struct builder *b, TSNode loop) {
  unsigned n;
  const struct nest_root *roots = nest_roots(&b->u, &n);
  struct cut_blocks blocks = { .middle = 1, .largest = 1 };
  cut_look(b, loop, &blocks);
  if (node_is(ts_node_parent(loop), "compound_statement")) // `chain` is on the block
    cut_look(b, ts_node_parent(loop), &blocks);
  for (unsigned i = 0; i < n; i++) {
    struct builder part = *b;
    part.u.focus = roots[i].focus;
    if (roots[i].focus && ts_node_eq(roots[i].loop, loop))
      cut_look(&part, loop, &blocks);
  }
  for (unsigned i = 0; i < b->n_authors; i++)
    blocks.shares |= ts_node_eq(b->authors[i].loop, loop);
  return blocks.shares ? arena_printf("%lld * AUTOTUNE_PART_THREADS", blocks.largest)
                       : arena_printf("%lld", blocks.middle);
}

struct grown { // a loop's variable, whose later values are larger, or smaller if it FALLS
  struct slice var;
  bool falls;
};

// Returns the power P for which a fraction x of an outermost loop's iterations, the first
// ones, is a fraction of about x to the power of P of its work. VARS: N loops around
// NODE; P grows with each loop in NODE whose number of iterations grows with one of them.
static unsigned cut_power(const struct builder *b, TSNode node, const struct grown *vars,
                          unsigned n) {
  struct grown more[MAX_CUT_GROWING + 1];
  unsigned most = n;
  struct dim d = { 0 };
  const char *why;
  TSNode at;
  if (node_is(node, "for_statement") && n < MAX_CUT_GROWING &&
      dim_parse(&b->u, node, &d, &why, &at)) {
    struct slice end = d.down ? d.low : d.bound, begin = d.down ? d.bound : d.low;
    bool rises = false, falls = false;
    for (unsigned i = 0; i < n; i++) {
      rises = rises || (!vars[i].falls && lex_mentions(end, vars[i].var));
      falls = falls || (vars[i].falls && lex_mentions(begin, vars[i].var));
      more[i] = vars[i];
    }
    more[n] = (struct grown){ d.var, !rises };
    bool grows = rises || falls;
    return cut_power(b, node_field(node, "body"), grows ? more : vars, n + grows);
  }
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++) {
    unsigned power = cut_power(b, ts_node_named_child(node, i), vars, n);
    most = power > most ? power : most;
  }
  return most;
}

// Adds LOOP if its range can be cut.
static void cut_add(struct builder *b, TSNode loop) {
  struct dim d = { 0 };
  const char *why;
  TSNode at;
  const struct source *s = b->s;
  if (!dim_parse(&b->u, loop, &d, &why, &at) || d.pointer || !d.safe ||
      d.relation == NOT_EQUAL || d.header.data != s->text + ts_node_start_byte(loop))
    return;
  bool more = d.relation == LESS_EQUAL || d.relation == GREATER_EQUAL;
  struct cut *c = GROW(b->cuts, b->n_cuts);
  c->loop = loop;
  c->from = (size_t)(d.bound.data - s->text);
  c->to = c->from + d.bound.size;
  c->text = arena_printf(
      "AUTOTUNE_PART_%s(%.*s, %.*s, %d, %s, %u)", d.down ? "DOWN" : "UP", (int)d.low.size,
      d.low.data, (int)d.bound.size, d.bound.data, more, cut_least(b, loop),
      cut_power(b, node_field(loop, "body"), &(struct grown){ d.var, d.down }, 1));
  c->last = d.down ? arena_printf("(long long)(%.*s) - (long long)(%s) - %d",
                                  (int)d.low.size, d.low.data, c->text, !more)
                   : arena_printf("(long long)(%s) - %d", c->text, !more);
}

// Adds the outermost loops in NODE. False: which loops there are is up to the
// preprocessor, or another function runs.
static bool cut_find(struct builder *b, TSNode node) {
  static const char *const branches[] = { "preproc_if", "preproc_ifdef", NULL };
  static const char *const loops[] = { "while_statement", "do_statement",
                                       "lambda_expression", NULL };
  if (node_is(node, "for_statement"))
    return cut_add(b, node), true;
  if (node_is_any(node, branches))
    return !node_holds(node, "for_statement");
  for (uint32_t i = 0; !node_is_any(node, loops) && i < ts_node_named_child_count(node);
       i++)
    if (!cut_find(b, ts_node_named_child(node, i)))
      return false;
  return true;
}

void cut_begin(struct builder *b) {
  bool can = b->f == &b->k->main && b->k->choose < 0 && cut_find(b, b->f->node);
  b->n_cuts = can ? b->n_cuts : 0;
}

void cut_dim(const struct builder *b, struct dim *d) {
  for (unsigned i = 0; i < b->n_cuts; i++) {
    const struct cut *c = &b->cuts[i];
    if (!ts_node_eq(c->loop, d->node))
      continue;
    const char *begin = d->header.data, *bound = b->s->text + c->from,
               *rest = b->s->text + c->to, *end = begin + d->header.size;
    d->header = slice_of(arena_printf("%.*s%s%.*s", (int)(bound - begin), begin, c->text,
                                      (int)(end - rest), rest));
    d->bound = slice_of(c->text);
  }
}

const char *cut_last(const struct builder *b, TSNode loop) {
  for (unsigned i = 0; i < b->n_cuts; i++)
    if (ts_node_eq(b->cuts[i].loop, loop))
      return b->cuts[i].last;
  return NULL;
}

void cut_write(const struct builder *b, size_t from, size_t to, struct text *out) {
  for (unsigned i = 0; i < b->n_cuts; i++) { // in the order of the source
    const struct cut *c = &b->cuts[i];
    if (c->from < from || c->to > to)
      continue;
    text_add(out, b->s->text + from, c->from - from);
    text_printf(out, "%s", c->text);
    from = c->to;
  }
  if (from < to)
    text_add(out, b->s->text + from, to - from);
}
