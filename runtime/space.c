// SPDX-License-Identifier: Apache-2.0
// space.c: the points of a kernel's space. A point is a value index for each parameter; a parameter that
// does not matter (struct autotune_param.when) has index 0, so that no two points are the same variant.
// The constraint is a C function that can be asked about whole points only, so points that exist are
// found by trying, and every such search is bounded.
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "runtime.h"

// Points looked at in one search for an allowed one (some tenths of a second), and drawn at random
// before that search begins.
enum { SCAN_LIMIT = 4 * 1000 * 1000, SAMPLE_TRIES = 65536 };

uint64_t rng_next(uint64_t *state) { // splitmix64: Steele, Lea, Flood, OOPSLA 2014
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static choice rng_below(uint64_t *rng, unsigned n) {
  return (choice)(((rng_next(rng) >> 32) * n) >> 32);
}

void space_init(struct space *s, const struct autotune_kernel *k, void *const *args,
                const struct autotune_machine *m) {
  *s = (struct space){ .kernel = k, .args = args, .machine = m, .size = 1 };
  for (unsigned p = 0; p < k->n_params; p++)
    if (__builtin_mul_overflow(s->size, (uint64_t)k->params[p].n_values, &s->size))
      s->size = UINT64_MAX;
}

// Does parameter P matter at POINT, of which all lower parameters are set?
static bool matters(const struct autotune_kernel *k, const choice *point, unsigned p) {
  for (int when = k->params[p].when; when >= 0; when = k->params[when].when)
    if (k->params[when].values[point[when]].i == 0)
      return false;
  return true;
}

// The constraint alone: POINT's indices are known to be in range and canonical.
static bool satisfies(const struct space *s, const choice *point) {
  const struct autotune_kernel *k = s->kernel;
  const struct autotune_value *values[MAX_PARAMS];
  if (k->n_conditions == 0)
    return true;
  for (unsigned p = 0; p < k->n_params; p++)
    values[p] = &k->params[p].values[point[p]];
  for (unsigned i = 0; i < k->n_conditions; i++)
    if (k->conditions[i].holds(values, s->args, s->machine) == 0)
      return false;
  return true;
}

bool space_allows(const struct space *s, const choice *point) {
  const struct autotune_kernel *k = s->kernel;
  for (unsigned p = 0; p < k->n_params; p++)
    if (point[p] >= k->params[p].n_values || (point[p] != 0 && !matters(k, point, p)))
      return false;
  return satisfies(s, point);
}

// The next canonical point in lexicographic order, allowed or not.
static bool advance(const struct space *s, choice *point) {
  const struct autotune_kernel *k = s->kernel;
  for (unsigned p = k->n_params; p-- > 0; point[p] = 0)
    if (matters(k, point, p) && point[p] + 1 < k->params[p].n_values) {
      point[p]++;
      return true;
    }
  return false;
}

// From POINT on, itself included; *STEPS is what is left of the search's bound.
static bool scan(const struct space *s, choice *point, unsigned *steps) {
  while (*steps > 0) {
    --*steps;
    if (satisfies(s, point))
      return true;
    if (!advance(s, point))
      return false;
  }
  return false;
}

bool space_first(const struct space *s, choice *point) {
  unsigned steps = SCAN_LIMIT;
  memset(point, 0, s->kernel->n_params * sizeof *point);
  return s->size > 0 && scan(s, point, &steps);
}

bool space_next(const struct space *s, choice *point) {
  unsigned steps = SCAN_LIMIT;
  return advance(s, point) && scan(s, point, &steps);
}

static void draw(const struct space *s, uint64_t *rng, choice *point) {
  const struct autotune_kernel *k = s->kernel;
  for (unsigned p = 0; p < k->n_params; p++)
    point[p] = matters(k, point, p) ? rng_below(rng, k->params[p].n_values) : 0;
}

bool space_sample(const struct space *s, uint64_t *rng, choice *point) {
  if (s->size == 0)
    return false;
  for (int i = 0; i < SAMPLE_TRIES; i++) {
    draw(s, rng, point);
    if (satisfies(s, point))
      return true;
  }
  unsigned steps = SCAN_LIMIT; // few are allowed: the next one after a random point, and around the end
  draw(s, rng, point);
  if (scan(s, point, &steps))
    return true;
  memset(point, 0, s->kernel->n_params * sizeof *point);
  return scan(s, point, &steps);
}

bool space_original(const struct space *s, choice *point) {
  const struct autotune_kernel *k = s->kernel;
  for (unsigned p = 0; p < k->n_params; p++) {
    bool known = k->params[p].original < k->params[p].n_values;
    point[p] = known && matters(k, point, p) ? k->params[p].original : 0;
  }
  return s->size > 0 && satisfies(s, point);
}

uint64_t space_count(const struct space *s, uint64_t limit) {
  choice point[MAX_PARAMS] = { 0 };
  unsigned steps = SCAN_LIMIT;
  uint64_t n = 0;
  if (s->size == 0)
    return 0;
  while (n < limit && scan(s, point, &steps)) {
    n++;
    if (!advance(s, point))
      return n;
  }
  return steps == 0 ? limit : n;
}

bool space_equal(const struct space *s, const choice *a, const choice *b) {
  return memcmp(a, b, s->kernel->n_params * sizeof *a) == 0;
}

uint64_t space_hash(const struct space *s, const choice *point) {
  return XXH3_64bits(point, s->kernel->n_params * sizeof *point);
}

// ---- points as text ----------------------------------------------------------------------------

// "NAME=VALUE" and the separator for the parameters in ORDER; malloc'ed.
static char *join(const struct autotune_kernel *k, const choice *point, const unsigned *order,
                  unsigned n, char separator) {
  size_t size = 1;
  for (unsigned i = 0; i < n; i++) {
    const struct autotune_param *p = &k->params[order[i]];
    size += strlen(p->name) + strlen(p->values[point[order[i]]].text) + 2;
  }
  char *text = sys_malloc(size), *at = text;
  for (unsigned i = 0; text && i < n; i++) {
    const struct autotune_param *p = &k->params[order[i]];
    at = stpcpy(stpcpy(stpcpy(at, p->name), "="), p->values[point[order[i]]].text);
    *at++ = separator;
  }
  if (text)
    *at = '\0';
  return text;
}

char *space_describe(const struct space *s, const choice *point) {
  const struct autotune_kernel *k = s->kernel;
  unsigned order[MAX_PARAMS], n = 0;
  for (unsigned p = 0; p < k->n_params; p++)
    if (matters(k, point, p))
      order[n++] = p;
  char *text = join(k, point, order, n, ' ');
  size_t size = text ? strlen(text) : 0;
  if (size > 0)
    text[size - 1] = '\0';
  return text;
}

char *space_values(const struct autotune_kernel *k, const choice *point) {
  unsigned order[MAX_PARAMS];
  for (unsigned n = 0; n < k->n_params; n++) { // insertion sort: a dozen parameters
    unsigned i = n;
    for (; i > 0 && strcmp(k->params[order[i - 1]].name, k->params[n].name) > 0; i--)
      order[i] = order[i - 1];
    order[i] = n;
  }
  return join(k, point, order, k->n_params, '\n');
}
