// SPDX-License-Identifier: Apache-2.0
// list.c: lists what is in the store, for reports, and forgets rows.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/key.h"
#include "tables.h"

// ---- listing ------------------------------------------------------------------------

// Copies all that WHAT, a struct that K describes, points to into a block that ITEM
// keeps.
static bool list_own(struct listed *item, const struct kind *k, void *what) {
  void **blocks = sys_realloc(item->blocks, (item->n_blocks + 1) * sizeof *blocks);
  if (!blocks)
    return false;
  item->blocks = blocks;
  blocks[item->n_blocks] = record_own(k, what);
  return blocks[item->n_blocks++] != NULL;
}

static void free_listed(struct listed *item) {
  for (unsigned i = 0; i < item->n_blocks; i++)
    free(item->blocks[i]);
  free(item->blocks);
  free(item->records);
}

static int add_problem(struct listing *out, const struct problem *p) {
  struct listed *items = sys_realloc(out->items, (out->n + 1) * sizeof *items);
  if (!items)
    return -1;
  out->items = items;
  struct listed *item = &items[out->n];
  *item = (struct listed){ .problem = *p };
  if (!list_own(item, &kind_problem, &item->problem)) {
    free_listed(item);
    return -1;
  }
  out->n++;
  return 0;
}

static int add_record(struct listed *item, const struct record *r) {
  if ((item->n_records & (item->n_records - 1)) == 0) { // a power of two: full
    size_t room = item->n_records ? 2 * (size_t)item->n_records : 1;
    struct record *records = sys_realloc(item->records, room * sizeof *records);
    if (!records)
      return -1;
    item->records = records;
  }
  item->records[item->n_records] = *r;
  if (!list_own(item, &kind_record, &item->records[item->n_records]))
    return -1;
  item->n_records++;
  listed_see(item, r->when);
  return 0;
}

static int add_summary(struct listed *item, const struct summary *m) {
  item->summary = *m;
  if (!list_own(item, &kind_summary, &item->summary)) {
    item->summary = (struct summary){ 0 };
    return -1;
  }
  item->provisional = summary_is_borrowed(m);
  item->finished = !item->provisional;
  item->problem.toolchain = item->summary.toolchain;
  listed_see(item, m->when);
  return 0;
}

static int add_service(struct listed *item, const struct service *v) {
  listed_see(item, v->when);
  return 0;
}

// Visits the rows of K that belong to ITEM, or all rows if K is the kind of problems.
static int read_rows(struct store *s, const struct kind *k, const char *where,
                     struct listing *out, struct listed *item) {
  struct cell cells[STORE_CELLS];
  union row row;
  sqlite3_stmt *q = store_select(s, k, where);
  int rc = q ? SQLITE_ROW : SQLITE_ERROR;
  if (item)
    sqlite3_bind_int64(q, 1, item->problem.id);
  while (q && (rc = store_step(q)) == SQLITE_ROW) {
    bool whole = row_read(q, k, cells);
    out->damaged += !whole;
    if (!whole || !row_take(k, cells, &row))
      continue;
    if ((k == &kind_problem       ? add_problem(out, &row.problem)
             : k == &kind_record  ? add_record(item, &row.record)
             : k == &kind_service ? add_service(item, &row.service)
                                  : add_summary(item, &row.summary)) != 0)
      break;
  }
  sqlite3_finalize(q);
  return rc == SQLITE_DONE ? 0 : -1;
}

// Drops the problems of other kernels.
static void keep_kernel(struct listing *l, const char *kernel) {
  unsigned n = 0;
  for (unsigned i = 0; i < l->n; i++)
    if (strcmp(l->items[i].problem.kernel, kernel) == 0)
      l->items[n++] = l->items[i];
    else
      free_listed(&l->items[i]);
  l->n = n;
}

int store_list(struct store *s, const char *kernel, struct listing *out) {
  *out = (struct listing){ 0 };
  if (!store_usable(s))
    return -1;
  store_run(s->db, "BEGIN"); // so that all rows are of one state of the file
  int status = read_rows(
      s, &kind_problem, "ORDER BY kernel, cpu, threads, length(key), key, id", out, NULL);
  if (kernel)
    keep_kernel(out, kernel);
  for (unsigned i = 0; i < out->n && status == 0; i++) {
    struct asked asked;
    if (store_find_asked(s, out->items[i].problem.id, &asked)) {
      out->items[i].usage = asked.usage;
      out->items[i].refused = asked.refused;
      listed_see(&out->items[i], asked.when);
    }
    free(asked.block);
    status = read_rows(s, &kind_summary, "WHERE problem = ?1", out, &out->items[i]);
    if (status == 0)
      status = read_rows(s, &kind_record, "WHERE problem = ?1 ORDER BY at", out,
                         &out->items[i]);
    if (status == 0)
      status = read_rows(s, &kind_service, "WHERE problem = ?1", out, &out->items[i]);
  }
  store_run(s->db, "COMMIT");
  store_mark_stale(out);
  return status;
}

