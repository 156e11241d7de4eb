// SPDX-License-Identifier: Apache-2.0
// hints.c: a tuning that begins where others ended. What was fast for the nearest keys of
// a kernel, for its earlier text and for kernels like it is tried before the search
// proposes anything: most of the time the best is then known after a few trials, and the
// search is told of them all.
//
// Sources stand in a table. A hint costs one trial and can do no harm besides.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/space.h"
#include "keep/store/store.h"
#include "tune.h"
#include "keep/wisdom/wisdom.h"

enum { OWN = 4 }; // of the same problem's variants

struct request {
  struct store *store;
  const struct space *space;
  const struct identity *id;
  struct hints *out;
};

// ---- a point from the names and values of another -----------------------------------

struct text {
  const char *data;
  size_t size;
};

static bool is_text(struct text t, const char *s) {
  return strlen(s) == t.size && memcmp(t.data, s, t.size) == 0;
}

// The value that VALUES gives NAME; data NULL: none.
static struct text value_in(const char *values, const char *name) {
  size_t n = strlen(name);
  for (const char *line = values; *line;
       line += strcspn(line, "\n"), line += *line == '\n')
    if (strncmp(line, name, n) == 0 && line[n] == '=')
      return (struct text){ line + n + 1, strcspn(line + n + 1, "\n") };
  return (struct text){ NULL, 0 };
}

// "tile@12.1": the length of "tile@", and 12.1 as one number that orders; 0: no such
// name.
static size_t hints_directive(const char *name, unsigned long long *order) {
  const char *at = memchr(name, '@', strcspn(name, "=\n"));
  char *end;
  if (!at)
    return 0;
  unsigned long long line = strtoull(at + 1, &end, 10);
  *order = line << 16 | (*end == '.' ? strtoull(end + 1, NULL, 10) & 0xffff : 0);
  return (size_t)(at - name) + 1;
}

// Lines move: the I-th parameter of such directives here is the I-th there, if there are
// as many.
static struct text value_by_order(const struct autotune_kernel *k, const char *values,
                                  const char *name) {
  unsigned long long own, order;
  unsigned rank = 0, here = 0, there = 0;
  size_t n = hints_directive(name, &own);
  struct text best = { NULL, 0 };
  for (unsigned p = 0; n > 0 && p < k->n_params; p++)
    if (strncmp(k->params[p].name, name, n) == 0 &&
        hints_directive(k->params[p].name, &order) == n) {
      here++;
      rank += order < own;
    }
  for (const char *line = values; n > 0 && *line;
       line += strcspn(line, "\n"), line += *line == '\n') {
    unsigned before = 0;
    if (strncmp(line, name, n) != 0 || hints_directive(line, &own) != n)
      continue;
    there++;
    for (const char *l = values; *l; l += strcspn(l, "\n"), l += *l == '\n')
      before += strncmp(l, name, n) == 0 && hints_directive(l, &order) == n &&
          order < own;
    const char *equals = memchr(line, '=', strcspn(line, "\n"));
    if (before == rank && equals)
      best = (struct text){ equals + 1, strcspn(equals + 1, "\n") };
  }
  return here == there ? best : (struct text){ NULL, 0 };
}

static bool hints_is_number(const struct autotune_param *p) {
  return p->kind == AUTOTUNE_INT || p->kind == AUTOTUNE_REAL;
}

// The candidate that TEXT names, or the nearest by ratio; n_values: none.
static unsigned hints_candidate(const struct autotune_param *p, struct text text) {
  unsigned best = p->n_values;
  double nearest = INFINITY;
  for (unsigned v = 0; text.data && v < p->n_values; v++)
    if (is_text(text, p->values[v].text))
      return v;
  if (!text.data || !hints_is_number(p))
    return best;
  double wanted = strtod(text.data, NULL); // ends at the line's end
  for (unsigned v = 0; v < p->n_values; v++) {
    double d = p->values[v].d, far = fabs(d - wanted);
    if (d > 0 && wanted > 0)
      far = fabs(log2(d / wanted));
    if (far < nearest) {
      nearest = far;
      best = v;
    }
  }
  return best;
}

