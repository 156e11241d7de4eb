// SPDX-License-Identifier: Apache-2.0
// read.c: reads one winner or one variant, and explains why there is no winner.
#include <stdlib.h>
#include <string.h>

#include "model/key.h"
#include "tables.h"

// ---- one row ------------------------------------------------------------------------

int store_next(sqlite3_stmt *q, const struct kind *k, void *what) {
  struct cell cells[STORE_CELLS];
  int rc = SQLITE_ERROR;
  while (q && (rc = store_step(q)) == SQLITE_ROW)
    if (row_read(q, k, cells) && row_take(k, cells, what))
      return SQLITE_ROW;
  return rc;
}

// Does the same as store_next; true if there is a row. A broken file is replaced by
// read_end, and then there is no row.
static bool read_next(struct store *s, sqlite3_stmt *q, const struct kind *k,
                      void *what) {
  int rc = store_next(q, k, what);
  if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
    sqlite3_reset(q);
    s->trouble = rc;
  }
  return rc == SQLITE_ROW;
}

// Ends the statement. Replaces the file if it turned out to be broken.
static void read_end(struct store *s, sqlite3_stmt *q) {
  sqlite3_finalize(q);
  int rc = s->trouble;
  s->trouble = 0;
  if (rc)
    store_recover(s, rc);
}

bool store_find(struct store *s, const struct kind *k, int64_t problem, void *what,
                void **block) {
  char where[64];
  snprintf(where, sizeof where, "WHERE %s = ?1", k->facts[0].column);
  sqlite3_stmt *q = store_select(s, k, where);
  sqlite3_bind_int64(q, 1, problem);
  bool found = read_next(s, q, k, what) &&
      *FACT_IN(int64_t, &k->facts[0], what) == problem;
  *block = found ? record_own(k, what) : NULL;
  read_end(s, q);
  if (!*block)
    memset(what, 0, k->size);
  return *block != NULL;
}

void store_summary_free(struct summary *m) {
  free(m->block);
  memset(m, 0, sizeof *m);
}

bool store_find_summary(struct store *s, int64_t problem, struct summary *out) {
  void *block;
  bool found = store_find(s, &kind_summary, problem, out, &block);
  out->block = block;
  return found;
}

bool store_find_asked(struct store *s, int64_t problem, struct asked *out) {
  void *block;
  bool found = store_find(s, &kind_asked, problem, out, &block);
  out->block = block;
  return found;
}

// ---- why there is no winner ---------------------------------------------------------

struct nearest {
  struct problem problem; // its texts are in `block`
  void *block;
  unsigned differs;
  unsigned n_keys; // problems read that have a winner and differ in the key only
};

static void read_take(struct nearest *n, const struct problem *p, unsigned differs) {
  struct problem copy = *p;
  void *block = record_own(&kind_problem, &copy);
  if (!block)
    return;
  free(n->block);
  *n = (struct nearest){ copy, block, differs, n->n_keys };
}

// True if PROBLEM was tuned; a winner of other keys does not count.
static bool read_has_winner(struct store *s, int64_t problem) {
  struct summary m;
  bool found = store_find_summary(s, problem, &m);
  bool tuned = found && !summary_is_borrowed(&m);
  if (found)
    store_summary_free(&m);
  return tuned && s->db;
}

// Finds the problem of the same kernel that has a winner and differs least. Only as many
// are read as time permits: with a thousand keys this could take long for a call that
// must not wait.
static bool find_nearest(struct store *s, const struct problem *own, struct nearest *n) {
  struct problem p;
  double until = sys_now() + s->wait;
  sqlite3_stmt *q = store_select(s, &kind_problem, "WHERE kernel = ?1 LIMIT 1000");
  sqlite3_bind_text(q, 1, own->kernel, -1, SQLITE_STATIC);
  for (unsigned n_seen = 0; n_seen == 0 || sys_now() < until; n_seen++) {
    if (!read_next(s, q, &kind_problem, &p))
      break;
    if (p.objective != own->objective || !read_has_winner(s, p.id))
      continue;
    unsigned differs = problem_differences(&p, own);
    n->n_keys += differs == DIFFERS_KEY;
    if (!n->block || __builtin_popcount(differs) < __builtin_popcount(n->differs) ||
        differs == DIFFERS_KEY)
      read_take(n, &p, differs);
  }
  read_end(s, q);
  return n->block != NULL;
}

