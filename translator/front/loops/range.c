// SPDX-License-Identifier: Apache-2.0
// range.c: iteration ranges as text. All counting is done in unsigned long long on
// distances, so that no bound is stepped over: INT_MAX and an unsigned number that wraps
// are correct bounds. Loops within blocks keep the user's variable, type and comparison,
// which compilers vectorise best; loops over blocks count the blocks.
#include <string.h>

#include "front/lang/language.h"
#include "loops.h"

#define COUNTER "unsigned long long"

unsigned new_id(struct builder *b) {
  if (b->next_id >= MAX_IDS - 1) {
    FAIL(b, b->f->start, 1, NULL, "directives make too many loops of one nest here");
    return MAX_IDS - 1;
  }
  return b->next_id++;
}

void write_line(const struct builder *b, struct text *out, size_t offset) {
  const char *path;
  unsigned line = source_where(b->s, offset, &path, NULL);
  text_printf(out, "\n#line %u \"", line);
  for (; *path; path++)
    text_printf(out, *path == '"' || *path == '\\' ? "\\%c" : "%c", *path);
  text_add(out, "\"\n", 2);
}

static const char *range_type_of(const struct dim *d) {
  if (d->type.size)
    return arena_copy(d->type.data, d->type.size);
  return arena_printf("__typeof__(%.*s)", (int)d->var.size, d->var.data);
}

static const char *sign_of(const struct dim *d) {
  static const char *const signs[] = { "<", "<=", ">", ">=", "!=" };
  return signs[d->relation];
}

// Returns "(low) < (bound) &&" for the loops around D whose bounds depend on no loop. D's
// own bounds may read memory, so they are evaluated only where the source would have
// reached them.
static const char *range_reached(const struct dim *d) {
  const char *cond = "";
  for (const struct dim *o = d->safe ? NULL : d->outer; o; o = o->outer)
    if (o->needs == 0) // the outermost first: it guards the evaluation of the others
      cond = arena_printf("(%.*s) %s (%.*s) && %s", (int)o->low.size, o->low.data,
                          sign_of(o), (int)o->bound.size, o->bound.data, cond);
  return *cond ? arena_printf("%s1 ? ", cond) : "";
}

// Returns the number of iterations from S to U.
static const char *count_of(const struct dim *d, const char *s, const char *u,
                            const char *c) {
  const char *distance =
      arena_printf("AUTOTUNE_DISTANCE(%s, %s)", d->down ? u : s, d->down ? s : u);
  if (d->pointer)
    distance = arena_printf("(" COUNTER ")(%s - %s)", d->down ? s : u, d->down ? u : s);
  if (d->relation == NOT_EQUAL) // may wrap around
    return d->pointer ? distance
                      : arena_printf("%s & (~0ull >> (64 - 8 * sizeof %s))", distance, s);
  bool inclusive = d->relation == LESS_EQUAL || d->relation == GREATER_EQUAL;
  if (d->unit_step)
    return arena_printf("%s %s %s ? %s%s : 0", s, sign_of(d), u, distance,
                        inclusive ? " + 1" : "");
  return arena_printf("%s %s %s ? (%s%s) / %s + 1 : 0", s, sign_of(d), u, distance,
                      inclusive ? "" : " - 1", c);
}

// Returns the word that declares a variable of its value's type; g++ does not know C's.
static const char *range_auto(const struct builder *b) {
  return b->s->language && b->s->language->cplusplus ? "auto" : "__auto_type";
}

void range_make(const struct builder *b, struct loop *l) {
  if (!l->raw)
    return;
  struct dim *d = l->dim;
  const char *cond = range_reached(d), *other = *cond ? ") : 0" : ")";
  struct text t = { 0 };
  l->raw = false;
  l->type = range_type_of(d);
  l->start = arena_printf("autotune_s%u", l->id);
  l->end = arena_printf("autotune_u%u", l->id);
  l->count = arena_printf("autotune_n%u", l->id);
  bool literal = strspn(arena_copy(d->step.data, d->step.size), "0123456789") ==
      d->step.size;
  l->step = literal ? arena_copy(d->step.data, d->step.size)
                    : arena_printf("autotune_c%u", l->id);
  l->op = sign_of(d);
  l->down = d->down;
  l->pointer = d->pointer;
  write_line(b, &t, d->offset);
  text_printf(&t, "%s %s = %s(%.*s%s; ", l->type, l->start, cond, (int)d->low.size,
              d->low.data, other);
  text_printf(&t, "%s %s = %s(%.*s%s;", range_auto(b), l->end, cond, (int)d->bound.size,
              d->bound.data, other);
  if (!literal)
    text_printf(&t, " %s %s = %s(%.*s%s;", range_auto(b), l->step, cond,
                (int)d->step.size, d->step.data, *cond ? ") : 1" : ")");
  text_printf(&t, "\n" COUNTER " %s = %s;\n", l->count,
              count_of(d, l->start, l->end, l->step));
  l->setup = t.data;
}

static bool range_inclusive(const struct loop *l) {
  return strlen(l->op) == 2 && *l->op != '!';
}

