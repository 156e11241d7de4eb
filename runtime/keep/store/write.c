// SPDX-License-Identifier: Apache-2.0
// write.c: writes rows.
//
// Rows that cannot be written at once, because another process holds the lock, wait in a
// queue and go with the next transaction. Records are committed without waiting for the
// disk, so that a tuning of 200 variants does not need 400 fsyncs: they survive the end
// of every process, and a power cut only once the next summary, which does wait for the
// disk, was written. A file that a power cut damages is set aside.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tables.h"

enum { LONGEST_QUEUE = 4096, LARGEST_CHECKED = 64 << 20 };
static const double WAIT = 0.08; // seconds for a record
// Tries of WAIT at the end: 3 s without a change, 10 s in all.
enum { STILL_TRIES = 38, MOST_TRIES = 125 };

// ---- the queue ----------------------------------------------------------------------

// Returns a copy of the row in one block.
static struct queued *queued_new(const struct kind *k, const struct cell *cells) {
  size_t size = sizeof(struct queued) + k->n * sizeof *cells;
  for (unsigned i = 0; i < k->n; i++)
    size += cells[i].size;
  struct queued *q = sys_malloc(size);
  if (!q)
    return NULL;
  char *p = (char *)(q->cells + k->n);
  *q = (struct queued){ .kind = k };
  for (unsigned i = 0; i < k->n; i++) {
    q->cells[i] = cells[i];
    if (cells[i].size)
      q->cells[i].data = memcpy(p, cells[i].data, cells[i].size);
    else
      q->cells[i].data = "";
    p += cells[i].size;
  }
  return q;
}

static int write_enqueue(struct store *s, const struct kind *k, const void *what) {
  struct cell cells[STORE_CELLS];
  row_make(k, what, cells);
  struct queued *q = s->n_queued < LONGEST_QUEUE ? queued_new(k, cells) : NULL;
  if (!q)
    return -1;
  *s->last = q;
  s->last = &q->next;
  s->n_queued++;
  return 0;
}

// Drops the rows after LAST, the link of the N-th row.
static void cut_queue(struct store *s, struct queued **last, unsigned n) {
  for (struct queued *q = *last, *next; q; q = next) {
    next = q->next;
    free(q);
  }
  *last = NULL;
  s->last = last;
  s->n_queued = n;
}

void store_drop_queue(struct store *s) {
  cut_queue(s, &s->first, 0);
}

// ---- transactions -------------------------------------------------------------------

int store_insert(struct store *s, const struct kind *k, const struct cell *cells) {
  char *sql = table_insert_sql(k);
  sqlite3_stmt *q = NULL;
  int rc = sql ? sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) : SQLITE_NOMEM;
  if (rc == SQLITE_OK)
    rc = row_bind(q, k, cells);
  if (rc == SQLITE_OK)
    rc = store_step(q);
  sqlite3_finalize(q);
  free(sql);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int store_put(struct store *s, const struct kind *k, const void *what) {
  struct cell cells[STORE_CELLS];
  row_make(k, what, cells);
  return store_insert(s, k, cells);
}

// Checks the file once a connection, before anything is added to a broken one.
static int write_check_file(struct store *s) {
  struct stat st;
  if (s->checked || stat(s->path, &st) != 0 || st.st_size > LARGEST_CHECKED)
    return SQLITE_OK;
  sqlite3_stmt *q = NULL;
  int rc = sqlite3_prepare_v2(s->db, "PRAGMA quick_check(1)", -1, &q, NULL);
  if (rc == SQLITE_OK && (rc = store_step(q)) == SQLITE_ROW) {
    const char *answer = (const char *)sqlite3_column_text(q, 0);
    rc = answer && strcmp(answer, "ok") == 0 ? SQLITE_OK : SQLITE_CORRUPT;
  }
  sqlite3_finalize(q);
  s->checked = rc == SQLITE_OK;
  return rc;
}

