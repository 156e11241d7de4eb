// SPDX-License-Identifier: Apache-2.0
// json.c: the report for programs. docs/report.md describes its members, and
// docs/report.schema.json is its schema.
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/static.h"
#include "clean.h"
#include "json.h"
#include "model/key.h"
#include "model/value.h"

json_t *json_text(const char *s) {
  char *clean = clean_text(s);
  json_t *value = json_string(clean);
  clean_free(clean);
  return value;
}

static json_t *json_estimate(struct estimate e) {
  return json_pack("{s:f, s:f, s:f, s:i}", "median", e.median, "low", e.low, "high",
                   e.high, "samples", (int)e.n);
}

static json_t *json_lines(const char *s) {
  json_t *list = json_array();
  while (*s) {
    size_t n = strcspn(s, "\n");
    char *one = sys_printf("%.*s", (int)n, s);
    json_array_append_new(list, json_text(one ? one : "?"));
    free(one);
    s += n + (s[n] == '\n');
  }
  return list;
}

// Returns "MR=6\nNR=64\n" as {"MR": "6", "NR": "64"}.
static json_t *json_parameters(const char *values) {
  json_t *object = json_object();
  for (struct named_value s; value_next(&values, &s);) {
    char *name = sys_printf("%.*s", (int)s.name_size, s.name);
    char *value = sys_printf("%.*s", (int)s.size, s.value);
    char *clean = clean_text(name ? name : "?");
    json_object_set_new(object, clean, json_text(value ? value : "?"));
    clean_free(clean);
    free(name);
    free(value);
  }
  return object;
}

// Returns {"n": 512}: the expressions of the key with their values.
static json_t *json_key(const char *numbers, const char *names) {
  json_t *object = json_object();
  for (struct key_part part; key_next(&numbers, &names, &part);) {
    char *name = sys_printf("%.*s", (int)part.name_size, part.name);
    char *clean = clean_text(name ? name : "?");
    json_object_set_new(object, clean, json_integer(part.number));
    clean_free(clean);
    free(name);
  }
  return object;
}

// ---- parts --------------------------------------------------------------------------

static void add_variants(json_t *object, const struct analysis *a) {
  json_t *counts = json_object_get(object, "variants");
  if (!counts)
    json_object_set_new(object, "variants", counts = json_object());
  json_object_set_new(counts, "tried", json_integer(a->tried));
  for (int f = 0; f < STATUSES; f++)
    json_object_set_new(counts, status_words[f].json, json_integer(a->statuses[f]));
}

static json_t *json_examples(const struct analysis *a) {
  json_t *object = json_object();
  for (int f = STATUS_OK + 1; f < STATUSES; f++)
    if (a->example[f] && f != STATUS_PENDING) {
      json_t *values = json_parameters(a->example[f]->values);
      json_t *message = json_lines(a->example[f]->message);
      json_object_set_new(
          object, status_words[f].json,
          json_pack("{s:o, s:o}", "parameters", values, "message", message));
    }
  return object;
}

static json_t *json_influences(const struct analysis *a) {
  json_t *list = json_array();
  for (unsigned i = 0; i < a->n_params; i++) {
    const struct influence *p = &a->params[i];
    json_t *values = json_array(), *chosen = p->chosen ? json_text(p->chosen) : NULL;
    for (unsigned v = 0; v < p->n_values; v++)
      json_array_append_new(
          values,
          json_pack("{s:o, s:f, s:i}", "value", json_text(p->values[v].value), "best",
                    p->values[v].best, "variants", (int)p->values[v].n));
    json_array_append_new(list,
                          json_pack("{s:o, s:f, s:o*, s:o}", "parameter",
                                    json_text(p->name), "ratio", p->ratio, "chosen",
                                    chosen, "values", values));
  }
  return list;
}

// Returns {"bytes": 412, "main_bits": 512, …}, without those that are not known.
static json_t *json_features(const struct record *r) {
  struct features f;
  json_t *object = json_object();
  record_features(r, &f);
  for (unsigned i = 0; i < FEATURES; i++)
    if (isfinite(f.values[i]))
      json_object_set_new(object, feature_names[i], json_real(f.values[i]));
  return object;
}

static json_t *json_samples(const double *samples, unsigned n) {
  json_t *list = json_array();
  for (unsigned i = 0; i < n; i++)
    json_array_append_new(list, json_real(samples[i]));
  return list;
}

// ---- facts --------------------------------------------------------------------------