// Sets what does not matter to 0, as points have it.
static void make_canonical(const struct autotune_kernel *k, choice *point) {
  for (unsigned p = 0; p < k->n_params; p++)
    for (int when = k->params[p].when; when >= 0; when = k->params[when].when)
      if (k->params[when].values[point[when]].i == 0)
        point[p] = 0;
}

bool hints_point(const struct space *space, const char *values, choice *point) {
  const struct autotune_kernel *k = space->kernel;
  unsigned known = 0;
  for (unsigned p = 0; p < k->n_params; p++) {
    const struct autotune_param *param = &k->params[p];
    struct text text = value_in(values, param->name);
    if (!text.data)
      text = value_by_order(k, values, param->name);
    unsigned v = hints_candidate(param, text);
    known += v < param->n_values;
    point[p] = v < param->n_values          ? v
        : param->original < param->n_values ? param->original
                                            : 0;
  }
  make_canonical(k, point);
  uint64_t rng = 1; // the same each time
  return known > 0 && (space_allows(space, point) || space_repair(space, &rng, point));
}

struct hint *hints_add(struct hints *h, const struct space *space, const char *values,
                       const char *from) {
  if (h->n == MAX_HINTS)
    return NULL;
  struct hint *hint = &h->items[h->n];
  if (!hints_point(space, values, hint->point))
    return NULL;
  for (unsigned i = 0; i < h->n; i++)
    if (space_equal(space, h->items[i].point, hint->point))
      return NULL;
  snprintf(hint->from, sizeof hint->from, "%s", from);
  hint->near = false;
  h->n++;
  return hint;
}

// ---- sources ------------------------------------------------------------------------

struct adding {
  struct request *request;
  const struct relative *relative;
};

static void tune_hints_add(const char *values, double seconds, void *data) {
  struct adding *a = data;
  (void)seconds;
  struct hint *hint =
      hints_add(a->request->out, a->request->space, values, a->relative->name);
  if (hint)
    hint->near = a->relative->near;
}

// The winners of all, then the next best of the nearest, and so on: another key's second
// is worth less than its first, and so is a farther key's first.
static void from_relatives(struct request *r) {
  struct relative relatives[MAX_RELATIVES];
  static const unsigned rounds[] = { 1, 4 };
  unsigned n = store_relatives(r->store, r->id, relatives);
  for (unsigned round = 0; round < 2; round++)
    for (unsigned i = 0; i < n && i < (round ? 2 : MAX_RELATIVES); i++)
      store_fastest(r->store, relatives[i].problem, rounds[round], tune_hints_add,
                    &(struct adding){ r, &relatives[i] });
}

static void hints_from_wisdom(struct request *r) {
  const struct wisdom_entry *near[3];
  unsigned n = wisdom_near(r->id, near, 3);
  for (unsigned i = 0; i < n; i++) {
    char name[sizeof r->out->items->from];
    wisdom_name(near[i], r->id, name, sizeof name);
    hints_add(r->out, r->space, near[i]->summary.values, name);
  }
}

static void (*const sources[])(struct request *r) = {
  hints_from_wisdom,
  from_relatives,
};

void hints_own(struct store *store, const struct space *space, const struct identity *id,
               struct hints *out) {
  struct request r = { store, space, id, out };
  struct relative own = { .name = "an earlier run" };
  out->n = 0;
  store_fastest(store, problem_id(id), OWN, tune_hints_add, &(struct adding){ &r, &own });
}

void hints_find(struct store *store, const struct space *space, const struct identity *id,
                struct hints *out) {
  struct request r = { store, space, id, out };
  out->n = 0;
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
    sources[i](&r);
}
