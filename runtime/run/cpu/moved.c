// SPDX-License-Identifier: Apache-2.0
// moved.c: how far rounding moves memory that no section names. The default runs again
// with nudged inputs and with all operations rounded up, and the kernel as written as the
// variants' compiler makes it. Each number of a group may be off by as much as numbers of
// its size moved, as in run/rounding.c: one scale for a whole group would say nothing of
// the small ones, and integers that look like floats would make it too large.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "unnamed.h"

enum {
  ALLOWANCE = 16, // times what was seen
  DIRECTED = 4,   // the same where all operations were rounded in one direction
  MOST = 8,       // all but one of so many
  NEAR = 10,      // sizes: numbers up to 1000 times as large
  ENOUGH = 8,     // numbers that moved, to know their largest move
  ALONE = 8,      // times as far as all others, with what is allowed anyway
  LAST = 128      // last digits of the number in the middle, at least
};

// Returns an index for the size of X: 0 for zero.
static unsigned moved_size(double x) {
  int e = x == 0 ? 0 : ilogb(x) + MOVED_SIZES / 2;
  return x == 0 ? 0 : e < 1 ? 1 : e < MOVED_SIZES ? (unsigned)e : MOVED_SIZES - 1;
}

// Returns what number I of the two at OWN, or of one, may be off by itself.
static double moved_get(const char *own, bool floats, unsigned i) {
  float f;
  double d;
  memcpy(&f, own + i * sizeof f, sizeof f);
  memcpy(&d, own, sizeof d);
  return floats ? (double)f : d;
}

static void moved_set(char *own, bool floats, unsigned i, double x) {
  float f = (float)x;
  if (floats)
    memcpy(own + i * sizeof f, &f, sizeof f);
  else
    memcpy(own, &x, sizeof x);
}

double moved_atol(struct reading r, bool floats, unsigned i, double expected,
                  double atol) {
  if (!r.table)
    return atol;
  double shared = r.table->atols[floats][moved_size(expected)];
  double least = !floats || r.scaled ? r.table->least[floats] : 0;
  return fmax(fmax(shared, least), r.own ? moved_get(r.own, floats, i) : 0);
}

// ---- after a run ----------------------------------------------------------------------

struct moved_run {
  struct unnamed *u;
  enum moved_by by;
  double step, data; // of the nudges, and the scale of what the call reads and writes
};

// The scale and the relative tolerance of doubles, or of floats, of a group.
static double moved_rtol(const struct group *g, bool floats) {
  return floats ? g->unscaled.rtol : g->as_double.rtol;
}
static double moved_scale(const struct group *g, bool floats) {
  return (floats ? g->as_float.atol : g->as_double.atol) / moved_rtol(g, floats);
}

// Returns by how much more than usual a number moves of which nothing but rounding is
// left.
static double moved_far(double rtol, double scale) {
  return sqrt(rtol) * scale;
}

// Returns what a number WAS may be off by that moved by MOVE.
static double moved_allowance(const struct moved_run *v, const struct group *g,
                              bool floats, double was, double move) {
  const double rtol = moved_rtol(g, floats), scale = moved_scale(g, floats),
               data = fmax(v->data, scale), allowed = ALLOWANCE * move;
  if (v->by == MOVED_ROUNDED) // errors that add up, and do not cancel; rint moves by more
    return fmin(DIRECTED * move, rtol * data);
  if (v->by == MOVED_AGAIN)
    return allowed;
  bool left = fabs(was) <= ALLOWANCE * v->step * data;
  if (v->by == MOVED_APART && allowed > moved_far(rtol, left ? data : scale))
    return 0;
  return fmax(allowed, rtol * fmin(move / v->step, data));
}

// Notes how far word W of K, which is GOT where EXPECTED stands, moved.
static void moved_word(const struct moved_run *v, struct kept *k, size_t w,
                       const char *expected, const char *got) {
  const struct reading r = group_reading(v->u, k, w);
  if (!r.group || (k->restless >> w & 1))
    return;
  const bool floats = r.floats && r.group->floats;
  char *own = v->u->moves + k->at / 2 + w * WORD;
  for (unsigned i = 0; i < (floats ? 2 : 1); i++) {
    const size_t at = i * sizeof(float);
    double was, is;
    if ((!floats && !r.group->doubles) || !group_number(floats, expected + at, &was) ||
        !group_number(floats, got + at, &is) || was == is)
      continue;
    double allowed = moved_allowance(v, r.group, floats, was, fabs(is - was)),
           before = moved_get(own, floats, i);
    unsigned char bit = (unsigned char)(1 << w);
    if (allowed > 4 * before)
      k->again &= (unsigned char)~bit;
    else if (4 * allowed > before)
      k->again |= bit;
    moved_set(own, floats, i, fmax(allowed, before));
  }
}

static void moved_open(struct unnamed *u, bool open) {
  if (u->sealed)
    mprotect(u, sizeof *u, open ? PROT_READ | PROT_WRITE : PROT_READ);
}

bool moved_wanted(const struct image *m) {
  return m->unnamed->n > 0 && !m->unnamed->lost &&
      verify_needs_scale(verify_allowed(m->kernel, AUTOTUNE_F64));
}

