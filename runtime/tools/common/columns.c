// SPDX-License-Identifier: Apache-2.0
// columns.c: all records of one problem as columns, for the page: a list for each
// property. Each text is written once; the lists hold its index.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/static.h"
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

// Adds -1 (no text) until there are N indices.
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
  json_decref(d->index);
  return json_pack("{s:o, s:o}", texts, d->texts, "of", d->of);
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

// Adds VALUES ("MR=6\nNR=64\n") of record ROW, without those that have no effect.
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

// ---- columns ------------------------------------------------------------------------

static json_t *column_number(double d, bool whole) {
  return !(fabs(d) < 1e15) ? json_null()
      : whole              ? json_integer((json_int_t)d)
                           : json_real(d);
}

// Returns the members that F describes, one for each record.
static json_t *column_of(const struct fact *f, const struct analysis *a) {
  const struct listed *item = a->item;
  struct dictionary texts = dictionary_new();
  struct parameters parameters = { 0 };
  json_t *list = json_array();
  for (unsigned i = 0; i < item->n_records; i++) {
    const struct record *r = &item->records[i];
    if (f->type == FACT_VALUES)
      columns_add_values(&parameters, *FACT_IN(const char *, f, r), i);
    else if (f->type == FACT_LINES && r->status == STATUS_PENDING)
      dictionary_add(&texts, ""); // it names the process of the trial
    else if (fact_is_text(f))
      dictionary_add(&texts, *FACT_IN(const char *, f, r));
    else if (f->type == FACT_ENUM)
      json_array_append_new(list, column_number(*FACT_IN(unsigned, f, r), true));
    else
      json_array_append_new(
          list, column_number(*FACT_IN(double, f, r), f->type == FACT_MOMENT));
  }
  json_t *lists[] = { list, dictionary_done(&texts, "texts"),
                      parameters_done(&parameters, item->n_records) };
  int which = f->type == FACT_VALUES ? 2 : fact_is_text(f);
  for (int i = 0; i < 3; i++)
    if (i != which)
      json_decref(lists[i]);
  return lists[which];
}

// Adds what is computed of each record: the estimate of its samples, the size of its
// code.
static void add_computed(json_t *object, const struct analysis *a) {
  static const char *const names[] = { "median", "low", "high", "runs", "size" };
  enum { PARTS = sizeof names / sizeof *names, RUNS = 3 };
  json_t *lists[PARTS];
  for (int part = 0; part < PARTS; part++)
    json_object_set_new(object, names[part], lists[part] = json_array());
  for (unsigned i = 0; i < a->item->n_records; i++) {
    struct features f;
    struct estimate e = a->estimates[i];
    record_features(&a->item->records[i], &f);
    const double values[] = { e.median, e.low, e.high, e.n, f.values[FEATURE_BYTES] };
    for (int part = 0; part < PARTS; part++)
      json_array_append_new(
          lists[part],
          part <= RUNS && !e.n ? json_null() : column_number(values[part], part >= RUNS));
  }
}

json_t *json_columns(const struct analysis *a) {
  json_t *object = json_object();
  for (unsigned i = 0; i < kind_record.n_facts; i++)
    if (kind_record.facts[i].page)
      json_object_set_new(object, kind_record.facts[i].page,
                          column_of(&kind_record.facts[i], a));
  add_computed(object, a);
  return object;
}
