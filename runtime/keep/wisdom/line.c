// SPDX-License-Identifier: Apache-2.0
// line.c: one winner to one line of JSON and back. Members are sorted and numbers
// rounded, so that the same winner is the same line on every machine. The sum at its end
// covers the line without the sum; a line that was edited by hand has no sum.
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "model/key.h"
#include "model/value.h"
#include "wisdom.h"

enum { MOST_SAMPLES = 1 << 30 };
static const double longest = 1e12; // seconds

// A line that is being read: the first error in it, and the place for its texts.
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

// True if S holds no control character, which would break a row or a terminal.
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
    FAIL(r, "'%s' is not a string", name);
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
    FAIL(r, "'%s' is not a hash of 16 digits", name);
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

// Turns [["n", 512], ["m", 3]] into "512,3" and "n\nm".
static void line_key(struct reading *r, const char **numbers, const char **names) {
  json_t *list = json_object_get(r->root, "key");
  size_t n = json_array_size(list);
  char number[32];
  if (!json_is_array(list) || n > MAX_KEYS)
    FAIL(r, "'key' is out of range");
  *numbers = r->at;
  line_put(r, "", 0); // the list may be empty
  for (size_t i = 0; i < n && !r->failed; i++) {
    json_t *pair = json_array_get(list, i), *value = json_array_get(pair, 1);
    if (json_array_size(pair) != 2 || !json_is_integer(value))
      FAIL(r, "'key' is out of range");
    line_put(r, number,
             (size_t)snprintf(number, sizeof number, "%s%lld", i ? "," : "",
                              (long long)json_integer_value(value)));
  }
  r->at += !r->failed;
  *names = r->at;
  line_put(r, "", 0);
  for (size_t i = 0; i < n && !r->failed; i++) {
    const char *name = json_string_value(json_array_get(json_array_get(list, i), 0));
    if (!name || !line_is_plain(name))
      FAIL(r, "'key' is out of range");
    line_put(r, "\n", i > 0);
    line_put(r, name ? name : "", name ? strlen(name) : 0);
  }
  if (!r->failed && (strlen(*numbers) > 4096 || strlen(*names) > 4096))
    FAIL(r, "'key' is too long");
  r->at += !r->failed;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Turns {"MR": "6"} into "MR=6\n", sorted by name.
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

static double line_moment(struct reading *r, const char *name) {
  const char *s = json_string_value(json_object_get(r->root, name));
  struct tm tm = { 0 };
  char *end = s ? strptime(s, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;
  double when = end && *end == '\0' ? (double)timegm(&tm) : -1;
  if (!(when >= 0 && when < longest))
    FAIL(r, "'%s' is not a time such as 2026-01-31T12:00:00Z", name);
  return when;
}

// ---- reading a line -----------------------------------------------------------------

// The structs of an entry, and those of their facts that are members of a line.
#define PARTS(e)                        \
  {                                     \
    { &kind_problem, &(e)->problem }, { \
      &kind_summary, &(e)->summary      \
    }                                   \
  }
struct part {
  const struct kind *kind;
  void *what;
};

static bool is_member(const struct part parts[2], const char *name) {
  bool found = strcmp(name, "autotune") == 0 || strcmp(name, "sum") == 0 ||
      strcmp(name, "inferred") == 0;
  for (int p = 0; p < 2 && !found; p++)
    for (unsigned i = 0; i < parts[p].kind->n_facts && !found; i++) {
      const char *fact = parts[p].kind->facts[i].wisdom;
      found = fact && strcmp(fact, name) == 0;
    }
  return found;
}

static void refuse_strangers(struct reading *r, const struct part parts[2]) {
  const char *name;
  json_t *value;
  json_object_foreach(r->root, name, value) {
    if (!is_member(parts, name))
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

static bool line_flag(struct reading *r, json_t *v, const char *name) {
  if (!json_is_boolean(v))
    FAIL(r, "'%s' is out of range", name);
  return json_is_true(v);
}

// Returns the objective of the name V; time if there is no V.
static enum objective_kind line_objective(struct reading *r, json_t *v,
                                          const char *name) {
  const char *text = v ? json_string_value(v) : objective_get(OBJECTIVE_TIME)->name;
  for (enum objective_kind k = 0; text && k < OBJECTIVES; k++)
    if (strcmp(text, objective_get(k)->name) == 0)
      return k;
  FAIL(r, "'%s' is out of range", name);
  return OBJECTIVE_TIME;
}

static void read_fact(struct reading *r, const struct fact *f, void *what) {
  json_t *v = json_object_get(r->root, f->wisdom);
  const char **text = FACT_IN(const char *, f, what);
  switch (f->type) {
  case FACT_HASH: // lines that are older than the store's column have none
    *FACT_IN(uint64_t, f, what) = v || f->since <= 2 ? line_hash(r, f->wisdom) : 0;
    return;
  case FACT_COUNT:
    *FACT_IN(unsigned, f, what) =
        (unsigned)line_whole(r, v, f->wisdom, 0, (long long)f->most);
    return;
  case FACT_OBJECTIVE:
    *FACT_IN(enum objective_kind, f, what) = line_objective(r, v, f->wisdom);
    return;
  case FACT_MOMENT:
    *FACT_IN(double, f, what) = line_moment(r, f->wisdom);
    return;
  case FACT_ESTIMATE:
    *FACT_IN(struct estimate, f, what) = line_estimate(r, f->wisdom);
    return;
  case FACT_VERIFIED: { // `inferred` is only written where it is true
    bool *verified = FACT_IN(bool, f, what);
    json_t *inferred = json_object_get(r->root, "inferred");
    verified[0] = line_flag(r, v, f->wisdom);
    verified[1] = inferred && line_flag(r, inferred, "inferred");
    if (inferred && !(verified[0] && verified[1]))
      FAIL(r, "'%s' is out of range", "inferred");
    return;
  }
  case FACT_KEY:
    line_key(r, text, FACT_N(const char *, f, what));
    return;
  case FACT_VALUES:
    *text = line_values(r);
    return;
  default:
    *text = line_text(r, f->wisdom, f->most);
    if (f->type == FACT_FILE && strchr(*text, '/'))
      FAIL(r, "'%s' is out of range", f->wisdom);
  }
}

static void line_read_members(struct reading *r, struct wisdom_entry *e) {
  const struct part parts[2] = PARTS(e);
  if (line_whole(r, json_object_get(r->root, "autotune"), "autotune", 1, 1000) >
      WISDOM_FORMAT)
    FAIL(r, "it is of a newer autotune");
  refuse_strangers(r, parts);
  check_sum(r);
  for (int p = 0; p < 2; p++)
    for (unsigned i = 0; i < parts[p].kind->n_facts; i++) {
      const struct fact *f = &parts[p].kind->facts[i];
      const char **text = FACT_IN(const char *, f, parts[p].what);
      if (f->wisdom)
        read_fact(r, f, parts[p].what);
      else if (fact_is_text(f) && !*text)
        *text = "";
    }
  record_complete(&kind_problem, &e->problem);
  e->summary.origin = ORIGIN_WISDOM;
  e->summary.toolchain = e->problem.toolchain;
  e->summary.winner = *e->summary.values ? identity_values(e->summary.values) | 1 : 0;
  if (!*e->problem.kernel)
    FAIL(r, "'%s' is out of range", "kernel");
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
    FAIL(&r, "it is not a JSON object: %.80s",
         r.root ? "it is something else" : error.text);
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

// Rounds the number as reading will, so that it is printed the same way again.
static json_t *line_rounded(double d) {
  char s[32];
  snprintf(s, sizeof s, "%.6g", isfinite(d) ? d : 0.0);
  return json_real(strtod(s, NULL));
}

static json_t *print_estimate(struct estimate e) {
  e = estimate_closed(e);
  return json_pack("{s:o, s:o, s:o, s:i}", "median", line_rounded(e.median), "low",
                   line_rounded(e.low), "high", line_rounded(e.high), "n", (int)e.n);
}

static json_t *line_print_key(const char *numbers, const char *names) {
  json_t *list = json_array();
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

static json_t *print_fact(const struct fact *f, void *what) {
  const char *text = fact_is_text(f) ? *FACT_IN(const char *, f, what) : "";
  switch (f->type) {
  case FACT_HASH:
    return line_hex(*FACT_IN(uint64_t, f, what));
  case FACT_COUNT:
    return json_integer(*FACT_IN(unsigned, f, what));
  case FACT_OBJECTIVE:
    return json_string(objective_get(*FACT_IN(enum objective_kind, f, what))->name);
  case FACT_MOMENT:
    return print_moment(*FACT_IN(double, f, what));
  case FACT_ESTIMATE:
    return print_estimate(*FACT_IN(struct estimate, f, what));
  case FACT_VERIFIED:
    return json_boolean(*FACT_IN(bool, f, what));
  case FACT_KEY:
    return line_print_key(text, *FACT_N(const char *, f, what));
  case FACT_VALUES:
    return line_print_values(text);
  default:
    return json_string(f->type == FACT_FILE ? sys_file_name(text) : text);
  }
}

char *wisdom_print(const struct wisdom_entry *given) {
  struct wisdom_entry e = *given;
  const struct part parts[2] = PARTS(&e);
  json_t *o = json_object();
  if (!e.summary.winner) {
    e.summary.best = e.summary.original;
    e.summary.values = "";
  }
  bool good = o && json_object_set_new(o, "autotune", json_integer(WISDOM_FORMAT)) == 0;
  if (e.summary.verified && e.summary.inferred)
    good &= json_object_set_new(o, "inferred", json_true()) == 0;
  for (int p = 0; p < 2; p++)
    for (unsigned i = 0; i < parts[p].kind->n_facts; i++) {
      const struct fact *f = &parts[p].kind->facts[i];
      bool usual = f->type == FACT_OBJECTIVE && e.problem.objective == OBJECTIVE_TIME;
      if (f->wisdom && !usual) // takes the value over even if a failure follows
        good &= json_object_set_new(o, f->wisdom, print_fact(f, parts[p].what)) == 0;
    }
  char *plain = good ? line_dump(o) : NULL;
  if (plain)
    set_sum(o, plain);
  char *line = plain ? line_dump(o) : NULL;
  free(plain);
  json_decref(o);
  return line;
}