static int set_durable(struct store *s, bool durable) {
  if (s->durable == durable)
    return SQLITE_OK;
  s->durable = durable;
  return store_run(s->db, durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=OFF");
}

static int write_queue(struct store *s, bool durable) {
  int rc = write_check_file(s);
  if (rc == SQLITE_OK)
    rc = set_durable(s, durable);
  if (rc == SQLITE_OK)
    rc = store_run(s->db, "BEGIN IMMEDIATE");
  if (rc != SQLITE_OK)
    return rc;
  for (struct queued *q = s->first; q && rc == SQLITE_OK; q = q->next)
    rc = store_insert(s, q->kind, q->cells);
  return store_end(s, rc);
}

// Writes the queued rows in one transaction. Waits at most WAIT for locks, and if DURABLE
// for the disk. 0, or -1: the rows stay queued.
static int write_flush(struct store *s, bool durable) {
  if (!store_usable(s) || s->dead)
    return -1;
  // If the holder of the lock is stopped, only the first two operations wait in full.
  double begun = sys_now();
  int rc = SQLITE_BUSY;
  for (int attempt = 0; attempt < 2; attempt++) {
    store_allow(s, s->patience < 2 ? fmin(WAIT, s->wait) : 0);
    rc = write_queue(s, durable);
    if (rc == SQLITE_OK || !store_recover(s, rc))
      break;
  }
  double waited = sys_now() - begun;
  s->slowest = waited > s->slowest ? waited : s->slowest;
  if (rc == SQLITE_OK) {
    store_drop_queue(s);
    s->patience = 0;
    return 0;
  }
  if (store_is_locked(rc)) {
    s->patience++;
    log_once(AUTOTUNE_INFO, "store-busy", "%s is locked by another process", s->path);
    return -1;
  }
  s->dead = true;
  log_once(AUTOTUNE_WARN, "store", "results are not kept: %s: %s", s->path,
           sqlite3_errstr(rc));
  return -1;
}

// Tries again as long as other processes write to the file. Gives up after some seconds
// without a change, which a slow disk may take for one transaction.
void store_finish_queue(struct store *s) {
  struct stat before, after;
  unsigned still = 0; // tries in a row without a change
  for (unsigned i = 0; i < MOST_TRIES && still < STILL_TRIES && s->first && !s->dead;
       i++) {
    s->patience = 0;
    int known = stat(s->path, &before);
    if (write_flush(s, false) == 0 || known != 0 || stat(s->path, &after) != 0)
      return;
    bool same = before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
        before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
    still = same ? still + 1 : 0;
  }
  if (s->first)
    log_once(AUTOTUNE_WARN, "store",
             "%u row%s of results %s not kept: %s is locked by another process",
             s->n_queued, s->n_queued == 1 ? "" : "s", s->n_queued == 1 ? "was" : "were",
             s->path);
}

// ---- rows ---------------------------------------------------------------------------

// Queues the problem's own row before each row that refers to it, since the file may have
// been replaced in between. Returns its id, or 0.
static int64_t enqueue_problem(struct store *s, const struct identity *id) {
  struct problem p;
  char *key = problem_of(id, &p);
  int64_t problem = key && write_enqueue(s, &kind_problem, &p) == 0 ? p.id : 0;
  free(key);
  return problem;
}

// Writes WHAT, whose member `problem` is set; 0: there is no problem, and nothing is
// written.
static int write_row(struct store *s, int64_t problem, const struct kind *k,
                     const void *what, bool durable) {
  if (!problem || write_enqueue(s, k, what) != 0)
    return -1;
  return write_flush(s, durable);
}

static int write_record(struct store *s, const struct identity *id,
                        const struct record *r) {
  if (!store_usable(s) || s->dead)
    return -1;
  struct record row = *r;
  row.problem = enqueue_problem(s, id);
  row.when = sys_unix();
  row.contract = id->contract;
  return write_row(s, row.problem, &kind_record, &row, false);
}

// This row is not queued: written after its trial, it would say that the trial had killed
// its process.
int store_begin(struct store *s, const struct identity *id, const struct record *r) {
  struct record pending = *r;
  char owner[128];
  store_owner(owner, sizeof owner);
  pending.status = STATUS_PENDING;
  // The owner of the trial: while that process lives, the trial has not failed.
  pending.message = owner;
  pending.n_samples = 0;
  if (!store_usable(s))
    return -1;
  struct queued **last = s->last;
  unsigned n = s->n_queued;
  if (write_record(s, id, &pending) == 0)
    return 0;
  cut_queue(s, last, n);
  return -1;
}

int store_finish(struct store *s, const struct identity *id, const struct record *r) {
  return write_record(s, id, r);
}

int store_summary(struct store *s, const struct identity *id, const struct summary *m) {
  if (!store_usable(s) || s->dead)
    return -1;
  struct summary row = *m;
  row.problem = enqueue_problem(s, id);
  row.toolchain = id->toolchain;
  row.contract = id->contract;
  if (!(row.when > 0))
    row.when = sys_unix();
  s->patience = 0; // the result of a whole tuning is worth another wait
  return write_row(s, row.problem, &kind_summary, &row, true);
}

// Makes M, whose winner is no faster in the program's own calls, a result of the default.
static void write_slower(struct summary *m) {
  m->winner = m->object = m->text = 0;
  m->values = m->compiler = m->deviation = m->strict = m->weak = m->assembly = "";
  m->made_up = 0;
  m->as_written = 0;
  m->ended = ENDED_SLOWER;
  m->when = sys_unix(); // it is newer than what was exported before
}

int store_own_calls(struct store *s, const struct identity *id, uint64_t winner,
                    const struct own_calls *fresh) {
  struct summary m;
  if (!store_usable(s) || s->dead || !store_winner(s, id, &m, NULL))
    return -1;
  bool is = m.winner == winner && m.origin == ORIGIN_HERE && m.contract == id->contract;
  own_calls_join(&m.own, fresh);
  if (own_calls_judge(&m.own) == OWN_CALLS_SLOWER)
    write_slower(&m);
  int status = is ? write_row(s, m.problem, &kind_summary, &m, false) : -1;
  store_summary_free(&m);
  return status;
}

int store_asked(struct store *s, const struct identity *id,
                const struct autotune_kernel *k, enum refusal refused, const char *why,
                const struct usage *usage) {
  if (!store_usable(s) || s->dead)
    return -1;
  char *params = identity_params(k), *conditions = identity_conditions(k);
  struct asked row = { .problem = params && conditions ? enqueue_problem(s, id) : 0,
                       .toolchain = id->toolchain,
                       .params = params,
                       .conditions = conditions,
                       .why = why,
                       .space = id->space,
                       .when = sys_unix(),
                       .refused = refused,
                       .usage = usage ? *usage : (struct usage){ 0 } };
  int status = write_row(s, row.problem, &kind_asked, &row, false);
  free(params);
  free(conditions);
  return status;
}

// True if a living process other than OWN's has recorded the progress of its tuning. The
// default's time of an earlier one is kept in OWN where OWN has none yet.
static bool write_is_of_another(struct store *s, struct progress *own) {
  struct progress c;
  void *block;
  bool found = store_find(s, &kind_progress, own->problem, &c, &block);
  bool another = found && strcmp(c.owner, own->owner) != 0 && progress_lives(&c);
  if (found && own->original <= 0)
    own->original = c.original;
  free(block);
  return another;
}

int store_progress(struct store *s, const struct identity *id, const struct progress *c) {
  if (!store_usable(s) || s->dead)
    return -1;
  struct progress row = *c;
  char owner[128];
  store_owner(owner, sizeof owner);
  row.problem = enqueue_problem(s, id);
  row.owner = owner;
  row.when = sys_unix();
  if (row.problem && write_is_of_another(s, &row))
    return write_flush(s, false);
  return write_row(s, row.problem, &kind_progress, &row, false);
}

// ---- how winners have done ----------------------------------------------------------

static int write_service(struct store *s, const struct identity *id,
                         const struct service *v, bool durable) {
  if (!store_usable(s) || s->dead)
    return -1;
  struct service row = *v;
  row.problem = enqueue_problem(s, id);
  row.contract = id->contract;
  row.when = sys_unix();
  s->patience = 0;
  return write_row(s, row.problem, &kind_service, &row, durable);
}

int store_served(struct store *s, const struct identity *id, const struct service *v) {
  return write_service(s, id, v, false);
}

// Returns the compiler that made VARIANT of PROBLEM, as it is kept; malloc'ed; NULL: not
// known.
static char *write_compiler(struct store *s, int64_t problem, uint64_t variant) {
  struct record r;
  sqlite3_stmt *q = store_select(s, &kind_record, "WHERE problem = ?1 AND variant = ?2");
  sqlite3_bind_int64(q, 1, problem);
  sqlite3_bind_int64(q, 2, (int64_t)variant);
  char *compiler = store_next(q, &kind_record, &r) == SQLITE_ROW ? sys_strdup(r.compiler)
                                                                 : NULL;
  sqlite3_finalize(q);
  return compiler;
}

static int write_no_winner(struct store *s, int64_t problem, uint64_t variant) {
  sqlite3_stmt *q = NULL;
  const char *sql = "DELETE FROM winner WHERE problem = ?1 AND variant = ?2";
  store_allow(s, WAIT);
  int rc = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);
  sqlite3_bind_int64(q, 1, problem);
  sqlite3_bind_int64(q, 2, (int64_t)variant);
  if (rc == SQLITE_OK)
    rc = store_step(q);
  sqlite3_finalize(q);
  return rc == SQLITE_DONE ? 0 : -1;
}

// The row of `service` alone keeps the variant from running; the others keep it from
// being exported, hinted at and tried.
int store_revoke(struct store *s, const struct identity *id, const struct service *v) {
  if (!store_usable(s) || write_service(s, id, v, true) != 0)
    return -1;
  int64_t problem = problem_id(id);
  char *compiler = write_compiler(s, problem, v->variant);
  const struct record r = { .variant = v->variant,
                            .values = v->values,
                            .compiler = compiler        ? compiler
                                : id->toolchain != NULL ? id->toolchain
                                                        : "",
                            .status = v->revoked == REVOKED_WRONG ? STATUS_WRONG
                                                                  : STATUS_CRASH,
                            .message = v->why };
  int status = store_finish(s, id, &r);
  if (write_no_winner(s, problem, v->variant) != 0)
    status = -1;
  free(compiler);
  return status;
}
