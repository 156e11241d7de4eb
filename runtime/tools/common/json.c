// SPDX-License-Identifier: Apache-2.0
// json.c: the report for programs; docs/report.md says what each member means,
// docs/report.schema.json how it looks.
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

static json_t *json_lines(const char *s, char separator) {
  json_t *list = json_array();
  while (*s) {
    size_t n = strcspn(s, (char[]){ separator, '\0' });
    char *one = sys_printf("%.*s", (int)n, s);
    json_array_append_new(list, json_text(one ? one : "?"));
    free(one);
    s += n + (s[n] == separator);
  }
  return list;
}

// "MR=6\nNR=64\n" as {"MR": "6", "NR": "64"}.
json_t *json_parameters(const char *values) {
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

// {"n": 512}: the expressions of the key and their values.
static json_t *json_key(const struct problem *p) {
  json_t *object = json_object();
  const char *names = p->key_names, *numbers = p->key;
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

const char *const json_statuses[STATUSES] = {
  [STATUS_OK] = "right",    [STATUS_COMPILE] = "compile", [STATUS_LOAD] = "load",
  [STATUS_WRONG] = "wrong", [STATUS_CRASH] = "crash",     [STATUS_TIMEOUT] = "timeout",
  [STATUS_EXIT] = "exit",   [STATUS_PENDING] = "pending", [STATUS_DROPPED] = "dropped",
};

static json_t *json_variants(const struct analysis *a) {
  json_t *object = json_object();
  json_object_set_new(object, "tried", json_integer(a->tried));
  if (a->item->finished) {
    json_object_set_new(object, "exist", json_integer(a->item->summary.total_hint));
    json_object_set_new(object, "same", json_integer(a->item->summary.same));
  }
  for (int f = 0; f < STATUSES; f++)
    json_object_set_new(object, json_statuses[f], json_integer(a->statuses[f]));
  return object;
}

static json_t *json_examples(const struct analysis *a) {
  json_t *object = json_object();
  for (int f = STATUS_OK + 1; f < STATUSES; f++)
    if (a->example[f] && f != STATUS_PENDING) {
      json_t *one = json_object();
      json_object_set_new(one, "parameters", json_parameters(a->example[f]->values));
      json_object_set_new(one, "message", json_lines(a->example[f]->message, '\n'));
      json_object_set_new(object, json_statuses[f], one);
    }
  return object;
}

static json_t *json_influences(const struct analysis *a) {
  json_t *list = json_array();
  for (unsigned i = 0; i < a->n_params; i++) {
    const struct influence *p = &a->params[i];
    json_t *one = json_object(), *values = json_array();
    for (unsigned v = 0; v < p->n_values; v++) {
      json_t *entry = json_object();
      json_object_set_new(entry, "value", json_text(p->values[v].value));
      json_object_set_new(entry, "best", json_real(p->values[v].best));
      json_object_set_new(entry, "variants", json_integer(p->values[v].n));
      json_array_append_new(values, entry);
    }
    json_object_set_new(one, "parameter", json_text(p->name));
    json_object_set_new(one, "ratio", json_real(p->ratio));
    if (p->chosen)
      json_object_set_new(one, "chosen", json_text(p->chosen));
    json_object_set_new(one, "values", values);
    json_array_append_new(list, one);
  }
  return list;
}

// {"bytes": 412, "main_bits": 512, …}: what is known of them.
static json_t *json_features(const struct record *r) {
  struct features f;
  json_t *object = json_object();
  record_features(r, &f);
  for (unsigned i = 0; i < FEATURES; i++)
    if (isfinite(f.values[i]))
      json_object_set_new(object, feature_names[i], json_real(f.values[i]));
  return object;
}

static json_t *json_records(const struct analysis *a) {
  json_t *list = json_array();
  for (unsigned i = 0; i < a->item->n_records; i++) {
    const struct record *r = &a->item->records[i];
    json_t *one = json_object(), *samples = json_array();
    json_object_set_new(one, "parameters", json_parameters(r->values));
    json_object_set_new(one, "compiler", json_text(r->compiler));
    json_object_set_new(one, "fate", json_string(json_statuses[r->status]));
    if (r->status != STATUS_PENDING)
      json_object_set_new(one, "message", json_lines(r->message, '\n'));
    if (a->estimates[i].n)
      json_object_set_new(one, "time", json_estimate(a->estimates[i]));
    for (unsigned k = 0; k < r->n_samples; k++)
      json_array_append_new(samples, json_real(r->samples[k]));
    json_object_set_new(one, "samples", samples);
    json_object_set_new(one, "features", json_features(r));
    json_array_append_new(list, one);
  }
  return list;
}

static void add_tuning(json_t *object, const struct analysis *a) {
  const struct summary *m = &a->item->summary;
  json_object_set_new(object, "verified", json_boolean(m->verified));
  json_object_set_new(object, "inferred", json_boolean(m->inferred));
  json_object_set_new(object, "search", json_text(m->search));
  json_object_set_new(object, "stopped", json_text(m->why));
  if (*m->source)
    json_object_set_new(object, "source", json_text(m->source));
  if (*m->machine)
    json_object_set_new(object, "machine", json_text(m->machine));
  json_object_set_new(object, "when", json_integer((json_int_t)m->when));
  json_object_set_new(object, "seconds",
                      json_pack("{s:f, s:f, s:f, s:f}", "total", m->total_seconds,
                                "compiling", m->compile_seconds, "verifying",
                                m->verify_seconds, "timing", m->time_seconds));
  if (m->flops > 0)
    json_object_set_new(object, "flops", json_real(m->flops));
  if (m->bytes > 0)
    json_object_set_new(object, "bytes", json_real(m->bytes));
  if (!m->winner)
    return;
  json_object_set_new(object, "winner", json_parameters(m->values));
  json_object_set_new(object, "compiler", json_text(m->compiler));
  if (a->has_original && a->best.median > 0)
    json_object_set_new(object, "speedup",
                        json_real(a->original.median / a->best.median));
}

// The problem that a result is of.
static json_t *json_identity(const struct problem *p) {
  json_t *object = json_object();
  json_object_set_new(object, "kernel", json_text(p->kernel));
  json_object_set_new(object, "file", json_text(p->file));
  json_object_set_new(object, "key", json_key(p));
  json_object_set_new(object, "cpu", json_text(p->cpu));
  json_object_set_new(object, "isa", json_text(p->isa));
  json_object_set_new(object, "threads", json_integer(p->threads));
  if (*p->toolchain)
    json_object_set_new(object, "toolchain", json_text(p->toolchain));
  return object;
}

json_t *json_result(const struct problem *p, const struct summary *m) {
  json_t *object = json_identity(p);
  json_object_set_new(object, "default", json_estimate(m->original));
  json_object_set_new(object, "best", json_estimate(m->best));
  json_object_set_new(object, "verified", json_boolean(m->verified));
  json_object_set_new(object, "when", json_integer((json_int_t)m->when));
  if (m->winner)
    json_object_set_new(object, "winner", json_parameters(m->values));
  return object;
}

static json_t *json_kernel(const struct analysis *a, bool verbose) {
  json_t *object = json_identity(&a->item->problem);
  json_object_set_new(object, "finished", json_boolean(a->item->finished));
  if (a->has_original)
    json_object_set_new(object, "default", json_estimate(a->original));
  if (a->has_best)
    json_object_set_new(object, "best", json_estimate(a->best));
  if (a->item->finished)
    add_tuning(object, a);
  if (a->item->provisional) {
    json_object_set_new(object, "borrowed", json_text(a->item->summary.source));
    json_object_set_new(object, "winner", json_parameters(a->item->summary.values));
  }
  json_object_set_new(object, "variants", json_variants(a));
  json_object_set_new(object, "failures", json_examples(a));
  json_object_set_new(object, "influence", json_influences(a));
  if (verbose)
    json_object_set_new(object, "records", json_records(a));
  return object;
}

json_t *json_report(bool verbose, const char *folder, const struct listing *l,
                    const struct analysis *all) {
  json_t *kernels = json_array(), *root = json_object();
  for (unsigned i = 0; i < l->n; i++)
    json_array_append_new(kernels, json_kernel(&all[i], verbose));
  json_object_set_new(root, "format", json_integer(1));
  json_object_set_new(root, "folder", json_text(folder));
  json_object_set_new(root, "damaged_rows", json_integer(l->damaged));
  json_object_set_new(root, "kernels", kernels);
  return root;
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