// Returns F's member of WHAT as JSON; NULL: it is empty and left out.
static json_t *json_fact(const struct fact *f, const void *what) {
  const char *text = fact_is_text(f) ? *FACT_IN(const char *, f, what) : NULL;
  unsigned count = f->type == FACT_COUNT ? *FACT_IN(unsigned, f, what) : 0;
  double amount = f->type == FACT_AMOUNT ? *FACT_IN(double, f, what) : 0;
  switch (f->type) {
  case FACT_COUNT:
    return count || f->always ? json_integer(count) : NULL;
  case FACT_ENUM:
    return json_string(status_words[*FACT_IN(unsigned, f, what)].json);
  case FACT_OBJECTIVE:
    return *FACT_IN(enum objective_kind, f, what) == OBJECTIVE_TIME
        ? NULL
        : json_string(objective_get(*FACT_IN(enum objective_kind, f, what))->name);
  case FACT_SECONDS:
    return json_real(*FACT_IN(double, f, what));
  case FACT_AMOUNT:
    return amount > 0 ? json_real(amount) : NULL;
  case FACT_MOMENT:
    return json_integer((json_int_t)*FACT_IN(double, f, what));
  case FACT_VERIFIED:
    return json_boolean(*FACT_IN(bool, f, what));
  case FACT_ESTIMATE:
    return json_estimate(*FACT_IN(struct estimate, f, what));
  case FACT_LINES:
    return text && (*text || f->always) ? json_lines(text) : NULL;
  case FACT_VALUES:
    return *text || f->always ? json_parameters(text) : NULL;
  case FACT_KEY:
    return json_key(text, *FACT_N(const char *, f, what));
  case FACT_SAMPLES:
    return json_samples(*FACT_IN(const double *, f, what), *FACT_N(unsigned, f, what));
  case FACT_FEATURES:
    return json_features(what);
  default:
    return text && (*text || f->always) ? json_text(text) : NULL;
  }
}

// Adds those members of WHAT, a struct that K describes, that JSON shows. "seconds.total"
// becomes a member of the object "seconds".
static void json_facts(json_t *object, const struct kind *k, const void *what) {
  for (unsigned i = 0; i < k->n_facts; i++) {
    const struct fact *f = &k->facts[i];
    json_t *value = f->json ? json_fact(f, what) : NULL;
    const char *dot = value ? strchr(f->json, '.') : NULL;
    char *outer = dot ? sys_printf("%.*s", (int)(dot - f->json), f->json) : NULL;
    json_t *in = outer ? json_object_get(object, outer) : object;
    if (outer && !in)
      json_object_set_new(object, outer, in = json_object());
    if (value)
      json_object_set_new(in, dot ? dot + 1 : f->json, value);
    free(outer);
  }
}

static json_t *json_records(const struct analysis *a) {
  json_t *list = json_array();
  for (unsigned i = 0; i < a->item->n_records; i++) {
    const struct record *r = &a->item->records[i];
    json_t *one = json_object();
    json_facts(one, &kind_record, r);
    if (r->status == STATUS_PENDING) // it names the process of the trial
      json_object_del(one, "message");
    if (a->estimates[i].n)
      json_object_set_new(one, "time", json_estimate(a->estimates[i]));
    json_array_append_new(list, one);
  }
  return list;
}

// Drops what was not measured.
static void json_drop(json_t *object, const struct summary *m) {
  if (m->own.pairs == 0)
    json_object_del(object, "own_calls");
  if (m->as_written <= 0)
    json_object_del(object, "as_written");
}

// Adds the summary of the last tuning.
static void add_tuning(json_t *object, const struct analysis *a) {
  const struct summary *m = &a->item->summary;
  json_facts(object, &kind_summary, m);
  json_drop(object, m);
  json_object_set_new(object, "inferred", json_boolean(m->inferred));
  if (!m->winner) {
    json_object_del(object, "winner");
    json_object_del(object, "compiler");
  }
  if (m->winner && a->has_original && a->best.median > 0)
    json_object_set_new(object, "speedup",
                        json_real(a->original.median / a->best.median));
}

json_t *json_result(const struct problem *p, const struct summary *m) {
  json_t *object = json_object();
  json_facts(object, &kind_problem, p);
  json_facts(object, &kind_summary, m);
  json_drop(object, m);
  return object;
}

static void set_time(json_t *object, const char *name, bool known, struct estimate e) {
  if (known)
    json_object_set_new(object, name, json_estimate(e));
  else
    json_object_del(object, name);
}

static json_t *json_kernel(const struct analysis *a, bool verbose) {
  json_t *object = json_object();
  json_facts(object, &kind_problem, &a->item->problem);
  json_object_set_new(object, "finished", json_boolean(a->item->finished));
  if (a->item->stale)
    json_object_set_new(object, "stale", json_string(stale_words[a->item->stale]));
  if (a->item->finished)
    add_tuning(object, a);
  set_time(object, "default", a->has_original, a->original);
  set_time(object, "best", a->has_best, a->best);
  if (a->item->provisional) {
    json_object_set_new(object, "borrowed", json_text(a->item->summary.source));
    json_object_set_new(object, "winner", json_parameters(a->item->summary.values));
  }
  add_variants(object, a);
  json_object_set_new(object, "failures", json_examples(a));
  json_object_set_new(object, "influence", json_influences(a));
  if (verbose)
    json_object_set_new(object, "records", json_records(a));
  return object;
}

json_t *json_report(bool verbose, const char *folder, const struct listing *l,
                    const struct analysis *all) {
  json_t *kernels = json_array();
  for (unsigned i = 0; i < l->n; i++)
    json_array_append_new(kernels, json_kernel(&all[i], verbose));
  return json_pack("{s:i, s:o, s:i, s:o}", "format", 1, "folder", json_text(folder),
                   "damaged_rows", (int)l->damaged, "kernels", kernels);
}

int json_print(bool verbose, const char *folder, const struct listing *l,
               const struct analysis *all, FILE *out) {
  json_t *root = json_report(verbose, folder, l, all);
  int status = root ? json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : -1;
  fputc('\n', out);
  json_decref(root);
  return status;
}

void json_print_empty(FILE *out) {
  fputs("{\"format\": 1, \"kernels\": []}\n", out);
}