// Returns BASE advanced by OFFSET iterations.
static const char *range_advanced(const struct loop *l, const char *base,
                                  const char *offset) {
  const char *times = strcmp(l->step, "1") == 0 ? "" : arena_printf(" * %s", l->step);
  char sign = l->down ? '-' : '+';
  if (l->pointer)
    return arena_printf("(%s %c (long long)((%s)%s))", base, sign, offset, times);
  return arena_printf("(%s)((" COUNTER ")%s %c (%s)%s)", l->type, base, sign, offset,
                      times);
}

const char *range_at(const struct loop *l, const char *offset) {
  return range_advanced(l, l->start, offset);
}

struct loop range_counter(struct builder *b, const struct loop *of) {
  unsigned id = new_id(b);
  return (struct loop){
    .id = id,
    .dim = of->dim,
    .type = COUNTER,
    .start = "0",
    .op = "<",
    .step = "1",
    .var = arena_printf("autotune_q%u", id),
    .end = arena_printf("autotune_g%u", id),
    .count = arena_printf("autotune_g%u", id),
    .prelude = "",
    .needs = of->needs,
    .grid = true,
  };
}

static struct loop part_of(const struct loop *l, uint64_t needs) {
  struct loop p = *l;
  p.setup = "";
  p.guard = NULL;
  p.needs = needs;
  return p;
}

void range_strip(struct builder *b, const struct loop *l, const char *size,
                 struct loop *grid, struct loop *point) {
  struct loop g = range_counter(b, l), p = part_of(l, BIT(g.id));
  unsigned id = g.id;
  const char *done = arena_printf("%s * (%s)", g.var, size),
             *left = arena_printf("autotune_l%u", id);
  const char *last = arena_printf(range_inclusive(l) ? "(%s) - 1" : "%s", size);
  g.setup = arena_printf("%s" COUNTER " %s = %s / (%s) + (%s %% (%s) != 0);\n", l->setup,
                         g.count, l->count, size, l->count, size);
  p.start = arena_printf("autotune_b%u", id);
  p.end = arena_printf("autotune_f%u", id);
  p.count = arena_printf("autotune_m%u", id);
  g.prelude = arena_printf(
      COUNTER " %1$s = %2$s - %3$s, %4$s = %1$s < (%5$s) ? %1$s : (%5$s);\n"
              "%6$s %7$s = %8$s; %6$s %9$s = %1$s > (%5$s) ? %10$s : %11$s;\n",
      left, l->count, done, p.count, size, l->type, p.start, range_at(l, done), p.end,
      range_advanced(l, p.start, last), l->end);
  *grid = g;
  *point = p;
}

// Turns L into a loop that counts. Its own variable is that of iteration OFFSET, an
// expression that the counter's name completes.
static void loops_range_count(struct builder *b, struct loop *l, const char *offset) {
  struct loop r = *l;
  r.var = arena_printf("autotune_r%u", new_id(b));
  r.prelude = arena_printf("%s %s = %s;\n%s", l->type, l->var,
                           range_at(l, arena_printf("%s%s", offset, r.var)), l->prelude);
  r.type = COUNTER;
  r.start = "0", r.end = l->count, r.op = "<", r.step = "1";
  r.down = r.pointer = false;
  *l = r;
}

void range_reverse(struct builder *b, struct loop *l) {
  loops_range_count(b, l, arena_printf("%s - 1 - ", l->count));
}

void range_count(struct builder *b, struct loop *l) {
  loops_range_count(b, l, "");
}

void range_stripe(struct builder *b, const struct loop *l, const char *size,
                  struct loop *offsets, struct loop *stripe) {
  struct loop o = range_counter(b, l), s = part_of(l, BIT(o.id));
  s.var = arena_printf("autotune_p%u", o.id);
  s.count = s.end = arena_printf("autotune_m%u", o.id);
  s.start = "0", s.op = "<", s.step = "1", s.type = COUNTER;
  s.down = s.pointer = false;
  o.setup = arena_printf("%s" COUNTER " %s = %s < (%s) ? %s : (%s);\n", l->setup, o.count,
                         l->count, size, l->count, size);
  o.prelude = arena_printf(COUNTER " %s = (%s - %s - 1) / (%s) + 1;\n", s.count, l->count,
                           o.var, size);
  s.prelude = arena_printf(
      "%s %s = %s;\n%s", l->type, l->var,
      range_at(l, arena_printf("%s + %s * (%s)", o.var, s.var, size)), l->prelude);
  *offsets = o;
  *stripe = s;
}

void range_header(struct text *out, const struct builder *b, const struct loop *l) {
  if (l->raw) {
    write_line(b, out, l->dim->offset);
    text_printf(out, "%.*s ", (int)l->dim->header.size, l->dim->header.data);
    return;
  }
  text_printf(out, "for (%s %s = %s; %s %s %s; ", l->type, l->var, l->start, l->var,
              l->op, l->end);
  if (strcmp(l->step, "1") == 0)
    text_printf(out, "%s%s) ", l->var, l->down ? "--" : "++");
  else
    text_printf(out, "%s %c= %s) ", l->var, l->down ? '-' : '+', l->step);
}
