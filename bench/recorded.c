// SPDX-License-Identifier: Apache-2.0
// recorded.c: reads results in the format FAIR T4 as a space. The configurations give the
// parameters, with the values that occur, and the allowed points. Condition i is true if
// the first i + 1 values of a point occur together, so that a search can test early.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "recorded.h"

enum { MOST_PARAMS = 24 };

// ---- membership ---------------------------------------------------------------------

static int compare(const choice *a, const choice *b, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

// Returns the first row whose first N values are POINT's; NULL: there is no such row.
static const struct row *find_prefix(const struct recorded *r, const choice *point,
                                     unsigned n) {
  unsigned low = 0, high = r->n;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (compare(r->rows[middle].point, point, n) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < r->n && compare(r->rows[low].point, point, n) == 0 ? &r->rows[low] : NULL;
}

const struct row *recorded_find(const struct recorded *r, const choice *point) {
  return find_prefix(r, point, r->kernel.n_params);
}

static int prefix_holds(unsigned n, const struct autotune_value *const *values,
                        void *const *args) {
  const struct recorded *r = args[0];
  choice point[MOST_PARAMS];
  for (unsigned p = 0; p < n; p++)
    point[p] = (choice)(values[p] - r->kernel.params[p].values);
  return find_prefix(r, point, n) != NULL;
}

// clang-format off
#define EACH(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) \
  X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24)
// clang-format on
#define HOLDS(n)                                                                 \
  static int holds_##n(const struct autotune_value *const *v, void *const *args, \
                       const struct autotune_machine *m) {                       \
    (void)m;                                                                     \
    return prefix_holds(n, v, args);                                             \
  }
EACH(HOLDS)
#define NAME(n) holds_##n,
static int (*const holds[MOST_PARAMS])(const struct autotune_value *const *,
                                       void *const *,
                                       const struct autotune_machine *) = { EACH(NAME) };
static const unsigned indices[MOST_PARAMS] = { 0,  1,  2,  3,  4,  5,  6,  7,
                                               8,  9,  10, 11, 12, 13, 14, 15,
                                               16, 17, 18, 19, 20, 21, 22, 23 };

static bool set_conditions(struct recorded *r) {
  unsigned n = r->kernel.n_params;
  struct autotune_condition *conditions = calloc(n + 1, sizeof *conditions);
  for (unsigned i = 0; conditions && i < n; i++)
    conditions[i] = (struct autotune_condition){ .holds = holds[i],
                                                 .n_params = i + 1,
                                                 .params = indices };
  r->kernel.conditions = conditions;
  r->kernel.n_conditions = n;
  return conditions != NULL;
}

// ---- parameters ---------------------------------------------------------------------

static char *text_of(const json_t *value) {
  if (json_is_string(value))
    return strdup(json_string_value(value));
  return json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
}

static int by_value(const void *left, const void *right) {
  const struct autotune_value *a = left, *b = right;
  if (a->d != b->d)
    return a->d < b->d ? -1 : 1;
  return strcmp(a->text, b->text);
}

static unsigned find_value(const struct autotune_param *p, const char *text) {
  unsigned i = 0;
  while (i < p->n_values && strcmp(p->values[i].text, text) != 0)
    i++;
  return i;
}

static void add_value(struct autotune_param *p, const json_t *value) {
  char *text = text_of(value);
  struct autotune_value *values = (struct autotune_value *)p->values;
  if (!text || find_value(p, text) < p->n_values) {
    free(text);
    return;
  }
  values = realloc(values, (p->n_values + 1) * sizeof *values);
  if (!values)
    abort();
  double number = json_number_value(value); // 0 for a text
  values[p->n_values++] =
      (struct autotune_value){ text, text, (long long)number, number };
  p->values = values;
  if (!json_is_number(value))
    p->kind = AUTOTUNE_WORD;
  else if (json_is_real(value) && p->kind == AUTOTUNE_INT)
    p->kind = AUTOTUNE_REAL;
}

// The parameters of the first configuration, with all their values, sorted.
static bool read_params(struct recorded *r, const json_t *results) {
  const json_t *first = json_object_get(json_array_get(results, 0), "configuration"),
               *value;
  struct autotune_param *params = calloc(json_object_size(first) + 1, sizeof *params);
  const char *name;
  const json_t *result;
  size_t i;
  if (!params || json_object_size(first) == 0 || json_object_size(first) > MOST_PARAMS) {
    free(params);
    return false;
  }
  r->kernel.params = params;
  json_object_foreach((json_t *)first, name, value) params[r->kernel.n_params++] =
      (struct autotune_param){ strdup(name), NULL, AUTOTUNE_INT, -1, 0, 0, NULL };
  json_array_foreach(
      results, i,
      result) for (unsigned p = 0; p < r->kernel.n_params;
                   p++) if ((value =
                                 json_object_get(json_object_get(result, "configuration"),
                                                 params[p].name)))
      add_value(&params[p], value);
  for (unsigned p = 0; p < r->kernel.n_params; p++) {
    params[p].original = params[p].n_values;
    qsort((void *)params[p].values, params[p].n_values, sizeof *params[p].values,
          by_value);
  }
  return true;
}

// ---- rows ---------------------------------------------------------------------------

