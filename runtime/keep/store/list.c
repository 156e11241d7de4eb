// SPDX-License-Identifier: Apache-2.0
// list.c: all that is in the store, for reports; and what is to be forgotten.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/key.h"
#include "tables.h"

// ---- listing ------------------------------------------------------------------------

// Copies the texts of CELLS into one block that ITEM keeps, and points the cells there.
static bool own_cells(struct listed *item, const struct table *t, struct cell *cells) {
  size_t size = 1;
  for (unsigned i = 0; i < t->n; i++)
    size += cells[i].size + 1 + sizeof(double);
  char *block = sys_malloc(size), *p = block;
  void **blocks = sys_realloc(item->blocks, (item->n_blocks + 1) * sizeof *blocks);
  if (blocks)
    item->blocks = blocks;
  if (!block || !blocks) {
    free(block);
    return false;
  }
  item->blocks[item->n_blocks++] = block;
  for (unsigned i = 0; i < t->n; i++) {
    if (cells[i].kind != CELL_TEXT && cells[i].kind != CELL_BLOB)
      continue;
    p += (sizeof(double) - (size_t)(p - block) % sizeof(double)) % sizeof(double);
    memcpy(p, cells[i].data, cells[i].size);
    p[cells[i].size] = '\0';
    cells[i].data = p;
    p += cells[i].size + 1;
  }
  return true;
}

static int add_problem(struct listing *out, struct cell *cells) {
  struct listed *items = sys_realloc(out->items, (out->n + 1) * sizeof *items);
  if (!items)
    return -1;
  out->items = items;
  struct listed *item = &items[out->n];
  *item = (struct listed){ 0 };
  if (!own_cells(item, &table_problem, cells)) {
    free(item->blocks);
    return -1;
  }
  out->n += problem_of(cells, &item->problem)
      ? 1
      : (free(item->blocks[0]), free(item->blocks), 0);
  return 0;
}

static int add_record(struct listed *item, struct cell *cells) {
  struct record *records = item->records;
  if ((item->n_records & (item->n_records - 1)) == 0) { // a power of two: full
    size_t room = item->n_records ? 2 * (size_t)item->n_records : 1;
    records = sys_realloc(item->records, room * sizeof *records);
    if (!records)
      return -1;
    item->records = records;
  }
  if (!own_cells(item, &table_variant, cells))
    return -1;
  item->n_records += record_of(cells, &records[item->n_records]);
  return 0;
}

static int add_summary(struct listed *item, struct cell *cells) {
  if (!own_cells(item, &table_winner, cells))
    return -1;
  bool good = summary_of(cells, &item->summary);
  item->provisional = good && summary_is_provisional(&item->summary);
  item->finished = good && !item->provisional;
  item->problem.toolchain = cells[1].data;
  return 0;
}

// Goes through the rows of T that belong to ITEM (or, of problems, all).
static int read_rows(struct store *s, const struct table *t, const char *where,
                     struct listing *out, struct listed *item) {
  struct cell cells[STORE_CELLS];
  sqlite3_stmt *q = store_select(s, t, where);
  int rc = q ? SQLITE_ROW : SQLITE_ERROR;
  if (item)
    sqlite3_bind_int64(q, 1, item->problem.id);
  while (q && (rc = store_step(q)) == SQLITE_ROW) {
    if (!row_read(q, t, cells)) {
      out->damaged++;
      continue;
    }
    int status = t == &table_problem ? add_problem(out, cells)
        : t == &table_variant        ? add_record(item, cells)
                                     : add_summary(item, cells);
    if (status != 0)
      break;
  }
  sqlite3_finalize(q);
  return rc == SQLITE_DONE ? 0 : -1;
}

static void free_listed(struct listed *item) {
  for (unsigned i = 0; i < item->n_blocks; i++)
    free(item->blocks[i]);
  free(item->blocks);
  free(item->records);
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
  store_run(s->db, "BEGIN"); // one moment of the file
  int status = read_rows(s, &table_problem,
                         "ORDER BY kernel, cpu, threads, length(key), key, id", out,
                         NULL);
  if (kernel)
    keep_kernel(out, kernel);
  for (unsigned i = 0; i < out->n && status == 0; i++) {
    status = read_rows(s, &table_winner, "WHERE problem = ?1", out, &out->items[i]);
    if (status == 0)
      status = read_rows(s, &table_variant, "WHERE problem = ?1 ORDER BY at", out,
                         &out->items[i]);
  }
  store_run(s->db, "COMMIT");
  return status;
}

