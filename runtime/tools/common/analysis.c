// SPDX-License-Identifier: Apache-2.0
// analysis.c: statistics over the rows of one problem: how many variants failed and why,
// which one was fastest, and how much each parameter mattered.
#include <stdlib.h>
#include <string.h>

#include "model/value.h"
#include "analysis.h"

// ---- records ------------------------------------------------------------------------

static int estimate_records(struct analysis *a) {
  const struct listed *item = a->item;
  a->estimates = sys_calloc(item->n_records, sizeof *a->estimates);
  a->costs = sys_calloc(item->n_records, sizeof *a->costs);
  a->order = sys_calloc(item->n_records, sizeof *a->order);
  if (!a->estimates || !a->costs || !a->order)
    return -1;
  for (unsigned i = 0; i < item->n_records; i++) {
    const struct record *r = &item->records[i];
    if (r->n_samples == 0)
      continue;
    a->estimates[i] = record_shown(r);
    a->costs[i] = record_cost(r).median;
    if (a->estimates[i].n == 0)
      return -1;
  }
  return 0;
}

static void count_records(struct analysis *a) {
  const struct listed *item = a->item;
  for (unsigned i = 0; i < item->n_records; i++) {
    const struct record *r = &item->records[i];
    if (r->status == STATUS_PENDING && store_owner_lives(r)) {
      a->n_running++;
      continue;
    }
    a->statuses[r->status]++;
    a->tried += r->status != STATUS_DROPPED;
    if (!a->example[r->status] || (!*a->example[r->status]->message && *r->message))
      a->example[r->status] = r;
    if (r->status == STATUS_OK && a->estimates[i].n > 0)
      a->order[a->n_order++] = i;
  }
}

static int compare_costs(const void *x, const void *y, void *data) {
  const double *costs = data;
  double a = costs[*(const unsigned *)x], b = costs[*(const unsigned *)y];
  return (a > b) - (a < b);
}

// Brings all costs to the scale of the best's time, as it is shown: nothing that lost
// seems faster than what won.
static void analysis_scale(struct analysis *a) {
  const struct listed *item = a->item;
  double own = 0;
  for (unsigned i = 0; i < item->n_records && item->finished; i++)
    if (item->records[i].variant == item->summary.winner)
      own = a->costs[i];
  if (!(own > 0) && a->n_order)
    own = a->costs[a->order[0]];
  for (unsigned i = 0; i < item->n_records && own > 0 && a->has_best; i++)
    a->costs[i] *= a->best.median / own;
}

// Takes the numbers of the last tuning's summary, if there is one: the rows may come from
// several tunings.
static void analysis_summarize(struct analysis *a) {
  const struct listed *item = a->item;
  if (item->finished) {
    const struct summary *m = &item->summary;
    unsigned bad = analysis_count_failed(m->failed);
    a->tried = m->tried;
    memcpy(a->statuses, m->failed, sizeof a->statuses);
    a->statuses[STATUS_OK] = m->tried > bad ? m->tried - bad : 0;
    a->original = m->original;
    a->has_original = m->original.median > 0;
    a->best = m->best;
    a->has_best = m->best.median > 0 && (m->winner || a->statuses[STATUS_OK] > 0);
  }
  if (!a->has_best && a->n_order) {
    a->best = a->estimates[a->order[0]];
    a->has_best = a->best.median > 0;
  }
}

// ---- parameters ---------------------------------------------------------------------

static int compare_values(const void *x, const void *y) {
  const struct best_value *a = x, *b = y;
  char *end_a, *end_b;
  double p = strtod(a->value, &end_a), q = strtod(b->value, &end_b);
  if (end_a != a->value && end_b != b->value && !*end_a && !*end_b && p != q)
    return p < q ? -1 : 1;
  return strcmp(a->value, b->value);
}

static int compare_influence(const void *x, const void *y) {
  const struct influence *a = x, *b = y;
  if (a->ratio != b->ratio)
    return a->ratio > b->ratio ? -1 : 1;
  return strcmp(a->name, b->name);
}

// Makes room in LIST for one more element than N. Doubles the list at powers of two, and
// zeroes the new part. NULL: no memory, and the list is unchanged.
static void *analysis_grow(void *list, unsigned n, size_t size) {
  if (n & (n - 1))
    return list;
  char *grown = sys_realloc(list, (n ? 2 * (size_t)n : 1) * size);
  if (grown)
    memset(grown + n * size, 0, (n ? n : 1) * size);
  return grown;
}

static struct influence *analysis_find_param(struct analysis *a, const char *name) {
  for (unsigned i = 0; i < a->n_params; i++)
    if (strcmp(a->params[i].name, name) == 0)
      return &a->params[i];
  struct influence *grown = analysis_grow(a->params, a->n_params, sizeof *grown);
  if (!grown)
    return NULL;
  a->params = grown;
  a->params[a->n_params].name = name;
  return &a->params[a->n_params++];
}

