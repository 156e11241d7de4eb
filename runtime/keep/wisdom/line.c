// SPDX-License-Identifier: Apache-2.0
// line.c: one winner to one line of JSON and back. Members are sorted and numbers
// rounded, so that the same winner is the same line everywhere. The sum at its end covers
// the line as it is printed without it; a line that was edited by hand goes without.
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "model/key.h"
#include "model/value.h"
#include "wisdom.h"

enum { MOST_THREADS = 1 << 20, MOST_SAMPLES = 1 << 30 };
static const double longest = 1e12; // seconds

// A line that is being read: the first thing that is wrong with it, and where its texts
// go.
struct reading {
  json_t *root;
  char *at, *end;
  char *why;
  size_t why_size;
  bool failed;
};

#define FAIL(r, ...)                                  \
  do {                                                \
    if (!(r)->failed)                                 \
      snprintf((r)->why, (r)->why_size, __VA_ARGS__); \
    (r)->failed = true;                               \
  } while (0)

// ---- reading members ----------------------------------------------------------------

static void line_put(struct reading *r, const char *s, size_t n) {
  if (n >= (size_t)(r->end - r->at)) {
    FAIL(r, "it is too long");
    return;
  }
  memcpy(r->at, s, n);
  r->at += n;
  *r->at = '\0';
}

// Texts end at a NUL; neither it nor what would break a row or a terminal is in them.
static bool line_is_plain(const char *s) {
  for (; *s; s++)
    if ((unsigned char)*s < 0x20 || *s == 0x7f)
      return false;
  return true;
}

static const char *line_text(struct reading *r, const char *name, size_t most) {
  json_t *v = json_object_get(r->root, name);
  const char *s = json_string_value(v), *start = r->at;
  if (!s) {
    FAIL(r, "'%s' is no text", name);
    return "";
  }
  if (strlen(s) > most || !line_is_plain(s))
    FAIL(r, "'%s' is out of range", name);
  line_put(r, s, strlen(s));
  r->at += !r->failed;
  return r->failed ? "" : start;
}

static uint64_t line_hash(struct reading *r, const char *name) {
  const char *s = json_string_value(json_object_get(r->root, name));
  if (!s || strlen(s) != 16 || strspn(s, "0123456789abcdef") != 16) {
    FAIL(r, "'%s' is no hash of 16 digits", name);
    return 0;
  }
  return strtoull(s, NULL, 16);
}

static long long line_whole(struct reading *r, json_t *v, const char *name,
                            long long least, long long most) {
  long long n = json_integer_value(v);
  if (!json_is_integer(v) || n < least || n > most)
    FAIL(r, "'%s' is out of range", name);
  return n;
}

static double line_seconds(struct reading *r, json_t *object, const char *member,
                           const char *name) {
  json_t *v = json_object_get(object, member);
  double d = json_number_value(v);
  if (!json_is_number(v) || !(d >= 0 && d < longest))
    FAIL(r, "'%s' is out of range", name);
  return d;
}

static struct estimate line_estimate(struct reading *r, const char *name) {
  json_t *v = json_object_get(r->root, name);
  struct estimate e = { line_seconds(r, v, "median", name),
                        line_seconds(r, v, "low", name), line_seconds(r, v, "high", name),
                        (unsigned)line_whole(r, json_object_get(v, "n"), name, 0,
                                             MOST_SAMPLES) };
  if (json_object_size(v) != 4 || !(e.low <= e.median && e.median <= e.high))
    FAIL(r, "'%s' is out of range", name);
  return e;
}