static void describe_nearest(FILE *f, const struct nearest *n,
                             const struct problem *own) {
  const char *sep = "";
  bool moved = strcmp(sys_file_name(n->problem.file), sys_file_name(own->file)) != 0;
  if (n->differs & DIFFERS_UNIT)
    fprintf(f, moved ? "tuned in another file: %s" : "text or build flags changed",
            n->problem.file),
        sep = "; ";
  if (n->differs & DIFFERS_CPU)
    fprintf(f, "%scpu %s → %s", sep, n->problem.cpu, own->cpu), sep = "; ";
  if (n->differs & DIFFERS_ISA)
    fprintf(f, "%sinstruction set %s → %s", sep, n->problem.isa, own->isa), sep = "; ";
  if (n->differs & DIFFERS_THREADS)
    fprintf(f, "%sthreads %u → %u", sep, n->problem.threads, own->threads), sep = "; ";
  if (n->differs & DIFFERS_NAMES)
    fprintf(f, "%skey expressions changed", sep), sep = "; ";
  if (n->differs & DIFFERS_KEY && !(n->differs & DIFFERS_NAMES)) {
    char *key = key_describe(own->key, own->key_names),
         *other = key_describe(n->problem.key, n->problem.key_names);
    fprintf(f, "%snever tuned for %s; tuned for %s", sep, key ? key : "this key",
            other ? other : "others");
    if (n->n_keys > 1)
      fprintf(f, " and %u other key%s", n->n_keys - 1, n->n_keys == 2 ? "" : "s");
    free(key);
    free(other);
  }
  if (!n->differs)
    fprintf(f, "tuned before, but its row is damaged");
}

static char *read_explain(struct store *s, const struct identity *id) {
  struct problem own;
  struct nearest n = { .differs = 63 };
  char *key = s->db ? problem_of(id, &own) : NULL, *text = NULL;
  size_t size = 0;
  if (!key)
    return NULL;
  if (!find_nearest(s, &own, &n)) {
    text = sys_strdup("never tuned");
  } else {
    FILE *f = open_memstream(&text, &size);
    if (f) {
      describe_nearest(f, &n, &own);
      fclose(f);
    }
  }
  free(n.block);
  free(key);
  return text;
}

// ---- the public calls ---------------------------------------------------------------

enum winner_state store_find_winner(struct store *s, const struct identity *id,
                                    struct summary *out, char **why) {
  int64_t problem = problem_id(id);
  if (why)
    *why = NULL;
  if (!store_usable(s) || !problem) {
    if (why)
      *why = sys_strdup("no store");
    return WINNER_NONE;
  }
  if (!store_find_summary(s, problem, out)) {
    if (why)
      *why = read_explain(s, id);
    return WINNER_NONE;
  }
  if (!id->toolchain || strcmp(id->toolchain, out->toolchain) == 0)
    return WINNER_FOUND;
  if (why)
    *why = sys_printf("compiler %s → %s", out->toolchain, id->toolchain);
  store_summary_free(out);
  return WINNER_OF_OTHER_COMPILER;
}

bool store_winner(struct store *s, const struct identity *id, struct summary *out,
                  char **why) {
  return store_find_winner(s, id, out, why) == WINNER_FOUND;
}

// True if R holds under CONTRACT: other sections or another tolerance may find a wrong
// variant right, and the other way round. Failures before the comparison always hold.
static bool read_holds(const struct record *r, uint64_t contract) {
  bool compared = r->status == STATUS_OK || r->status == STATUS_WRONG;
  return !compared || r->contract == contract;
}