void store_list_free(struct listing *l) {
  for (unsigned i = 0; i < l->n; i++)
    free_listed(&l->items[i]);
  free(l->items);
  *l = (struct listing){ 0 };
}

// ---- what goes on -------------------------------------------------------------------

static void see_problem(struct store *s, int64_t id, const char *kernel,
                        const struct progress *c,
                        void (*see)(const struct problem *p, const struct progress *c,
                                    void *data),
                        void *data) {
  struct cell cells[STORE_CELLS];
  struct problem p;
  sqlite3_stmt *q = store_select(s, &table_problem, "WHERE id = ?1");
  sqlite3_bind_int64(q, 1, id);
  if (q && store_step(q) == SQLITE_ROW && row_read(q, &table_problem, cells) &&
      problem_of(cells, &p) && (!kernel || strcmp(p.kernel, kernel) == 0))
    see(&p, c, data);
  sqlite3_finalize(q);
}

int store_progresses(struct store *s, const char *kernel,
                     void (*see)(const struct problem *p, const struct progress *c,
                                 void *data),
                     void *data) {
  struct cell cells[STORE_CELLS];
  struct progress c;
  sqlite3_stmt *q = store_usable(s)
      ? store_select(s, &table_progress, "ORDER BY began, problem")
      : NULL;
  int rc = q ? SQLITE_ROW : SQLITE_ERROR;
  while (q && (rc = store_step(q)) == SQLITE_ROW)
    if (row_read(q, &table_progress, cells) && progress_of(cells, &c))
      see_problem(s, cells[0].i, kernel, &c, see, data);
  sqlite3_finalize(q);
  return rc == SQLITE_DONE ? 0 : -1;
}

int store_since(struct store *s, int64_t problem, double since,
                void (*see)(const struct record *r, void *data), void *data) {
  struct cell cells[STORE_CELLS];
  struct record r;
  sqlite3_stmt *q = store_usable(s)
      ? store_select(s, &table_variant, "WHERE problem = ?1 AND at >= ?2")
      : NULL;
  int rc = q ? SQLITE_ROW : SQLITE_ERROR;
  sqlite3_bind_int64(q, 1, problem);
  sqlite3_bind_double(q, 2, since);
  while (q && (rc = store_step(q)) == SQLITE_ROW)
    if (row_read(q, &table_variant, cells) && record_of(cells, &r))
      see(&r, data);
  sqlite3_finalize(q);
  return rc == SQLITE_DONE ? 0 : -1;
}

// ---- forgetting ---------------------------------------------------------------------

#define CHOSEN \
  "(?1 IS NULL OR kernel = ?1) AND (?2 = 0 OR unit = ?2) AND (?3 IS NULL OR key = ?3)"

static int delete_rows(struct store *s, const char *sql, const char *kernel,
                       uint64_t unit, const char *key) {
  sqlite3_stmt *q = NULL;
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
  static const char *const statements[] = {
    "DELETE FROM asked WHERE problem IN (SELECT id FROM problem WHERE " CHOSEN ")",
    "DELETE FROM course WHERE problem IN (SELECT id FROM problem WHERE " CHOSEN ")",
    "DELETE FROM variant WHERE problem IN (SELECT id FROM problem WHERE " CHOSEN ")",
    "DELETE FROM winner WHERE problem IN (SELECT id FROM problem WHERE " CHOSEN ")",
    ("DELETE FROM problem WHERE " CHOSEN),
  };
  int rc = store_run(s->db, "BEGIN IMMEDIATE");
  if (rc != SQLITE_OK)
    return rc;
  for (int i = 0; i < STORE_TABLES && rc == SQLITE_OK; i++)
    rc = delete_rows(s, statements[i], kernel, unit, key);
  if (rc == SQLITE_OK)
    rc = store_run(s->db, "COMMIT");
  if (rc != SQLITE_OK)
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  return rc;
}

int store_forget(struct store *s, const char *kernel, uint64_t unit, const long long *key,
                 unsigned n_keys) {
  if (!store_usable(s))
    return -1;
  if (s->first)
    store_finish_queue(s); // what waits would come back otherwise
  const char *names;
  char *column = key ? key_print(key, NULL, n_keys, &names) : NULL;
  if (key && !column)
    return -1;
  store_allow(s, 0.5); // the user asked for it
  int rc = delete_all(s, kernel, unit, column);
  if (rc != SQLITE_OK && store_recover(s, rc))
    rc = SQLITE_OK; // a new file knows nothing
  free(column);
  return rc == SQLITE_OK ? 0 : -1;
}
