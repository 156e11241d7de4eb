// SPDX-License-Identifier: Apache-2.0
// near.c: finds problems that are like the one to be tuned, and their fast variants.
//
// The rows are hints: a search tries them first, and measures them like any other
// variant. So rows of other machines serve, too. The number of rows that are read is
// limited.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/key.h"
#include "tables.h"

// Selects the nearest problems as far as columns tell: by the first number of the key.
// Then the latest ones, since these are the results of searches.
#define PROBLEMS                                                             \
  "WHERE kernel = ?1 OR unit = ?2 OR (shape <> 0 AND shape = ?3) OR "        \
  "(family <> '' AND family = ?4) "                                          \
  "ORDER BY unit <> ?2, kernel <> ?1, shape <> ?3, cpu <> ?5 OR isa <> ?6, " \
  "abs(CAST(key AS REAL) - ?7) LIMIT 2000"
#define VARIANTS "WHERE problem = ?1 AND fate = 0 ORDER BY at DESC LIMIT 5000"

#define LATEST "WHERE problem = ?1 AND fate = 0 ORDER BY at DESC LIMIT 200"

enum { FASTEST = 8 }; // variants of one problem

// Returns the distance of the keys; infinite: they cannot be compared. *CLOSE: no part
// differs by more than a factor of 4.
static double distance_to(const struct problem *p, const struct identity *id,
                          bool *close) {
  long long key[MAX_KEYS];
  *close = false;
  if (id->n_keys > MAX_KEYS || key_read(p->key, key, MAX_KEYS) != id->n_keys)
    return INFINITY;
  *close = true;
  for (unsigned i = 0; i < id->n_keys; i++)
    *close = *close && key_distance(&key[i], &id->key[i], 1) <= 2;
  return key_distance(key, id->key, id->n_keys);
}

// ---- problems -----------------------------------------------------------------------

// True if P is another text of ID's kernel: it has the name, and its file is called the
// same. In another file, kernels of one name may have nothing else in common.
static bool near_is_namesake(const struct problem *p, const struct identity *id) {
  return strcmp(p->kernel, id->kernel) == 0 &&
      strcmp(sys_file_name(p->file), sys_file_name(id->file)) == 0;
}

enum machine_relation problem_machine(const struct problem *p,
                                      const struct identity *id) {
  size_t n = strcspn(id->isa, " "); // the rest is a hash
  if (strcmp(p->cpu, id->cpu) == 0 && strcmp(p->isa, id->isa) == 0)
    return MACHINE_SAME;
  return strcspn(p->isa, " ") == n && strncmp(p->isa, id->isa, n) == 0 ? MACHINE_ISA
                                                                       : MACHINE_OTHER;
}

bool problem_comparable(const struct problem *p, const struct identity *id) {
  return p->objective == id->objective &&
      (p->device == DEVICE_EMULATED) == (id->device == DEVICE_EMULATED);
}

// True if P is like ID; R says how. NAMES: their keys have the same expressions.
static bool near_relate(const struct problem *p, const struct identity *id, bool names,
                        struct relative *r) {
  if (!problem_comparable(p, id))
    return false;
  r->problem = p->id;
  r->machine = problem_machine(p, id);
  r->distance = distance_to(p, id, &r->close);
  if (p->unit == id->unit && names)
    r->relation = RELATED_KEY;
  else if (near_is_namesake(p, id))
    r->relation = RELATED_TEXT;
  else if (p->shape != 0 && p->shape == id->shape)
    r->relation = RELATED_SHAPE;
  else if (*p->family && id->family && strcmp(p->family, id->family) == 0 &&
           r->machine == MACHINE_SAME)
    r->relation = RELATED_FAMILY;
  else
    return false;
  r->close = r->close && r->relation == RELATED_KEY;
  r->near = r->close && r->machine == MACHINE_SAME && p->threads == id->threads;
  if (p->threads != id->threads) // counts as much as a key twice as large
    r->distance +=
        fabs(log2((double)(p->threads + !p->threads) / (id->threads + !id->threads)));
  return r->relation != RELATED_KEY || isfinite(r->distance);
}

static void name_relative(const struct problem *p, const struct identity *id,
                          struct relative *r) {
  char *key = key_describe(p->key, p->key_names), machine[48] = "";
  const char *comma = key && *key ? ", " : "", *text = key ? key : "";
  int size;
  const char *processor = problem_processor(p->cpu, &size);
  if (r->machine != MACHINE_SAME)
    snprintf(machine, sizeof machine, " on %.*s", size, processor);
  else if (p->threads != id->threads)
    snprintf(machine, sizeof machine, " with %u threads", p->threads);
  int room = (int)(sizeof r->name - strlen(machine) - sizeof "an earlier ") / 2;
  if (r->relation == RELATED_KEY)
    snprintf(r->name, sizeof r->name, "%.*s%s", 2 * room, *text ? text : "this kernel",
             machine);
  else
    snprintf(r->name, sizeof r->name, "%s %.*s%s%.*s%s",
             r->relation == RELATED_TEXT ? "an earlier" : "kernel", room,
             r->relation == RELATED_TEXT ? id->kernel : p->kernel, comma, room - 2, text,
             machine);
  free(key);
}

static bool near_nearer(const struct relative *a, const struct relative *b) {
  if (a->relation != b->relation)
    return a->relation < b->relation;
  return a->machine != b->machine ? a->machine < b->machine : a->distance < b->distance;
}