// [["n", 512], ["m", 3]] to "512,3" and "n\nm".
static void line_key(struct reading *r, struct problem *p) {
  json_t *list = json_object_get(r->root, "key");
  size_t n = json_array_size(list);
  char number[32];
  if (!json_is_array(list) || n > MAX_KEYS)
    FAIL(r, "'key' is out of range");
  p->key = r->at;
  line_put(r, "", 0); // there may be none
  for (size_t i = 0; i < n && !r->failed; i++) {
    json_t *pair = json_array_get(list, i), *value = json_array_get(pair, 1);
    if (json_array_size(pair) != 2 || !json_is_integer(value))
      FAIL(r, "'key' is out of range");
    line_put(r, number,
             (size_t)snprintf(number, sizeof number, "%s%lld", i ? "," : "",
                              (long long)json_integer_value(value)));
  }
  r->at += !r->failed;
  p->key_names = r->at;
  line_put(r, "", 0);
  for (size_t i = 0; i < n && !r->failed; i++) {
    const char *name = json_string_value(json_array_get(json_array_get(list, i), 0));
    if (!name || !line_is_plain(name))
      FAIL(r, "'key' is out of range");
    line_put(r, "\n", i > 0);
    line_put(r, name ? name : "", name ? strlen(name) : 0);
  }
  if (!r->failed && (strlen(p->key) > 4096 || strlen(p->key_names) > 4096))
    FAIL(r, "'key' is too long");
  r->at += !r->failed;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// {"MR": "6"} to "MR=6\n", sorted by name.
static const char *line_values(struct reading *r) {
  json_t *object = json_object_get(r->root, "values"), *value;
  const char *names[MAX_PARAMS], *name, *start = r->at;
  unsigned n = 0;
  if (!json_is_object(object) || json_object_size(object) > MAX_PARAMS) {
    FAIL(r, "'values' is out of range");
    return "";
  }
  json_object_foreach(object, name, value) names[n++] = name;
  qsort(names, n, sizeof *names, by_text);
  for (unsigned i = 0; i < n && !r->failed; i++) {
    const char *s = json_string_value(json_object_get(object, names[i]));
    if (!s || !line_is_plain(s) || !line_is_plain(names[i]) || !*names[i] ||
        strchr(names[i], '=')) {
      FAIL(r, "'values' is out of range");
      break;
    }
    line_put(r, names[i], strlen(names[i]));
    line_put(r, "=", 1);
    line_put(r, s, strlen(s));
    line_put(r, "\n", 1);
  }
  if (n == 0)
    line_put(r, "", 0);
  r->at += !r->failed;
  return start;
}

static double line_moment(struct reading *r) {
  const char *s = json_string_value(json_object_get(r->root, "when"));
  struct tm tm = { 0 };
  char *end = s ? strptime(s, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;
  double when = end && *end == '\0' ? (double)timegm(&tm) : -1;
  if (!(when >= 0 && when < longest))
    FAIL(r, "'when' is no time such as 2026-01-31T12:00:00Z");
  return when;
}

// ---- reading a line -----------------------------------------------------------------

static const char *const members[] = {
  "autotune",  "best",  "compiler", "cpu",    "default",  "file", "inferred", "isa",
  "kernel",    "key",   "machine",  "search", "space",    "sum",  "text",     "threads",
  "toolchain", "tried", "unit",     "values", "verified", "when", NULL,
};

static void refuse_strangers(struct reading *r) {
  const char *name;
  json_t *value;
  json_object_foreach(r->root, name, value) {
    unsigned i = 0;
    while (members[i] && strcmp(members[i], name) != 0)
      i++;
    if (!members[i])
      FAIL(r, "there is no member '%.40s'", line_is_plain(name) ? name : "?");
  }
}

static char *line_dump(const json_t *root) {
  return json_dumps(root, JSON_SORT_KEYS | JSON_REAL_PRECISION(6));
}

static void set_sum(json_t *root, const char *text_of) {
  char sum[20];
  snprintf(sum, sizeof sum, "%016llx",
           (unsigned long long)XXH3_64bits(text_of, strlen(text_of)));
  json_object_set_new(root, "sum", json_string(sum));
}

static void check_sum(struct reading *r) {
  json_t *given = json_object_get(r->root, "sum");
  if (!given)
    return;
  json_incref(given);
  json_object_del(r->root, "sum");
  char *plain = line_dump(r->root);
  if (plain)
    set_sum(r->root, plain);
  if (!plain || !json_equal(given, json_object_get(r->root, "sum")))
    FAIL(r, "its sum is wrong; take 'sum' out of a line that was edited by hand");
  json_decref(given);
  free(plain);
}

static void line_read_members(struct reading *r, struct wisdom_entry *e) {
  struct problem *p = &e->problem;
  struct summary *m = &e->summary;
  enum { NAME = 4096, LONG = 1 << 15 };
  if (line_whole(r, json_object_get(r->root, "autotune"), "autotune", 1, 1000) >
      WISDOM_FORMAT)
    FAIL(r, "it is of a newer autotune");
  refuse_strangers(r);
  check_sum(r);
  p->kernel = line_text(r, "kernel", NAME);
  p->file = line_text(r, "file", NAME);
  p->cpu = line_text(r, "cpu", NAME);
  p->isa = line_text(r, "isa", NAME);
  p->family = "";
  p->unit = line_hash(r, "unit");
  p->threads = (unsigned)line_whole(r, json_object_get(r->root, "threads"), "threads", 0,
                                    MOST_THREADS);
  p->toolchain = line_text(r, "toolchain", NAME);
  line_key(r, p);
  m->space = line_hash(r, "space");
  m->text = line_hash(r, "text");
  m->values = line_values(r);
  m->compiler = line_text(r, "compiler", NAME);
  m->machine = line_text(r, "machine", NAME);
  m->search = line_text(r, "search", NAME);
  m->why = m->source = "";
  m->original = line_estimate(r, "default");
  m->best = line_estimate(r, "best");
  m->tried =
      (unsigned)line_whole(r, json_object_get(r->root, "tried"), "tried", 0, UINT32_MAX);
  m->verified = json_is_true(json_object_get(r->root, "verified"));
  json_t *inferred = json_object_get(r->root, "inferred"); // only where it is true
  m->inferred = inferred != NULL;
  m->when = line_moment(r);
  m->winner = *m->values ? identity_values(m->values) | 1 : 0;
  if (!json_is_boolean(json_object_get(r->root, "verified")) ||
      (inferred && !(m->verified && json_is_true(inferred))) ||
      strlen(m->values) > LONG || !*p->kernel || strchr(p->file, '/'))
    FAIL(r, "'verified', 'values', 'kernel' or 'file' is out of range");
}

bool wisdom_parse(const char *line, size_t size, struct wisdom_entry *e, char *why,
                  size_t why_size) {
  json_error_t error;
  *e = (struct wisdom_entry){ 0 };
  struct reading r = { .why = why, .why_size = why_size };
  if (size > WISDOM_LONGEST) {
    snprintf(why, why_size, "it is longer than %d bytes", WISDOM_LONGEST);
    return false;
  }
  r.root = json_loadb(line, size, JSON_REJECT_DUPLICATES, &error);
  r.at = e->block = r.root ? sys_malloc(2 * size + 4096) : NULL;
  if (!json_is_object(r.root)) {
    FAIL(&r, "it is no JSON object: %.80s", r.root ? "it is something else" : error.text);
  } else if (!r.at) {
    FAIL(&r, "no memory");
  } else {
    r.end = r.at + 2 * size + 4096;
    line_read_members(&r, e);
  }
  json_decref(r.root);
  if (r.failed) {
    free(e->block);
    e->block = NULL;
  }
  return !r.failed;
}

// ---- printing -----------------------------------------------------------------------

static json_t *line_hex(uint64_t h) {
  char s[20];
  snprintf(s, sizeof s, "%016llx", (unsigned long long)h);
  return json_string(s);
}

// As it will be read back, so that it is printed the same way again.
static json_t *line_rounded(double d) {
  char s[32];
  snprintf(s, sizeof s, "%.6g", isfinite(d) ? d : 0.0);
  return json_real(strtod(s, NULL));
}

static json_t *print_estimate(struct estimate e) {
  json_t *o = json_object();
  double low = isfinite(e.low) && e.low <= e.median ? e.low : e.median;
  double high = isfinite(e.high) && e.high >= e.median ? e.high : e.median;
  json_object_set_new(o, "median", line_rounded(e.median));
  json_object_set_new(o, "low", line_rounded(low));
  json_object_set_new(o, "high", line_rounded(high));
  json_object_set_new(o, "n", json_integer(e.n));
  return o;
}

static json_t *line_print_key(const struct problem *p) {
  json_t *list = json_array();
  const char *numbers = p->key, *names = p->key_names;
  struct key_part part;
  while (key_next(&numbers, &names, &part))
    json_array_append_new(
        list,
        json_pack("[s#, I]", part.name, (int)part.name_size, (json_int_t)part.number));
  return list;
}

static json_t *line_print_values(const char *values) {
  json_t *o = json_object();
  for (struct named_value one; value_next(&values, &one);) {
    char *name = sys_printf("%.*s", (int)one.name_size, one.name);
    if (name)
      json_object_set_new(o, name, json_stringn(one.value, one.size));
    free(name);
  }
  return o;
}

static json_t *print_moment(double when) {
  char s[32] = "";
  time_t t = when >= 0 && when < longest ? (time_t)when : 0;
  struct tm tm;
  if (!gmtime_r(&t, &tm) || strftime(s, sizeof s, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
    return json_string("1970-01-01T00:00:00Z");
  return json_string(s);
}

char *wisdom_print(const struct wisdom_entry *e) {
  const struct problem *p = &e->problem;
  const struct summary *m = &e->summary;
  const char *file = strrchr(p->file, '/');
  json_t *o = json_object();
  const struct {
    const char *name;
    json_t *value;
  } all[] = {
    { "autotune", json_integer(WISDOM_FORMAT) },
    { "best", print_estimate(m->winner ? m->best : m->original) },
    { "compiler", json_string(m->compiler) },
    { "cpu", json_string(p->cpu) },
    { "default", print_estimate(m->original) },
    { "file", json_string(file ? file + 1 : p->file) },
    { "isa", json_string(p->isa) },
    { "kernel", json_string(p->kernel) },
    { "key", line_print_key(p) },
    { "machine", json_string(m->machine) },
    { "search", json_string(m->search) },
    { "space", line_hex(m->space) },
    { "text", line_hex(m->text) },
    { "threads", json_integer(p->threads) },
    { "toolchain", json_string(p->toolchain) },
    { "tried", json_integer(m->tried) },
    { "unit", line_hex(p->unit) },
    { "values", line_print_values(m->winner ? m->values : "") },
    { "verified", json_boolean(m->verified) },
    { "inferred", m->verified && m->inferred ? json_true() : NULL },
    { "when", print_moment(m->when) },
  };
  bool good = o != NULL;
  for (size_t i = 0; i < sizeof all / sizeof *all;
       i++) // takes each value over, also in vain
    good &= !all[i].value || json_object_set_new(o, all[i].name, all[i].value) == 0;
  char *plain = good ? line_dump(o) : NULL;
  if (plain)
    set_sum(o, plain);
  char *line = plain ? line_dump(o) : NULL;
  free(plain);
  json_decref(o);
  return line;
}
