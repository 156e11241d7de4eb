// SPDX-License-Identifier: Apache-2.0
// extern.c: a program of the user's proposes the points: search(extern: "COMMAND"),
// AUTOTUNE_SEARCH=extern:COMMAND. It is told what is searched, then each result, one line
// of JSON each, and it answers with lines of JSON (docs/extern.md). Where it fails, is
// silent for too long or proposes nothing of use, the default search goes on, which is
// told the same results from the beginning.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/identity.h"
#include "model/variant.h"
#include "proposer.h"
#include "search.h"

enum { PROTOCOL = 1, MOST_REFUSED = 64, SHOWN = 200 };
// The seconds that the search waits for a proposal while nothing else is to be done: a
// fraction of the budget, or so many if that is more.
static const double patience_fraction = 0.25, least_patience = 2;

struct strategy {
  const struct space *space;
  const char *command;
  struct proposer *proposer;            // NULL: the default search has taken over
  const struct strategy_class *usually; // the default search
  struct strategy *usual;
  struct seen seen;
  bool ended;       // the program says that there is no more to propose
  unsigned refused; // lines in succession that were no proposals
  double waited;    // since the last proposal
  double patience;  // seconds
  double left;      // of the budget, as a fraction
  const char *cost; // the name of costs
  const char *const *feature_names;
  unsigned n_features;
  const char *no_bodies;
  char *body;        // of the point that was asked for last; NULL: none
  unsigned n_bodies; // proposed so far
  uint64_t *bodies;  // their hashes, mixed with those of their points
  char wrong[200];   // with the last line
};

static void extern_free(struct strategy *st) {
  proposer_free(st->proposer);
  if (st->usual)
    st->usually->free(st->usual);
  seen_free(&st->seen);
  free(st->body);
  free(st->bodies);
  free(st);
}

static struct strategy *extern_new(const struct space *s, uint64_t seed,
                                   unsigned budget) {
  const char *option = options_get()->search;
  struct strategy *st = sys_calloc(1, sizeof *st);
  if (!st)
    return NULL;
  st->space = s;
  st->command = value_extern(option ? option : s->kernel->search);
  st->left = 1;
  st->cost = "cost";
  st->patience = least_patience;
  st->usually = strategy_choose(s, budget);
  st->usual = st->usually->new(s, seed, budget);
  st->proposer = proposer_new(st->command);
  if (st->usual && st->proposer)
    return st;
  extern_free(st);
  return NULL;
}

// Leaves the rest to the default search.
static void extern_leave(struct strategy *st, const char *why) {
  log_once_of(AUTOTUNE_WARN, st->space->kernel->name, "extern",
              "%s: the default search goes on without '%.200s': %s",
              st->space->kernel->name, st->command, why);
  proposer_free(st->proposer);
  st->proposer = NULL;
}

// ---- what it is told ----------------------------------------------------------------

static void extern_send(struct strategy *st, json_t *line) {
  if (st->proposer)
    proposer_send(st->proposer, line);
  else
    json_decref(line);
}

// Bytes that are no UTF-8 become '?'.
static json_t *extern_text(const char *s) {
  json_t *text = json_string(s);
  char *copy = text ? NULL : sys_strdup(s);
  for (char *p = copy; p && *p; p++)
    *p = (unsigned char)*p < 0x80 ? *p : '?';
  if (copy)
    text = json_string(copy);
  free(copy);
  return text;
}

// Sets *SIZE to the bytes of value I of P, without the quotes of a string literal.
static const char *extern_word(const struct autotune_param *p, unsigned i, size_t *size) {
  const char *text = p->values[i].text;
  bool quoted = p->kind == AUTOTUNE_STRING && strlen(text) >= 2;
  *size = strlen(text) - (quoted ? 2 : 0);
  return text + quoted;
}

static json_t *extern_value(const struct autotune_param *p, unsigned i) {
  size_t size;
  const char *word = extern_word(p, i, &size);
  return p->kind == AUTOTUNE_INT ? json_integer(p->values[i].i)
      : p->kind == AUTOTUNE_REAL ? json_real(p->values[i].d)
                                 : json_stringn(word, size);
}

static json_t *extern_point(const struct space *s, const choice *point) {
  const struct autotune_kernel *k = s->kernel;
  json_t *object = json_object();
  for (unsigned p = 0; p < k->n_params; p++)
    if (space_matters(k, point, p))
      json_object_set_new(object, k->params[p].name,
                          extern_value(&k->params[p], point[p]));
  return object;
}