// Keeps the nearest problems. An insertion sort, since OUT is short.
static unsigned near_insert(struct relative *out, unsigned n, const struct relative *r) {
  unsigned i = n < MAX_RELATIVES ? n : MAX_RELATIVES - 1;
  if (n == MAX_RELATIVES && !near_nearer(r, &out[i]))
    return n;
  for (; i > 0 && near_nearer(r, &out[i - 1]); i--)
    out[i] = out[i - 1];
  out[i] = *r;
  return n < MAX_RELATIVES ? n + 1 : n;
}

unsigned store_relatives(struct store *s, const struct identity *id,
                         struct relative out[MAX_RELATIVES]) {
  struct problem p, own;
  unsigned n = 0;
  int rc = SQLITE_ROW;
  char *key = problem_of(id, &own);
  sqlite3_stmt *q = store_usable(s) ? store_select(s, &kind_problem, PROBLEMS) : NULL;
  sqlite3_bind_text(q, 1, id->kernel, -1, SQLITE_STATIC);
  sqlite3_bind_int64(q, 2, (int64_t)id->unit);
  sqlite3_bind_int64(q, 3, (int64_t)id->shape);
  sqlite3_bind_text(q, 4, id->family ? id->family : "", -1, SQLITE_STATIC);
  sqlite3_bind_text(q, 5, id->cpu, -1, SQLITE_STATIC);
  sqlite3_bind_text(q, 6, id->isa, -1, SQLITE_STATIC);
  sqlite3_bind_double(q, 7, id->n_keys > 0 ? (double)id->key[0] : 0);
  while (key && (rc = store_next(q, &kind_problem, &p)) == SQLITE_ROW) {
    struct relative r;
    if (p.id == own.id ||
        !near_relate(&p, id, strcmp(p.key_names, own.key_names) == 0, &r))
      continue;
    name_relative(&p, id, &r);
    n = near_insert(out, n, &r);
  }
  sqlite3_finalize(q);
  free(key);
  return rc == SQLITE_DONE ? n : 0;
}

bool store_tuning(struct store *s, int64_t problem, const char *toolchain,
                  struct summary *out) {
  if (!store_usable(s) || !store_find_summary(s, problem, out))
    return false;
  bool same = !toolchain || strcmp(out->toolchain, toolchain) == 0;
  if (!same)
    store_summary_free(out);
  return same;
}

// ---- variants -----------------------------------------------------------------------

struct fast {
  char *values;
  double cost;
};
struct fastest {
  struct fast list[FASTEST];
  unsigned n;
};

// Keeps the FASTEST variants in order.
static void near_keep(const char *values, double cost, void *data) {
  struct fastest *f = data;
  char *copy = f->n < FASTEST || cost < f->list[f->n - 1].cost ? sys_strdup(values)
                                                               : NULL;
  if (!copy)
    return;
  if (f->n == FASTEST)
    free(f->list[--f->n].values);
  unsigned i = f->n++;
  for (; i > 0 && cost < f->list[i - 1].cost; i--)
    f->list[i] = f->list[i - 1];
  f->list[i] = (struct fast){ copy, cost };
}

void store_times(struct store *s, int64_t problem,
                 void (*see)(const char *values, double cost, void *data), void *data) {
  struct record r;
  sqlite3_stmt *q = store_usable(s) ? store_select(s, &kind_record, VARIANTS) : NULL;
  sqlite3_bind_int64(q, 1, problem);
  while (store_next(q, &kind_record, &r) == SQLITE_ROW)
    if (r.problem == problem && r.n_samples > 0)
      see(r.values, record_cost(&r).median, data);
  sqlite3_finalize(q);
}

double store_found(struct store *s, const struct identity *id) {
  double best = INFINITY;
  struct record r;
  struct progress last;
  void *block = NULL;
  int64_t problem = problem_id(id);
  if (!store_usable(s) || !store_find(s, &kind_progress, problem, &last, &block))
    return 0;
  free(block);
  sqlite3_stmt *q = store_select(s, &kind_record, LATEST);
  sqlite3_bind_int64(q, 1, problem);
  while (store_next(q, &kind_record, &r) == SQLITE_ROW)
    if (r.contract == id->contract && r.n_samples > 0)
      best = fmin(best, record_cost(&r).median);
  sqlite3_finalize(q);
  return best > 0 && isfinite(best) ? last.original / best : 0;
}

void store_fastest(struct store *s, int64_t problem, unsigned n,
                   void (*see)(const char *values, double cost, void *data), void *data) {
  struct fastest fastest = { .n = 0 };
  struct summary m;
  if (!store_usable(s))
    return;
  bool won = store_find_summary(s, problem, &m);
  const char *winner = won && m.winner ? m.values : NULL;
  if (winner && n > 0)
    see(winner, m.best.median, data);
  unsigned left = n - (winner && n > 0);
  store_times(s, problem, near_keep, &fastest);
  for (unsigned i = 0; i < fastest.n; i++) {
    const struct fast *f = &fastest.list[i];
    if (left > 0 && !(winner && strcmp(f->values, winner) == 0)) {
      see(f->values, f->cost, data);
      left--;
    }
    free(f->values);
  }
  if (won)
    store_summary_free(&m);
}
