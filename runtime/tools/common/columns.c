// SPDX-License-Identifier: Apache-2.0
// columns.c: all records of one problem as columns, for the page: a list for each
// property, and each text only once, as an index into a list of texts.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/value.h"
#include "clean.h"
#include "json.h"

// ---- texts, each once ---------------------------------------------------------------

struct dictionary {
  json_t *index, *texts, *of;
};

static struct dictionary dictionary_new(void) {
  return (struct dictionary){ json_object(), json_array(), json_array() };
}

// Adds -1 (none) until there are N.
static void dictionary_pad(struct dictionary *d, size_t n) {
  while (d->of && json_array_size(d->of) < n)
    if (json_array_append_new(d->of, json_integer(-1)) != 0)
      break;
}

static void dictionary_add(struct dictionary *d, const char *text) {
  char *clean = clean_text(text);
  json_t *known = json_object_get(d->index, clean);
  if (!known) {
    known = json_integer((json_int_t)json_array_size(d->texts));
    json_array_append_new(d->texts, json_string(clean));
    json_object_set_new(d->index, clean, known);
  }
  json_array_append_new(d->of, json_integer(json_integer_value(known)));
  clean_free(clean);
}

static json_t *dictionary_done(struct dictionary *d, const char *texts) {
  json_t *object = json_object();
  json_object_set_new(object, texts, d->texts);
  json_object_set_new(object, "of", d->of);
  json_decref(d->index);
  return object;
}

// ---- parameters ---------------------------------------------------------------------

struct named {
  char *name;
  struct dictionary values;
};
struct parameters {
  struct named *list;
  unsigned n;
};

static struct dictionary *columns_find(struct parameters *p, const char *name,
                                       size_t size) {
  for (unsigned i = 0; i < p->n; i++)
    if (strlen(p->list[i].name) == size && memcmp(p->list[i].name, name, size) == 0)
      return &p->list[i].values;
  struct named *list = sys_realloc(p->list, (p->n + 1) * sizeof *list);
  if (list)
    p->list = list;
  char *copy = list ? sys_printf("%.*s", (int)size, name) : NULL;
  if (!copy)
    return NULL;
  list[p->n] = (struct named){ copy, dictionary_new() };
  return &list[p->n++].values;
}

// Adds VALUES ("MR=6\nNR=64\n"), those of record ROW, but for what does not matter in it.
static void columns_add_values(struct parameters *p, const char *values, size_t row) {
  const char *at = values;
  for (struct named_value s; value_next(&at, &s);) {
    struct dictionary *d =
        value_matters(values, &s) ? columns_find(p, s.name, s.name_size) : NULL;
    char *value = d ? sys_printf("%.*s", (int)s.size, s.value) : NULL;
    if (value && json_array_size(d->of) <= row) {
      dictionary_pad(d, row);
      dictionary_add(d, value);
    }
    free(value);
  }
}

static json_t *parameters_done(struct parameters *p, size_t rows) {
  json_t *list = json_array();
  for (unsigned i = 0; i < p->n; i++) {
    dictionary_pad(&p->list[i].values, rows);
    json_t *one = dictionary_done(&p->list[i].values, "values");
    json_object_set_new(one, "name", json_text(p->list[i].name));
    json_array_append_new(list, one);
    free(p->list[i].name);
  }
  free(p->list);
  return list;
}

// ---- numbers ------------------------------------------------------------------------

static const char *const numbers[] = { "fate",      "when",   "compiling",
                                       "verifying", "timing", "median",
                                       "low",       "high",   "runs" };
enum {
  NUMBERS = sizeof numbers / sizeof *numbers,
  TIMES = 5 /* from here on: where it ran */
};

static void add_numbers(json_t *const *columns, const struct record *r,
                        struct estimate e) {
  const double values[NUMBERS] = { r->status,
                                   r->when,
                                   r->compile_seconds,
                                   r->verify_seconds,
                                   r->time_seconds,
                                   e.median,
                                   e.low,
                                   e.high,
                                   e.n };
  for (int i = 0; i < NUMBERS; i++) {
    bool none = !(fabs(values[i]) < 1e15) || (i >= TIMES && e.n == 0);
    bool whole = i < 2 || i == NUMBERS - 1;
    json_array_append_new(columns[i],
                          none        ? json_null()
                              : whole ? json_integer((json_int_t)values[i])
                                      : json_real(values[i]));
  }
}

json_t *json_columns(const struct analysis *a) {
  json_t *object = json_object(), *statuses = json_array(), *columns[NUMBERS];
  struct dictionary compilers = dictionary_new(), messages = dictionary_new();
  struct parameters parameters = { 0 };
  for (int i = 0; i < NUMBERS; i++)
    json_object_set_new(object, numbers[i], columns[i] = json_array());
  for (int f = 0; f < STATUSES; f++)
    json_array_append_new(statuses, json_string(json_statuses[f]));
  for (unsigned i = 0; i < a->item->n_records; i++) {
    const struct record *r = &a->item->records[i];
    add_numbers(columns, r, a->estimates[i]);
    dictionary_add(&compilers, r->compiler);
    dictionary_add(&messages, r->status == STATUS_PENDING ? "" : r->message);
    columns_add_values(&parameters, r->values, i);
  }
  json_object_set_new(object, "fates", statuses);
  json_object_set_new(object, "compiler", dictionary_done(&compilers, "texts"));
  json_object_set_new(object, "message", dictionary_done(&messages, "texts"));
  json_object_set_new(object, "parameters",
                      parameters_done(&parameters, a->item->n_records));
  return object;
}