void store_list_free(struct listing *l) {
  for (unsigned i = 0; i < l->n; i++)
    free_listed(&l->items[i]);
  free(l->items);
  *l = (struct listing){ 0 };
}

// ---- tunings that are running -------------------------------------------------------

int store_progresses(struct store *s, const char *kernel,
                     void (*see)(const struct problem *p, const struct progress *c,
                                 void *data),
                     void *data) {
  struct progress c;
  struct problem p;
  int rc;
  sqlite3_stmt *q =
      store_usable(s) ? store_select(s, &kind_progress, "ORDER BY began, problem") : NULL;
  while ((rc = store_next(q, &kind_progress, &c)) == SQLITE_ROW) {
    void *block;
    if (store_find(s, &kind_problem, c.problem, &p, &block) &&
        (!kernel || strcmp(p.kernel, kernel) == 0))
      see(&p, &c, data);
    free(block);
  }
  sqlite3_finalize(q);
  return rc == SQLITE_DONE ? 0 : -1;
}

int store_since(struct store *s, int64_t problem, double since,
                void (*see)(const struct record *r, void *data), void *data) {
  struct record r;
  int rc;
  sqlite3_stmt *q = store_usable(s)
      ? store_select(s, &kind_record, "WHERE problem = ?1 AND at >= ?2")
      : NULL;
  sqlite3_bind_int64(q, 1, problem);
  sqlite3_bind_double(q, 2, since);
  while ((rc = store_next(q, &kind_record, &r)) == SQLITE_ROW)
    see(&r, data);
  sqlite3_finalize(q);
  return rc == SQLITE_DONE ? 0 : -1;
}

// ---- forgetting ---------------------------------------------------------------------

#define CHOSEN \
  "(?1 IS NULL OR kernel = ?1) AND (?2 = 0 OR unit = ?2) AND (?3 IS NULL OR key = ?3)"

static int delete_rows(struct store *s, const struct kind *k, const char *kernel,
                       uint64_t unit, const char *key) {
  char sql[512];
  sqlite3_stmt *q = NULL;
  snprintf(sql, sizeof sql,
           "DELETE FROM %s WHERE %s IN (SELECT id FROM problem WHERE " CHOSEN ")",
           k->name, k->facts[0].column);
  int rc = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);
  if (rc == SQLITE_OK) {
    sqlite3_bind_text(q, 1, kernel, -1, SQLITE_STATIC);
    sqlite3_bind_int64(q, 2, (int64_t)unit);
    sqlite3_bind_text(q, 3, key, -1, SQLITE_STATIC);
    rc = store_step(q);
  }
  sqlite3_finalize(q);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int delete_all(struct store *s, const char *kernel, uint64_t unit,
                      const char *key) {
  int rc = store_run(s->db, "BEGIN IMMEDIATE");
  if (rc != SQLITE_OK)
    return rc;
  for (int i = KINDS - 1; i >= 0 && rc == SQLITE_OK; i--) // problems after all others
    rc = delete_rows(s, kinds[i], kernel, unit, key);
  return store_end(s, rc);
}

int store_forget(struct store *s, const char *kernel, uint64_t unit, const long long *key,
                 unsigned n_keys) {
  if (!store_usable(s))
    return -1;
  if (s->first)
    store_finish_queue(s); // otherwise queued rows would be written again later
  const char *names;
  char *column = key ? key_print(key, NULL, n_keys, &names) : NULL;
  if (key && !column)
    return -1;
  store_allow(s, 0.5); // the user asked for it
  int rc = delete_all(s, kernel, unit, column);
  if (rc != SQLITE_OK && store_recover(s, rc))
    rc = SQLITE_OK; // a new file has no rows to forget
  free(column);
  return rc == SQLITE_OK ? 0 : -1;
}

static int list_delete(struct store *s, const struct kind *k, int64_t problem,
                       const char *which) {
  char sql[160];
  sqlite3_stmt *q = NULL;
  snprintf(sql, sizeof sql, "DELETE FROM %s WHERE problem = ?1%s", k->name, which);
  int rc = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);
  sqlite3_bind_int64(q, 1, problem);
  if (rc == SQLITE_OK)
    rc = store_step(q);
  sqlite3_finalize(q);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int store_forget_times(struct store *s, const struct identity *id) {
  if (!store_usable(s))
    return -1;
  if (s->first)
    store_finish_queue(s);
  char right[64];
  snprintf(right, sizeof right, " AND fate IN (%d, %d)", STATUS_OK, STATUS_DROPPED);
  store_allow(s, 0.5);
  int rc = store_run(s->db, "BEGIN IMMEDIATE");
  if (rc != SQLITE_OK)
    return -1;
  rc = list_delete(s, &kind_record, problem_id(id), right);
  if (rc == SQLITE_OK)
    rc = list_delete(s, &kind_summary, problem_id(id), "");
  return store_end(s, rc) == SQLITE_OK ? 0 : -1;
}