static int analysis_add_value(struct influence *p, const char *value, double median) {
  struct best_value *v = NULL;
  for (unsigned i = 0; i < p->n_values && !v; i++)
    if (strcmp(p->values[i].value, value) == 0)
      v = &p->values[i];
  if (!v) {
    struct best_value *grown = analysis_grow(p->values, p->n_values, sizeof *grown);
    if (!grown)
      return -1;
    p->values = grown;
    v = &p->values[p->n_values++];
    *v = (struct best_value){ .value = value, .best = median };
  }
  v->n++;
  if (median < v->best)
    v->best = median;
  return 0;
}

// Ends the name and the value of S, which are in our own copy, with a NUL.
static void analysis_end(const struct named_value *s) {
  ((char *)(uintptr_t)s->name)[s->name_size] = '\0';
  ((char *)(uintptr_t)s->value)[s->size] = '\0';
}

// Adds the values in COPY, a copy of the text ALL.
static int analysis_add_values(struct analysis *a, const char *all, const char *copy,
                               double median) {
  for (struct named_value s; value_next(&copy, &s);) {
    if (!value_matters(all, &s))
      continue;
    analysis_end(&s);
    struct influence *p = analysis_find_param(a, s.name);
    if (!p || analysis_add_value(p, s.value, median) != 0)
      return -1;
  }
  return 0;
}

static void analysis_rank(struct influence *p) {
  double least = p->values[0].best, most = least;
  for (unsigned i = 1; i < p->n_values; i++) {
    least = p->values[i].best < least ? p->values[i].best : least;
    most = p->values[i].best > most ? p->values[i].best : most;
  }
  p->ratio = least > 0 ? most / least : 1;
  qsort(p->values, p->n_values, sizeof *p->values, compare_values);
}

// Points each parameter to its value in the winner.
static void analysis_choose(struct analysis *a, const char *all, const char *copy) {
  for (struct named_value s; value_next(&copy, &s);) {
    if (!value_matters(all, &s))
      continue;
    analysis_end(&s);
    for (unsigned i = 0; i < a->n_params; i++)
      if (strcmp(a->params[i].name, s.name) == 0)
        a->params[i].chosen = s.value;
  }
}

// Finds the influence of each parameter from the variants that were right.
static int analyse_params(struct analysis *a) {
  const struct listed *item = a->item;
  const char *winner = item->finished ? item->summary.values
      : a->n_order                    ? item->records[a->order[0]].values
                                      : "";
  size_t size = strlen(winner) + 1;
  for (unsigned i = 0; i < a->n_order; i++)
    size += strlen(item->records[a->order[i]].values) + 1;
  char *p = a->block = sys_malloc(size);
  if (!p)
    return -1;
  for (unsigned i = 0; i < a->n_order; i++) {
    const char *values = item->records[a->order[i]].values;
    size_t n = strlen(values) + 1;
    memcpy(p, values, n);
    if (analysis_add_values(a, values, p, a->costs[a->order[i]]) != 0)
      return -1;
    p += n;
  }
  for (unsigned i = 0; i < a->n_params; i++)
    analysis_rank(&a->params[i]);
  strcpy(p, winner);
  analysis_choose(a, winner, p);
  if (a->n_params)
    qsort(a->params, a->n_params, sizeof *a->params, compare_influence);
  return 0;
}

static int analysis_make(struct analysis *a, const struct listed *item) {
  *a = (struct analysis){ .item = item };
  if (estimate_records(a) != 0)
    return -1;
  count_records(a);
  qsort_r(a->order, a->n_order, sizeof *a->order, compare_costs, a->costs);
  analysis_summarize(a);
  analysis_scale(a);
  return analyse_params(a);
}

static void analysis_free(struct analysis *a) {
  for (unsigned i = 0; i < a->n_params; i++)
    free(a->params[i].values);
  free(a->params);
  free(a->estimates);
  free(a->costs);
  free(a->order);
  free(a->block);
}

struct analysis *analysis_make_all(const struct listing *l) {
  struct analysis *all = sys_calloc(l->n + 1, sizeof *all);
  for (unsigned i = 0; all && i < l->n; i++)
    if (analysis_make(&all[i], &l->items[i]) != 0) {
      analysis_free_all(all, i + 1);
      return NULL;
    }
  return all;
}

void analysis_free_all(struct analysis *all, unsigned n) {
  for (unsigned i = 0; all && i < n; i++)
    analysis_free(&all[i]);
  free(all);
}

// ---- for all reports ----------------------------------------------------------------

bool analysis_has_interval(struct estimate e) {
  return e.n >= 6;
}

unsigned analysis_count_failed(const unsigned statuses[STATUSES]) {
  unsigned n = 0;
  for (int f = STATUS_OK + 1; f < STATUSES; f++)
    n += f == STATUS_DROPPED ? 0 : statuses[f];
  return n;
}