static json_t *extern_param(const struct autotune_kernel *k,
                            const struct autotune_param *p) {
  json_t *values = json_array(), *object = json_object();
  for (unsigned i = 0; i < p->n_values; i++)
    json_array_append_new(values, extern_value(p, i));
  json_object_set_new(object, "name", extern_text(p->name));
  json_object_set_new(object, "kind", extern_text(identity_kind(p->kind)));
  json_object_set_new(object, "values", values);
  if (p->original < p->n_values)
    json_object_set_new(object, "original", extern_value(p, p->original));
  if (p->when >= 0)
    json_object_set_new(object, "when", extern_text(k->params[p->when].name));
  return object;
}

static void extern_add_cost(const struct strategy *st, json_t *object, double cost,
                            struct estimate e) {
  json_object_set_new(object, st->cost, json_real(cost));
  if (e.n > 0) { // an open end, of few samples, is left out
    json_object_set_new(object, "low", json_real(e.low));
    json_object_set_new(object, "high", json_real(e.high));
    json_object_set_new(object, "samples", json_integer(e.n));
  }
}

static json_t *extern_machine(const struct strategy *st, const struct identity *id) {
  const struct autotune_machine *m = st->space->machine;
  const struct {
    const char *name;
    long long number;
  } numbers[] = { { "l1d", m->l1d },
                  { "l2", m->l2 },
                  { "l3", m->l3 },
                  { "line", m->line },
                  { "vector", m->vector },
                  { "cores", m->cores },
                  { "threads", m->threads },
                  { "smem_per_block", m->smem_per_block },
                  { "smem_per_sm", m->smem_per_sm },
                  { "registers", m->registers },
                  { "sms", m->sms },
                  { "warp", m->warp },
                  { "max_threads", m->max_threads },
                  { "cc", m->cc } };
  json_t *object = json_object();
  json_object_set_new(object, "cpu", extern_text(id->cpu));
  json_object_set_new(object, "isa", extern_text(id->isa));
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i].number > 0) // 0: not known, or there is no device
      json_object_set_new(object, numbers[i].name, json_integer(numbers[i].number));
  return object;
}

static void extern_begin(struct strategy *st, const struct search_problem *problem) {
  const struct autotune_kernel *k = st->space->kernel;
  const struct identity *id = problem->id;
  json_t *line = json_object(), *key = json_object(), *params = json_array(),
         *conditions = json_array(), *usual = json_object();
  st->feature_names = problem->feature_names;
  st->n_features = problem->n_features;
  st->no_bodies = problem->no_bodies;
  st->cost = objective_get(id->objective)->is_seconds ? "seconds" : "cost";
  st->patience = fmax(patience_fraction * problem->seconds, least_patience);
  for (unsigned i = 0; i < id->n_keys; i++)
    json_object_set_new(key, id->key_names[i], json_integer(id->key[i]));
  for (unsigned p = 0; p < k->n_params; p++)
    json_array_append_new(params, extern_param(k, &k->params[p]));
  for (unsigned i = 0; i < k->n_conditions; i++)
    if (k->conditions[i].text)
      json_array_append_new(conditions, extern_text(k->conditions[i].text));
  extern_add_cost(st, usual, problem->original.median, problem->original);
  json_object_set_new(line, "autotune", json_integer(PROTOCOL));
  json_object_set_new(line, "kernel", extern_text(k->name));
  json_object_set_new(line, "file", extern_text(k->file));
  json_object_set_new(line, "line", json_integer(k->line));
  json_object_set_new(line, "key", key);
  json_object_set_new(line, "params", params);
  json_object_set_new(line, "constraint", conditions);
  json_object_set_new(line, "default", usual);
  json_object_set_new(line, "machine", extern_machine(st, id));
  json_object_set_new(line, "budget", json_real(problem->seconds));
  json_object_set_new(line, "patience", json_real(st->patience));
  json_object_set_new(line, "in_flight", json_integer(problem->ahead));
  json_object_set_new(line, "bodies", json_boolean(!problem->no_bodies));
  if (k->n_units > 0)
    json_object_set_new(line, "source", extern_text(k->units[0].text));
  extern_send(st, line);
}

static json_t *extern_features(const struct strategy *st, const struct features *f) {
  json_t *object = json_object();
  for (unsigned i = 0; f && i < st->n_features; i++)
    json_object_set_new(object, st->feature_names[i], json_real(f->values[i])); // no NAN
  return object;
}