void moved_note(const struct image *m, enum moved_by by) {
  struct moved_run v = { m->unnamed, by, 0, 0 };
  if (!moved_wanted(m))
    return;
  rounding_known(m, &v.step, &v.data);
  moved_open(v.u, true);
  group_make_all(m, false);
  for (unsigned i = 0; i < v.u->n; i++) {
    struct kept *k = &v.u->list[i];
    const char *expected = v.u->bytes + k->at + k->size;
    char got[PIECE];
    changes_copy(got, k->base, k->size);
    if (k->size % WORD != 0 || memcmp(got, expected, k->size) == 0)
      continue;
    for (size_t at = 0; at < k->size; at += WORD)
      moved_word(&v, k, at / WORD, expected + at, got + at);
  }
  v.u->measured = true;
  moved_open(v.u, false);
}

// ---- what it allows -------------------------------------------------------------------

// The numbers of one size that moved.
struct moved_class {
  unsigned n;
  double most, next; // the largest allowance, and the largest of others
  bool again;        // the number with the largest moved as far more than once
};
struct moved_numbers {
  struct moved_class of[MOVED_SIZES];
  unsigned long long n, far;
  unsigned long long all, sizes[MOVED_SIZES]; // whether they moved or not, without zeros
};

static void moved_add(struct moved_class *c, double allowed, bool again) {
  c->n++;
  if (allowed > c->most) {
    c->next = c->most;
    c->most = allowed;
    c->again = again;
  } else {
    c->next = fmax(c->next, allowed);
  }
}

// Adds the numbers of the pieces from FIRST to before END that moved by less than FAR.
static void moved_gather(const struct unnamed *u, unsigned first, unsigned end,
                         bool floats, double far, struct moved_numbers *out) {
  for (unsigned i = first; i < end; i++) {
    const struct kept *k = &u->list[i];
    for (size_t w = 0; k->size % WORD == 0 && w < k->size / WORD; w++) {
      const struct reading r = group_reading(u, k, w);
      const char *own = u->moves + k->at / 2 + w * WORD;
      if (!r.group || (r.floats && r.group->floats) != floats)
        continue;
      for (unsigned h = 0; h < (floats ? 2 : 1); h++) {
        double allowed = moved_get(own, floats, h), x;
        size_t at = k->at + k->size + w * WORD + h * sizeof(float);
        if (!group_number(floats, u->bytes + at, &x))
          continue;
        out->all += x != 0;
        out->sizes[moved_size(x)] += x != 0;
        out->n += allowed > 0;
        out->far += allowed > far;
        if (allowed > 0 && allowed <= far)
          moved_add(&out->of[moved_size(x)], allowed, k->again >> w & 1);
      }
    }
  }
}

// Returns what numbers of SIZE may be off by: the most of them and, where those are few,
// of larger ones. A number that moved further than all others, and did so again, is one
// that rounding decides, and says nothing of the others.
static double moved_shared(const struct moved_class *of, unsigned size) {
  struct moved_class all = { 0 };
  for (unsigned i = size; i < MOVED_SIZES && all.n < ENOUGH; i++) {
    if ((all.n > 0 || size > 0) && i > size + NEAR)
      break; // a number that stayed while only far larger ones moved is exact
    unsigned n = all.n + of[i].n;
    if (of[i].n > 0)
      moved_add(&all, of[i].most, of[i].again);
    all.next = fmax(all.next, of[i].next);
    all.n = n;
  }
  return all.again && all.next > 0 && all.most > ALONE * all.next ? all.next : all.most;
}

// Returns the power of two above the number in the middle. It is a scale that neither few
// large numbers nor integers that look like floats make larger; 0: there is none.
static double moved_middle(const struct moved_numbers *numbers) {
  unsigned long long below = 0;
  unsigned size = 0;
  while (size < MOVED_SIZES && 2 * (below += numbers->sizes[size]) < numbers->all)
    size++;
  return numbers->all ? ldexp(1, (int)size - MOVED_SIZES / 2 + 1) : 0;
}

static void moved_make(const struct unnamed *u, unsigned first, unsigned end, bool floats,
                       struct moved_table *table) {
  const struct group *g = &u->groups[u->list[first].group];
  const double rtol = moved_rtol(g, floats), scale = moved_scale(g, floats),
               digit = floats ? 0x1p-24 : 0x1p-53;
  double far = moved_far(rtol, scale);
  struct moved_numbers *numbers = sys_calloc(1, sizeof *numbers);
  if (!numbers) {
    for (unsigned size = 0; size < MOVED_SIZES; size++)
      table->atols[floats][size] = rtol * scale;
    return;
  }
  moved_gather(u, first, end, floats, far, numbers);
  if (numbers->far * MOST >= numbers->n * (MOST - 1)) { // all are nothing but rounding
    *numbers = (struct moved_numbers){ .n = 0 };
    moved_gather(u, first, end, floats, INFINITY, numbers);
  }
  table->least[floats] = fmin(rtol * scale, LAST * digit * moved_middle(numbers));
  for (unsigned size = 0; size < MOVED_SIZES; size++)
    table->atols[floats][size] = moved_shared(numbers->of, size);
  free(numbers);
}

void moved_settle(const struct image *m) {
  struct unnamed *u = m->unnamed;
  if (!moved_wanted(m) || !u->measured)
    return;
  moved_open(u, true);
  u->n_tables = 0;
  for (unsigned i = 0, end; i < u->n; i = end) {
    unsigned group = u->list[i].group;
    end = i + 1;
    if (group == 0)
      continue;
    while (end < u->n && (u->list[end].group == group || u->list[end].group == 0))
      end++;
    if (u->n_tables == MAX_TABLES)
      break;
    moved_make(u, i, end, false, &u->tables[u->n_tables]);
    moved_make(u, i, end, true, &u->tables[u->n_tables]);
    u->groups[group].table = ++u->n_tables;
  }
  moved_open(u, false);
}