// A variant that ran but has no times counts as unknown.
static enum knowledge read_judge(const struct record *r, uint64_t contract,
                                 struct looked *out, struct features *features) {
  char self[128];
  *out = (struct looked){ .status = r->status,
                          .slowdown = r->slowdown,
                          .part = r->part,
                          .compile_seconds = r->compile_seconds,
                          .verify_seconds = r->verify_seconds,
                          .time_seconds = r->time_seconds };
  if (r->status == STATUS_DROPPED || !read_holds(r, contract))
    return KNOWN_NOTHING;
  if (r->status == STATUS_PENDING && store_owner_lives(r)) {
    store_owner(self, sizeof self);
    return strcmp(self, r->message) == 0 ? KNOWN_NOTHING : KNOWN_TAKEN;
  }
  out->cost = record_cost(r);
  if (out->cost.n == 0 && r->status == STATUS_OK)
    return KNOWN_NOTHING;
  if (features)
    record_features(r, features);
  return KNOWN_RESULT;
}

enum knowledge store_look(struct store *s, const struct identity *id, uint64_t variant,
                          struct looked *out, struct features *features) {
  struct record r;
  int64_t problem = problem_id(id);
  enum knowledge known = KNOWN_NOTHING;
  if (!store_usable(s) || !problem)
    return KNOWN_NOTHING;
  sqlite3_stmt *q = store_select(s, &kind_record, "WHERE problem = ?1 AND variant = ?2");
  sqlite3_bind_int64(q, 1, problem);
  sqlite3_bind_int64(q, 2, (int64_t)variant);
  if (read_next(s, q, &kind_record, &r) && r.problem == problem && r.variant == variant)
    known = read_judge(&r, id->contract, out, features);
  read_end(s, q);
  return known;
}

// ---- news of other connections ------------------------------------------------------

bool store_changed(struct store *s) {
  sqlite3_stmt *q = NULL;
  int version = s->version;
  if (!store_usable(s))
    return false;
  if (sqlite3_prepare_v2(s->db, "PRAGMA data_version", -1, &q, NULL) == SQLITE_OK &&
      store_step(q) == SQLITE_ROW)
    version = sqlite3_column_int(q, 0);
  sqlite3_finalize(q);
  bool changed = version != s->version;
  s->version = version;
  return changed;
}

void store_news(struct store *s, const struct identity *id, double *since,
                void (*see)(const struct record *r, void *data), void *data) {
  struct record r;
  int64_t problem = problem_id(id);
  double last = *since;
  if (!store_usable(s) || !problem)
    return;
  sqlite3_stmt *q =
      store_select(s, &kind_record, "WHERE problem = ?1 AND at >= ?2 LIMIT 5000");
  sqlite3_bind_int64(q, 1, problem);
  sqlite3_bind_double(q, 2, *since);
  while (read_next(s, q, &kind_record, &r)) {
    if (r.problem != problem || r.status == STATUS_PENDING)
      continue;
    last = r.when > last ? r.when : last;
    if (read_holds(&r, id->contract))
      see(&r, data);
  }
  read_end(s, q);
  *since = last;
}

// ---- how winners have done ----------------------------------------------------------

bool service_is_revoked(const struct service *v, const struct identity *id) {
  return v->revoked == REVOKED_ENDED ||
      (v->revoked == REVOKED_WRONG && v->contract == id->contract);
}

void store_services(struct store *s, const struct identity *id,
                    void (*see)(const struct service *v, void *data), void *data) {
  struct service v;
  int64_t problem = problem_id(id);
  if (!store_usable(s) || !problem)
    return;
  sqlite3_stmt *q = store_select(s, &kind_service, "WHERE problem = ?1 LIMIT 1000");
  sqlite3_bind_int64(q, 1, problem);
  while (read_next(s, q, &kind_service, &v))
    if (v.problem == problem)
      see(&v, data);
  read_end(s, q);
}

bool store_service(struct store *s, const struct identity *id, uint64_t variant,
                   struct service *out, void **block) {
  int64_t problem = problem_id(id);
  *block = NULL;
  if (!store_usable(s) || !problem)
    return false;
  sqlite3_stmt *q = store_select(s, &kind_service, "WHERE problem = ?1 AND variant = ?2");
  sqlite3_bind_int64(q, 1, problem);
  sqlite3_bind_int64(q, 2, (int64_t)variant);
  if (read_next(s, q, &kind_service, out) && out->problem == problem &&
      out->variant == variant)
    *block = record_own(&kind_service, out);
  read_end(s, q);
  return *block != NULL;
}