static void extern_send_result(struct strategy *st, const choice *point,
                               const struct observation *o) {
  json_t *line = json_object(), *result = json_object();
  if (o->body)
    json_object_set_new(result, "body", json_integer(o->body));
  json_object_set_new(result, "point", extern_point(st->space, point));
  json_object_set_new(result, "status", extern_text(status_words[o->status].json));
  if (o->status == STATUS_OK)
    extern_add_cost(st, result, o->cost, o->measured);
  else if (o->why && *o->why)
    json_object_set_new(result, "why", extern_text(o->why));
  json_object_set_new(result, "features", extern_features(st, o->features));
  json_object_set_new(line, "result", result);
  json_object_set_new(line, "left", json_real(st->left));
  extern_send(st, line);
}

static void extern_tell(struct strategy *st, const choice *point,
                        const struct observation *o) {
  seen_add(&st->seen, st->space, point);
  st->usually->tell(st->usual, point, o);
  extern_send_result(st, point, o);
}

// Results of a near key.
static void extern_transfer(struct strategy *st, const choice *point, double cost) {
  json_t *line = json_object(), *near = json_object();
  if (st->usually->transfer)
    st->usually->transfer(st->usual, point, cost);
  json_object_set_new(near, "point", extern_point(st->space, point));
  json_object_set_new(near, st->cost, json_real(cost));
  json_object_set_new(line, "near", near);
  extern_send(st, line);
}

// ---- what it answers ----------------------------------------------------------------

// Returns the index of the value of P that V is, a number or a text; n_values: none.
static unsigned extern_choice(const struct autotune_param *p, const json_t *v) {
  size_t size, length = json_string_length(v);
  const char *text = json_string_value(v);
  bool number = json_is_number(v) &&
      (p->kind == AUTOTUNE_INT || p->kind == AUTOTUNE_REAL);
  for (unsigned i = 0; i < p->n_values; i++) {
    const char *word = extern_word(p, i, &size);
    if ((text && size == length && memcmp(word, text, size) == 0) ||
        (number && p->values[i].d == json_number_value(v)))
      return i;
  }
  return p->n_values;
}

// Notes what is wrong with the last line. Returns false.
static bool __attribute__((format(printf, 2, 3))) extern_wrong(struct strategy *st,
                                                               const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(st->wrong, sizeof st->wrong, format, arguments);
  va_end(arguments);
  return false;
}

// Sets POINT to what OBJECT says. False: something is wrong with it.
static bool extern_read_point(struct strategy *st, const json_t *object, choice *point) {
  const struct autotune_kernel *k = st->space->kernel;
  size_t used = 0;
  if (!json_is_object(object))
    return extern_wrong(st, "\"point\" is to be an object: {\"NAME\": VALUE}");
  for (unsigned p = 0; p < k->n_params; p++) {
    const char *name = k->params[p].name;
    const json_t *v = json_object_get(object, name);
    used += v != NULL;
    point[p] = v ? extern_choice(&k->params[p], v) : 0;
    if (point[p] == k->params[p].n_values)
      return extern_wrong(st, "no value of %s is that", name);
    if (!space_matters(k, point, p))
      point[p] = 0;
    else if (!v)
      return extern_wrong(st, "it has no value for %s", name);
  }
  if (used != json_object_size(object))
    return extern_wrong(st, "it names a parameter that does not exist");
  return space_allows(st->space, point) || extern_wrong(st, "the constraint excludes it");
}

// Keeps BODY for POINT, which comes next. False: something is wrong with it.
static bool extern_keep_body(struct strategy *st, const json_t *body,
                             const choice *point) {
  const char *text = json_string_value(body);
  const char *wrong = st->no_bodies ? st->no_bodies
      : !text                       ? "\"body\" is to be a string"
                                    : variant_body_wrong(text);
  if (wrong)
    return extern_wrong(st, "%s", wrong);
  uint64_t hash = variant_body_hash(text) ^ space_hash(st->space, point), *more;
  for (unsigned i = 0; i < st->n_bodies; i++)
    if (st->bodies[i] == hash)
      return extern_wrong(st, "it was proposed before");
  more = sys_realloc(st->bodies, (st->n_bodies + 1) * sizeof *more);
  st->bodies = more ? more : st->bodies;
  st->body = more ? sys_strdup(text) : NULL;
  if (!st->body)
    return extern_wrong(st, "there is no memory");
  st->bodies[st->n_bodies++] = hash;
  return true;
}

