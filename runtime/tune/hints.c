// SPDX-License-Identifier: Apache-2.0
// hints.c: lets a tuning begin where others ended. Points that were fast for the nearest
// keys of a kernel, for its earlier text and for similar kernels are tried before the
// search proposes any. Most of the time the best is then known after a few trials. The
// search is told of all of them. Where nothing is known from elsewhere, guesses (guess.h)
// take their place.
//
// The sources of hints are in a table. A wrong hint costs one trial and does no other
// harm.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/space.h"
#include "model/value.h"
#include "keep/store/store.h"
#include "guess.h"
#include "tune.h"
#include "keep/wisdom/wisdom.h"

enum { OWN = 4 }; // variants of the same problem that are hints
enum { MOST_FLAGS = 4 };

struct request {
  struct store *store;
  const struct space *space;
  const struct identity *id;
  struct hints *out;
};

// ---- a point from the names and values of another -----------------------------------

// True if NAME, of SIZE bytes, is a parameter of a directive like the one of LIKE, which
// is at place P. OWN: the place of NAME.
static bool hints_is_alike(const char *name, size_t size, const char *like,
                           const struct place *p, struct place *own) {
  return place_read(name, size, own) && own->stem == p->stem &&
      memcmp(name, like, p->stem) == 0;
}

// Matches parameters by their order, since lines move: the I-th parameter of such
// directives here is the I-th there, if there are equally many. False: no match.
static bool find_by_order(const struct autotune_kernel *k, const char *values,
                          const char *name, struct named_value *out) {
  struct place place, own, other;
  struct named_value s, t;
  unsigned rank = 0, here = 0, there = 0;
  bool found = false;
  if (!place_read(name, strlen(name), &place))
    return false;
  for (unsigned p = 0; p < k->n_params; p++) {
    const char *its = k->params[p].name;
    if (hints_is_alike(its, strlen(its), name, &place, &other)) {
      here++;
      rank += place_before(&other, &place);
    }
  }
  for (const char *at = values; value_next(&at, &s);) {
    unsigned before = 0;
    if (!hints_is_alike(s.name, s.name_size, name, &place, &own))
      continue;
    there++;
    for (const char *l = values; value_next(&l, &t);)
      before += hints_is_alike(t.name, t.name_size, name, &place, &other) &&
          place_before(&other, &own);
    if (before == rank) {
      *out = s;
      found = true;
    }
  }
  return found && here == there;
}

static bool hints_is_number(const struct autotune_param *p) {
  return p->kind == AUTOTUNE_INT || p->kind == AUTOTUNE_REAL;
}

// Returns the index of the candidate value that S names, or of the nearest by ratio;
// n_values: none.
static unsigned hints_candidate(const struct autotune_param *p,
                                const struct named_value *s) {
  unsigned best = value_choice(s, p);
  double nearest = INFINITY;
  if (best < p->n_values || !hints_is_number(p))
    return best;
  double wanted = strtod(s->value, NULL); // ends at the line's end
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

// Sets parameters that do not matter to 0, as in all points.
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
    struct named_value s;
    bool said = value_find(values, param->name, strlen(param->name), &s) ||
        find_by_order(k, values, param->name, &s);
    unsigned v = said ? hints_candidate(param, &s) : param->n_values;
    known += v < param->n_values;
    point[p] = v < param->n_values          ? v
        : param->original < param->n_values ? param->original
                                            : 0;
  }
  make_canonical(k, point);
  uint64_t rng = 1; // the same each time
  return known > 0 && (space_allows(space, point) || space_repair(space, &rng, point));
}

// Keeps the point of the next hint. NULL: it is there already.
static struct hint *hints_keep(struct hints *h, const struct space *space,
                               const char *from) {
  struct hint *hint = &h->items[h->n];
  for (unsigned i = 0; i < h->n; i++)
    if (space_equal(space, h->items[i].point, hint->point))
      return NULL;
  snprintf(hint->from, sizeof hint->from, "%s", from);
  hint->near = false;
  h->n++;
  return hint;
}

struct hint *hints_add(struct hints *h, const struct space *space, const char *values,
                       const char *from) {
  bool found = h->n < MAX_HINTS && hints_point(space, values, h->items[h->n].point);
  return found ? hints_keep(h, space, from) : NULL;
}

// ---- sources ------------------------------------------------------------------------

struct adding {
  struct request *request;
  const struct relative *relative;
};

static void tune_hints_add(const char *values, double cost, void *data) {
  struct adding *a = data;
  (void)cost;
  struct hint *hint =
      hints_add(a->request->out, a->request->space, values, a->relative->name);
  if (hint)
    hint->near = a->relative->near;
}

// Adds the winners of all relatives, then the next best variants of the nearest two.
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

static const struct autotune_param *hints_param(const struct autotune_kernel *k,
                                                unsigned kind, const char *name) {
  for (unsigned p = 0; p < k->n_params; p++)
    if (k->params[p].kind == kind && strcmp(k->params[p].name, name) == 0)
      return &k->params[p];
  return NULL;
}

// Adds the kernel without any directive, with its flags from number BEGIN to before END.
static void hints_as_written(const struct space *space, unsigned begin, unsigned end,
                             struct hints *out) {
  const struct autotune_kernel *k = space->kernel;
  const struct autotune_param *flags = hints_param(k, AUTOTUNE_FLAGS, "flags");
  if (!hints_param(k, AUTOTUNE_CHOICE, "directives"))
    return;
  for (unsigned v = begin; v < (flags ? flags->n_values : 1) && v < end; v++) {
    char *values = flags ? sys_printf("directives=no\nflags=%s\n", flags->values[v].text)
                         : sys_strdup("directives=no\n");
    if (values)
      hints_add(out, space, values, "");
    free(values);
  }
}

// Adds guesses, unless something is known from elsewhere.
static void hints_guess(const struct space *space, struct hints *out) {
  size_t width = space->kernel->n_params;
  choice points[GUESSES * MAX_PARAMS];
  bool known = out->n > 0 && *out->items[out->n - 1].from;
  unsigned n = known ? 0 : guess_points(space, points, GUESSES);
  for (unsigned i = 0; i < n; i++) {
    memcpy(out->items[out->n].point, points + i * width, width * sizeof *points);
    hints_keep(out, space, "");
  }
}

void hints_find(struct store *store, const struct space *space, const struct identity *id,
                bool guess, struct hints *out) {
  struct request r = { store, space, id, out };
  out->n = 0;
  hints_as_written(space, 0, guess ? 1 : MOST_FLAGS, out);
  for (size_t i = store || wisdom_given() ? 0 : sizeof sources / sizeof *sources;
       i < sizeof sources / sizeof *sources; i++)
    sources[i](&r);
  if (guess) {
    hints_guess(space, out);
    hints_as_written(space, 1, MOST_FLAGS, out);
  }
}
