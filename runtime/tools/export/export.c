// SPDX-License-Identifier: Apache-2.0
// export.c: writes one problem in the FAIR formats of the autotuning community: its space
// as T1, its results as T4. The schemas are those of TuningSchema; times are in
// milliseconds.
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "export.h"
#include "model/objective/objective.h"
#include "model/value.h"
#include "keep/store/tables.h"

enum { PRECISION = 12 };

// ---- values -------------------------------------------------------------------------

// Returns TEXT as a number if it is a number and nothing else, so that other tools can
// calculate with it; otherwise as a text.
static json_t *export_value(const char *text, size_t size) {
  char *copy = sys_printf("%.*s", (int)size, text), *end;
  json_t *v = NULL;
  if (copy && *copy && *copy != ' ') {
    errno = 0;
    long long i = strtoll(copy, &end, 10);
    if (*end == '\0' && errno == 0)
      v = json_integer(i);
    double d = v ? 0 : strtod(copy, &end);
    if (!v && *end == '\0' && isfinite(d) && strspn(copy, "0123456789.eE+-") == size)
      v = json_real(d);
  }
  free(copy);
  if (!v)
    v = json_stringn(text, size);
  return v ? v : json_string("?");
}

static void export_set(json_t *object, const char *name, size_t size, json_t *v) {
  char *copy = sys_printf("%.*s", (int)size, name);
  if (!copy || json_object_set_new(object, copy, v) != 0)
    json_object_set_new(object, "?", json_null());
  free(copy);
}

static json_t *export_moment(double when) {
  char text[32] = "";
  time_t t = (time_t)when;
  struct tm tm;
  if (gmtime_r(&t, &tm))
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
  return json_string(text);
}

// ---- T4 -----------------------------------------------------------------------------

static json_t *export_configuration(const char *values) {
  json_t *o = json_object();
  for (struct named_value s; value_next(&values, &s);)
    export_set(o, s.name, s.name_size, export_value(s.value, s.size));
  return o;
}

// Writes the samples of R only if they are TIMED: T4 has times of whole runs, in
// milliseconds. Those of a part of a run are estimates (record_shown).
static json_t *export_times(const struct record *r, bool timed) {
  double compiling = r->compile_seconds * 1e3;
  // The schema has compilation_time, recorded files have compilation.
  json_t *o = json_pack("{s:f, s:f, s:f, s:f, s:f}", "compilation_time", compiling,
                        "compilation", compiling, "framework", 0.0, "search_algorithm",
                        0.0, "validation", r->verify_seconds * 1e3);
  if (r->status == STATUS_OK && timed) {
    json_t *runs = json_array();
    double part = r->part > 0 ? r->part : 1;
    for (unsigned i = 0; i < r->n_samples; i++)
      json_array_append_new(runs, json_real(r->samples[i] / part * 1e3));
    json_object_set_new(o, "runtimes", runs);
  }
  return o;
}

static json_t *export_result(const struct record *r, const struct objective *o) {
  const char *word = status_words[r->status].fair;
  double cost = record_shown(r).median * (o->is_seconds ? 1e3 : 1);
  return json_pack("{s:o, s:o, s:[s], s:o, s:s, s:i, s:[{s:s, s:o, s:s}]}", "timestamp",
                   export_moment(r->when), "configuration",
                   export_configuration(r->values), "objectives", o->name, "times",
                   export_times(r, o->is_seconds), "invalidity", word, "correctness",
                   r->status == STATUS_OK, "measurements", "name", o->name, "value",
                   r->status == STATUS_OK ? json_real(cost) : json_string(word), "unit",
                   o->is_seconds ? "milliseconds" : o->unit(0)->name);
}

static json_t *export_metadata(const struct listed *item) {
  const struct problem *p = &item->problem;
  char *machine = results_machine(p->cpu), *key = results_key(p);
  json_t *o = json_pack("{s:s, s:s, s:o*, s:s, s:o*, s:o*, s:I}", "autotuner", "autotune",
                        "autotuner_version", AUTOTUNE_VERSION, "device",
                        json_string(machine ? machine : "?"), "timeunit", "milliseconds",
                        "kernel", json_string(p->kernel), "key",
                        json_string(key ? key : ""), "threads", (json_int_t)p->threads);
  if (item->finished)
    json_object_set_new(o, "timestamp", export_moment(item->summary.when));
  if (item->finished && objective_get(p->objective)->is_seconds)
    json_object_set_new(o, "default_time",
                        json_real(item->summary.original.median * 1e3));
  free(machine);
  free(key);
  return o;
}