// Reads a proposal. False: something is wrong with it.
static bool extern_read(struct strategy *st, const json_t *root, choice *point) {
  const json_t *object = json_object_get(root, "point"),
               *body = json_object_get(root, "body");
  size_t known = (object != NULL) + (body != NULL);
  if (known == 0 || json_object_size(root) != known)
    return extern_wrong(st,
                        "write {\"point\": {\"NAME\": VALUE}}, {\"body\": \"{ … }\"} or "
                        "{\"end\": true}");
  bool named = object ? extern_read_point(st, object, point)
                      : space_original(st->space, point) ||
          extern_wrong(st, "the constraint excludes the original values: give a point");
  if (!named)
    return false;
  return body ? extern_keep_body(st, body, point)
              : seen_add(&st->seen, st->space, point) ||
          extern_wrong(st, "it was proposed or tried before");
}

// Answers LINE, with which something is wrong.
static void extern_refuse(struct strategy *st, const char *line) {
  json_t *answer = json_object();
  char start[SHOWN];
  snprintf(start, sizeof start, "%s", line);
  json_object_set_new(answer, "error", extern_text(st->wrong));
  json_object_set_new(answer, "line", extern_text(start));
  extern_send(st, answer);
  if (++st->refused < MOST_REFUSED)
    return;
  char why[sizeof st->wrong + 80];
  snprintf(why, sizeof why, "%d lines in succession proposed nothing; the last: %s",
           MOST_REFUSED, st->wrong);
  extern_leave(st, why);
}

// Reads LINE. True: POINT is the next to try.
static bool extern_take(struct strategy *st, const char *line, choice *point) {
  json_error_t error;
  json_t *root = json_loads(line, JSON_REJECT_DUPLICATES, &error);
  st->ended = json_object_size(root) == 1 && json_is_true(json_object_get(root, "end"));
  bool taken = !st->ended &&
      (root ? extern_read(st, root, point)
            : extern_wrong(st, "it is no JSON: %s", error.text));
  json_decref(root);
  if (taken || st->ended) {
    st->refused = 0;
    st->waited = 0;
  } else {
    extern_refuse(st, line);
  }
  return taken;
}

// True if POINT is the next to try, among those that the program has proposed.
static bool extern_ask_program(struct strategy *st, choice *point) {
  const char *line;
  proposer_start(st->proposer);
  while ((line = proposer_line(st->proposer))) {
    if (extern_take(st, line, point))
      return true;
    if (st->ended || !st->proposer)
      return false;
  }
  if (proposer_trouble(st->proposer))
    extern_leave(st, proposer_trouble(st->proposer));
  return false;
}

static bool extern_ask(struct strategy *st, choice *point) {
  if (st->ended)
    return false;
  free(st->body);
  st->body = NULL;
  if (st->proposer && extern_ask_program(st, point))
    return true;
  while (!st->proposer && st->usually->ask(st->usual, point))
    if (seen_add(&st->seen, st->space, point)) // else the program proposed it
      return true;
  return false;
}

static bool extern_waits(struct strategy *st, double idle) {
  char why[64];
  if (st->ended || !st->proposer)
    return false;
  if (idle > 0)
    st->waited += proposer_wait(st->proposer, idle);
  if (st->waited > st->patience) {
    snprintf(why, sizeof why, "it proposed nothing for %.3g s", st->patience);
    extern_leave(st, why);
  }
  return true;
}

static char *extern_body_asked(struct strategy *st, unsigned *number) {
  char *body = st->body;
  st->body = NULL;
  *number = st->n_bodies;
  return body;
}

// ---- what others know of a search ---------------------------------------------------

static void extern_left(struct strategy *st, double fraction) {
  st->left = fraction;
  if (st->usually->left)
    st->usually->left(st->usual, fraction);
}

static double extern_expect(struct strategy *st, const choice *point,
                            const struct features *features) {
  return !st->proposer && st->usually->expect
      ? st->usually->expect(st->usual, point, features)
      : 0;
}

static double extern_expected_improvement(struct strategy *st) {
  return !st->proposer && st->usually->expected_improvement
      ? st->usually->expected_improvement(st->usual)
      : -1;
}

const struct strategy_class search_extern = {
  .name = "extern",
  .about = "what a program proposes",
  .new = extern_new,
  .ask = extern_ask,
  .tell = extern_tell,
  .free = extern_free,
  .transfer = extern_transfer,
  .expect = extern_expect,
  .expected_improvement = extern_expected_improvement,
  .left = extern_left,
  .begin = extern_begin,
  .waits = extern_waits,
  .body_asked = extern_body_asked,
  .tell_body = extern_send_result,
};