static enum status status_of(const json_t *result) {
  static const struct {
    const char *word;
    enum status status;
  } statuses[] = {
    { "correct", STATUS_OK },       { "compile", STATUS_COMPILE },
    { "timeout", STATUS_TIMEOUT },  { "correctness", STATUS_WRONG },
    { "constraints", STATUS_LOAD },
  };
  const char *word = json_string_value(json_object_get(result, "invalidity"));
  for (size_t i = 0; word && i < sizeof statuses / sizeof *statuses; i++)
    if (strcmp(word, statuses[i].word) == 0)
      return statuses[i].status;
  return STATUS_CRASH;
}

static double compile_seconds(const json_t *result) {
  const json_t *times = json_object_get(result, "times");
  return json_number_value(json_object_get(times, "compilation")) / 1e3;
}

// Returns the mean of the runs in seconds; NAN: no run. Sets ALL to their sum.
static double seconds_of(const json_t *result, double *all) {
  const json_t *runs = json_object_get(json_object_get(result, "times"), "runtimes"),
               *run;
  double sum = 0;
  size_t i;
  json_array_foreach(runs, i, run) sum += json_number_value(run);
  *all = sum / 1e3;
  return json_array_size(runs) ? sum / 1e3 / (double)json_array_size(runs) : NAN;
}

static bool read_point(const struct recorded *r, const json_t *result, choice *point) {
  const json_t *configuration = json_object_get(result, "configuration");
  for (unsigned p = 0; p < r->kernel.n_params; p++) {
    const json_t *value = json_object_get(configuration, r->kernel.params[p].name);
    char *text = value ? text_of(value) : NULL;
    point[p] = text ? find_value(&r->kernel.params[p], text)
                    : r->kernel.params[p].n_values;
    free(text);
    if (point[p] == r->kernel.params[p].n_values)
      return false;
  }
  return true;
}

static int by_point(const void *left, const void *right, void *n) {
  const struct row *a = left, *b = right;
  return compare(a->point, b->point, *(unsigned *)n);
}

static void read_rows(struct recorded *r, const json_t *results) {
  const json_t *result;
  size_t i;
  r->rows = calloc(json_array_size(results) + 1, sizeof *r->rows);
  json_array_foreach(results, i, result) {
    struct row *row = &r->rows[r->n];
    double runs = 0;
    row->point = calloc(r->kernel.n_params, sizeof *row->point);
    if (!read_point(r, result, row->point)) {
      free(row->point);
      continue;
    }
    r->n++;
    row->status = status_of(result);
    row->seconds = row->status == STATUS_OK ? seconds_of(result, &runs) : 0;
    row->cost = runs + compile_seconds(result);
    if (row->status == STATUS_OK && !(row->seconds > 0))
      row->status = STATUS_CRASH;
  }
  qsort_r(r->rows, r->n, sizeof *r->rows, by_point, &r->kernel.n_params);
}

static void count(struct recorded *r) {
  r->best = INFINITY;
  for (unsigned i = 0; i < r->n; i++) {
    bool failed = r->rows[i].status != STATUS_OK;
    r->failed += failed;
    r->cost += r->rows[i].cost / r->n;
    if (!failed) {
      r->best = fmin(r->best, r->rows[i].seconds);
      r->worst = fmax(r->worst, r->rows[i].seconds);
    }
  }
  for (unsigned i = 0; i < r->n; i++)
    for (unsigned g = 0; g < GOALS; g++)
      r->good[g] += r->rows[i].status == STATUS_OK &&
          r->rows[i].seconds <= (1 + run_goals[g]) * r->best;
}

// ---- files --------------------------------------------------------------------------

static size_t read_some(void *buffer, size_t size, void *file) {
  int n = gzread(file, buffer, (unsigned)size);
  return n < 0 ? (size_t)-1 : (size_t)n;
}

static char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  char *name = strdup(slash ? slash + 1 : path),
       *end = name ? strstr(name, ".json") : NULL;
  if (end)
    *end = '\0';
  return name;
}

struct recorded *recorded_read(const char *path) {
  json_error_t error = { .text = "it cannot be read" };
  gzFile file = gzopen(path, "rb"); // plain files too
  json_t *root = file ? json_load_callback(read_some, file, 0, &error) : NULL;
  const json_t *results = json_object_get(root, "results");
  struct recorded *r = calloc(1, sizeof *r);
  static const struct autotune_machine machine;
  bool fine = false;
  if (file)
    gzclose(file);
  if (r && results && read_params(r, results)) {
    r->name = name_of(path);
    r->kernel.name = r->name;
    r->self[0] = r;
    read_rows(r, results);
    count(r);
    fine = r->n > r->failed && set_conditions(r);
  }
  if (fine)
    space_init(&r->space, &r->kernel, &(struct call){ .args = r->self }, &machine);
  else
    fprintf(stderr, "%s: %s\n", path, root ? "holds no results" : error.text);
  json_decref(root);
  if (!fine && r)
    recorded_free(r);
  return fine ? r : NULL;
}

void recorded_free(struct recorded *r) {
  for (unsigned p = 0; p < r->kernel.n_params; p++) {
    for (unsigned v = 0; v < r->kernel.params[p].n_values; v++)
      free((char *)r->kernel.params[p].values[v].text);
    free((void *)r->kernel.params[p].values);
    free((char *)r->kernel.params[p].name);
  }
  for (unsigned i = 0; i < r->n; i++)
    free(r->rows[i].point);
  free((void *)r->kernel.params);
  free((void *)r->kernel.conditions);
  free(r->rows);
  free(r->name);
  free(r);
}