static json_t *export_t4(const struct listed *item) {
  const struct objective *o = objective_get(item->problem.objective);
  json_t *results = json_array();
  for (unsigned i = 0; i < item->n_records; i++) {
    const struct record *r = &item->records[i];
    if (!status_words[r->status].fair || (r->status == STATUS_OK && r->n_samples == 0))
      continue; // not run, or not timed
    json_array_append_new(results, export_result(r, o));
  }
  return json_pack("{s:s, s:o, s:o}", "schema_version", "1.0.0", "metadata",
                   export_metadata(item), "results", results);
}

// ---- T1 -----------------------------------------------------------------------------

static bool is_kind(const struct offered *p, const char *kind) {
  return strlen(kind) == p->kind_size && memcmp(p->kind, kind, p->kind_size) == 0;
}

static bool export_is_number(const struct offered *p) {
  return is_kind(p, "int") || is_kind(p, "real");
}

static json_t *export_offered(const struct offered *p, const char *text, size_t size) {
  json_t *v = export_is_number(p) ? export_value(text, size) : json_stringn(text, size);
  return v ? v : json_string("?");
}

// Returns the values as T1 has them, as the text "[1, 2, 4]", malloc'ed. Sets *ORIGINAL
// to the default variant's value; NULL: it has none.
static char *values_text(const struct offered *p, json_t **original) {
  json_t *list = json_array();
  const char *at = p->values, *one;
  size_t size;
  *original = NULL;
  for (unsigned i = 0; offered_value(&at, &one, &size); i++) {
    json_t *v = export_offered(p, one, size);
    if (i == p->original)
      *original = json_incref(v);
    json_array_append_new(list, v);
  }
  char *text = json_dumps(list, JSON_REAL_PRECISION(PRECISION));
  json_decref(list);
  return text;
}

static json_t *export_parameter(const struct offered *p) {
  json_t *o = json_object(), *original;
  char *values = values_text(p, &original);
  json_object_set_new(o, "Name", json_stringn(p->name, p->name_size));
  json_object_set_new(o, "Type",
                      json_string(is_kind(p, "int")        ? "int"
                                      : is_kind(p, "real") ? "float"
                                                           : "string"));
  json_object_set_new(o, "Values", json_string(values ? values : "[]"));
  if (original)
    json_object_set_new(o, "Default", original);
  free(values);
  return o;
}

// Returns the condition for a parameter that has an effect only with an optional
// directive: without the directive it has its first value.
static json_t *export_dependence(const struct offered *all, const struct offered *p) {
  const struct offered *on = &all[p->when];
  const char *at = p->values, *value = "", *off = "";
  size_t size = 0, off_size = 0;
  offered_value(&at, &value, &size);
  at = on->values;
  offered_value(&at, &off, &off_size);
  json_t *first = export_offered(p, value, size);
  char *text = json_dumps(first, JSON_ENCODE_ANY | JSON_REAL_PRECISION(PRECISION));
  json_t *o = json_object();
  char *expression = sys_printf("%.*s != \"%.*s\" or %.*s == %s", (int)on->name_size,
                                on->name, (int)off_size, off, (int)p->name_size, p->name,
                                text ? text : "0");
  json_object_set_new(
      o, "Parameters",
      json_pack("[s#, s#]", on->name, (int)on->name_size, p->name, (int)p->name_size));
  json_object_set_new(o, "Expression", json_string(expression ? expression : "?"));
  free(expression);
  free(text);
  json_decref(first);
  return o;
}

// Adds the lines of identity_conditions to LIST.
static void add_conditions(json_t *list, const char *s) {
  while (*s) {
    size_t end = strcspn(s, "\n"), names = strcspn(s, "\t\n");
    json_t *o = json_object(), *params = json_array();
    for (size_t at = 0; at < names;) {
      size_t n = strcspn(s + at, ",\t\n");
      json_array_append_new(params, json_stringn(s + at, n));
      at += n + 1;
    }
    json_object_set_new(o, "Parameters", params);
    json_object_set_new(o, "Expression",
                        json_stringn(s + names + 1, end > names ? end - names - 1 : 0));
    json_array_append_new(list, o);
    s += end + (s[end] == '\n');
  }
}

