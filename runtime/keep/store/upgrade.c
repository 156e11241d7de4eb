// SPDX-License-Identifier: Apache-2.0
// upgrade.c: checks the tables of a file, and upgrades those of an earlier format.
//
// Columns are only ever added at the end. So an earlier table is a present one with fewer
// columns. Its rows are checked with their old checksums and get new ones.
#include <stdlib.h>
#include <string.h>

#include "tables.h"

enum { FIRST_TABLES = 3 }; // tables that every format has

// ---- looking ------------------------------------------------------------------------

// Returns the number of columns with which the SQL of T is SQL; 0: with no number.
static unsigned columns_of(const struct kind *t, const char *sql) {
  for (unsigned n = t->n; n >= t->n_keys; n--) {
    struct kind earlier = *t;
    earlier.n = n;
    char *ours = table_create_sql(&earlier);
    bool same = ours && strcmp(sql, ours) == 0;
    free(ours);
    if (same)
      return n;
  }
  return 0;
}

// Sets FOUND to the number of columns of each table; 0 for a table that does not exist.
// The schema must match ours exactly: no triggers, views, generated columns or further
// tables.
static int read_schema(struct store *s, unsigned found[KINDS]) {
  sqlite3_stmt *q = NULL;
  int rc = sqlite3_prepare_v2(s->db, "SELECT type, name, sql FROM sqlite_schema", -1, &q,
                              NULL);
  memset(found, 0, KINDS * sizeof *found);
  while (rc == SQLITE_OK && (rc = store_step(q)) == SQLITE_ROW) {
    const char *type = (const char *)sqlite3_column_text(q, 0);
    const char *name = (const char *)sqlite3_column_text(q, 1);
    const char *sql = (const char *)sqlite3_column_text(q, 2);
    rc = SQLITE_CORRUPT;
    for (int i = 0; i < KINDS && type && name && sql; i++)
      if (strcmp(type, "table") == 0 && strcmp(name, kinds[i]->name) == 0 &&
          (found[i] = columns_of(kinds[i], sql)) > 0)
        rc = SQLITE_OK;
  }
  sqlite3_finalize(q);
  for (int i = 0; i < FIRST_TABLES && rc == SQLITE_DONE; i++)
    if (!found[i])
      rc = SQLITE_CORRUPT;
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static bool is_up_to_date(const unsigned found[KINDS]) {
  for (int i = 0; i < KINDS; i++)
    if (found[i] != kinds[i]->n)
      return false;
  return true;
}

// ---- rewriting ----------------------------------------------------------------------

// Copies the good rows of OLD, whose table is now called NAME, and adds the missing
// columns.
static int copy_rows(struct store *s, const struct kind *t, const struct kind *old,
                     const char *name) {
  struct kind renamed = *old;
  struct cell cells[STORE_CELLS];
  renamed.name = name;
  sqlite3_stmt *q = store_select(s, &renamed, "");
  int rc = q ? SQLITE_OK : SQLITE_ERROR;
  while (rc == SQLITE_OK && (rc = store_step(q)) == SQLITE_ROW) {
    rc = SQLITE_OK;
    if (!row_read(q, old, cells))
      continue;
    for (unsigned i = old->n; i < t->n; i++)
      cells[i] = cell_empty(&t->facts[i]);
    rc = store_insert(s, t, cells);
  }
  sqlite3_finalize(q);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int run_text(struct store *s, char *sql) {
  int rc = sql ? store_run(s->db, sql) : SQLITE_NOMEM;
  free(sql);
  return rc;
}

static int upgrade_rewrite(struct store *s, const struct kind *t, unsigned n) {
  struct kind old = *t;
  char name[64];
  old.n = n;
  snprintf(name, sizeof name, "old_%s", t->name);
  int rc = SQLITE_OK;
  if (n)
    rc = run_text(s, sys_printf("ALTER TABLE %s RENAME TO %s", t->name, name));
  if (rc == SQLITE_OK)
    rc = run_text(s, table_create_sql(t));
  if (n && rc == SQLITE_OK)
    rc = copy_rows(s, t, &old, name);
  if (n && rc == SQLITE_OK)
    rc = run_text(s, sys_printf("DROP TABLE %s", name));
  return rc;
}

// Takes a lock and checks the tables again, since another process may have upgraded them
// meanwhile.
static int rewrite_all(struct store *s) {
  unsigned found[KINDS];
  int rc = read_schema(s, found);
  for (int i = 0; i < KINDS && rc == SQLITE_OK; i++)
    if (found[i] != kinds[i]->n)
      rc = upgrade_rewrite(s, kinds[i], found[i]);
  if (rc == SQLITE_OK)
    rc = run_text(s, sys_printf("PRAGMA user_version=%d", RECORD_VERSION));
  return store_end(s, rc);
}

int store_upgrade(struct store *s) {
  unsigned found[KINDS];
  int rc = read_schema(s, found);
  if (rc != SQLITE_OK || is_up_to_date(found))
    return rc;
  rc = store_run(s->db, "PRAGMA synchronous=FULL; BEGIN IMMEDIATE");
  if (rc == SQLITE_OK)
    rc = rewrite_all(s);
  store_run(s->db, "PRAGMA synchronous=OFF");
  return rc;
}