static json_t *export_t1(const struct listed *item, const struct asked *asked) {
  struct offered all[MAX_PARAMS];
  unsigned n = 0;
  json_t *params = json_array(), *conditions = json_array();
  for (const char *s = asked->params; *s && n < MAX_PARAMS && offered_next(&s, &all[n]);
       n++) {
    json_array_append_new(params, export_parameter(&all[n]));
    if (all[n].when >= 0 && (unsigned)all[n].when < n && *all[n].values &&
        *all[all[n].when].values)
      json_array_append_new(conditions, export_dependence(all, &all[n]));
  }
  add_conditions(conditions, asked->conditions);
  return json_pack(
      "{s:{s:s, s:i, s:s, s:s}, s:{s:o, s:o}, s:{s:s, s:s, s:s, s:s, s:{s:s}, s:{s:s}}}",
      "General", "BenchmarkName", item->problem.kernel, "FormatVersion", 1, "TimeUnit",
      "Milliseconds", "OutputFormat", "JSON", "ConfigurationSpace", "TuningParameters",
      params, "Conditions", conditions, "KernelSpecification",
      // The format knows languages of GPUs only, so the true language is a further
      // member.
      "Language", "OpenCL", "SourceLanguage", "C", "KernelName", item->problem.kernel,
      "KernelFile", item->problem.file, "GlobalSize", "X", "1", "LocalSize", "X", "1");
}

// ---- the choice of a problem --------------------------------------------------------

static int export_rank(const struct listed *item) {
  const struct problem *p = &item->problem;
  return 4 * (item->stale == STALE_NOT) + 2 * results_is_here(p) +
      (p->threads == (unsigned)machine_identity()->numbers.threads);
}

// Returns the problem to export: one that is not stale if there is any, then one of this
// machine, then the one seen last. NULL after a message: there is none, or the kernel or
// key must be given.
static const struct listed *export_pick(const struct listing *l,
                                        const struct export_options *o) {
  const struct listed *best = NULL;
  bool several = false;
  for (unsigned i = 0; i < l->n; i++) {
    const struct listed *item = &l->items[i];
    if (!results_key_matches(&item->problem, o->key))
      continue;
    several |= best &&
        (strcmp(best->problem.kernel, item->problem.kernel) != 0 ||
         strcmp(best->problem.key, item->problem.key) != 0);
    int better = best ? export_rank(item) - export_rank(best) : 1;
    if (better > 0 || (better == 0 && item->last > best->last))
      best = item;
  }
  if (!best)
    fprintf(stderr, "autotune export: nothing is known of that%s%s\n",
            o->kernel ? ": " : "", o->kernel ? o->kernel : "");
  if (!several)
    return best;
  fprintf(stderr, "autotune export: there are several; name one of them:\n");
  for (unsigned i = 0; i < l->n; i++) {
    char *key = results_key(&l->items[i].problem);
    if (results_key_matches(&l->items[i].problem, o->key))
      fprintf(stderr, "  %s%s%s%s\n", l->items[i].problem.kernel,
              key && *key ? " --key '" : "", key ? key : "", key && *key ? "'" : "");
    free(key);
  }
  return NULL;
}

static int export_dump(const void *root, FILE *f) {
  size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(PRECISION);
  return json_dumpf(root, f, flags) == 0 && fputc('\n', f) != EOF && fflush(f) == 0 ? 0
                                                                                    : -1;
}

static int write_json(const json_t *root, const char *path, FILE *out) {
  if (!root)
    errno = ENOMEM;
  int status = !root ? -1
      : path         ? wisdom_write_file(path, export_dump, root)
                     : export_dump(root, out);
  if (status != 0)
    fprintf(stderr, "%s: error: %s\n", path ? path : "standard output", strerror(errno));
  return status == 0 ? 0 : 2;
}

int export_run(const struct export_options *o, FILE *out) {
  struct store *s = results_open(o->folder, false);
  struct listing l = { 0 };
  struct asked asked = { 0 };
  if (!s)
    return 2;
  int status = store_list(s, o->kernel, &l) == 0 ? 0 : 2;
  const struct listed *item = status == 0 ? export_pick(&l, o) : NULL;
  if (!item)
    status = status ? status : 1;
  else if (o->t1 && !store_find_asked(s, item->problem.id, &asked)) {
    fprintf(stderr, "autotune export: what %s offers was never noted\n",
            item->problem.kernel);
    status = 1;
  } else {
    json_t *root = o->t1 ? export_t1(item, &asked) : export_t4(item);
    status = write_json(root, o->output, out);
    json_decref(root);
  }
  free(asked.block);
  store_list_free(&l);
  store_close(s);
  return status;
}
