// SPDX-License-Identifier: Apache-2.0
// table.c: the SQL of the tables, and rows with checksums.
//
// A damaged file may pass SQLite's own checks with a changed number in it; the checksum
// of the row detects that. It covers the table's name and each column's kind, size and
// bytes.
#include <string.h>
#include <stdlib.h>
#include <xxhash.h>

#include "tables.h"

static const enum cell_kind kinds_of[] = {
  [FACT_ID] = CELL_INT,       [FACT_HASH] = CELL_INT,      [FACT_COUNT] = CELL_INT,
  [FACT_ENUM] = CELL_INT,     [FACT_OBJECTIVE] = CELL_INT, [FACT_VERIFIED] = CELL_INT,
  [FACT_RUNS] = CELL_INT,     [FACT_SECONDS] = CELL_REAL,  [FACT_MOMENT] = CELL_REAL,
  [FACT_AMOUNT] = CELL_REAL,  [FACT_ESTIMATE] = CELL_REAL, [FACT_LOW] = CELL_REAL,
  [FACT_HIGH] = CELL_REAL,    [FACT_TEXT] = CELL_TEXT,     [FACT_FILE] = CELL_TEXT,
  [FACT_LINES] = CELL_TEXT,   [FACT_VALUES] = CELL_TEXT,   [FACT_KEY] = CELL_TEXT,
  [FACT_SAMPLES] = CELL_BLOB, [FACT_FEATURES] = CELL_BLOB, [FACT_COUNTS] = CELL_BLOB,
};

// ---- SQL ----------------------------------------------------------------------------

// Returns "a, b, c, sum", each followed by its type where TYPED; malloc'ed.
static char *column_list(const struct kind *k, unsigned n, bool typed, const char *last) {
  static const char *const types[] = { " INTEGER", " REAL", " TEXT", " BLOB" };
  size_t size = 16;
  for (unsigned i = 0; i < n; i++)
    size += strlen(k->facts[i].column) + 12;
  char *list = sys_malloc(size), *p = list;
  if (!list)
    return NULL;
  for (unsigned i = 0; i < n; i++)
    p += sprintf(p, "%s%s%s", i ? ", " : "", k->facts[i].column,
                 typed ? types[kinds_of[k->facts[i].type]] : "");
  sprintf(p, "%s", last);
  return list;
}

char *table_create_sql(const struct kind *k) {
  char *columns = column_list(k, k->n, true, ", sum INTEGER");
  char *keys = column_list(k, k->n_keys, false, "");
  char *sql = columns && keys
      ? sys_printf("CREATE TABLE %s(%s, PRIMARY KEY(%s)) WITHOUT ROWID", k->name, columns,
                   keys)
      : NULL;
  free(columns);
  free(keys);
  return sql;
}

char *table_insert_sql(const struct kind *k) {
  char marks[2 * STORE_CELLS + 2];
  for (unsigned i = 0; i <= k->n; i++)
    memcpy(marks + 2 * i, "?,", 2);
  marks[2 * k->n + 1] = '\0';
  return sys_printf("INSERT OR REPLACE INTO %s VALUES(%s)", k->name, marks);
}

char *table_select_sql(const struct kind *k, const char *where) {
  char *columns = column_list(k, k->n, false, ", sum");
  char *sql = columns ? sys_printf("SELECT %s FROM %s %s", columns, k->name, where)
                      : NULL;
  free(columns);
  return sql;
}

// ---- rows ---------------------------------------------------------------------------

struct cell cell_empty(const struct fact *f) {
  return (struct cell){ .kind = kinds_of[f->type], .data = "" };
}

uint64_t row_sum(const struct kind *k, const struct cell *cells) {
  uint64_t h = XXH3_64bits(k->name, strlen(k->name));
  for (unsigned i = 0; i < k->n; i++) {
    const struct cell *c = &cells[i];
    uint64_t seed = h + c->kind;
    h = c->kind == CELL_INT    ? XXH3_64bits_withSeed(&c->i, sizeof c->i, seed)
        : c->kind == CELL_REAL ? XXH3_64bits_withSeed(&c->d, sizeof c->d, seed)
                               : XXH3_64bits_withSeed(c->data, c->size, seed);
  }
  return h;
}

int row_bind(sqlite3_stmt *q, const struct kind *k, const struct cell *cells) {
  int rc = SQLITE_OK;
  for (unsigned i = 0; i < k->n && rc == SQLITE_OK; i++) {
    const struct cell *c = &cells[i];
    int at = (int)i + 1;
    switch (c->kind) {
    case CELL_INT:
      rc = sqlite3_bind_int64(q, at, c->i);
      break;
    case CELL_REAL:
      rc = sqlite3_bind_double(q, at, c->d);
      break;
    case CELL_TEXT:
      rc = sqlite3_bind_text64(q, at, c->data, c->size, SQLITE_STATIC, SQLITE_UTF8);
      break;
    case CELL_BLOB:
      rc = sqlite3_bind_blob64(q, at, c->data, c->size, SQLITE_STATIC);
      break;
    }
  }
  if (rc == SQLITE_OK)
    rc = sqlite3_bind_int64(q, (int)k->n + 1, (int64_t)row_sum(k, cells));
  return rc;
}

static bool read_cell(sqlite3_stmt *q, int at, const struct fact *f, struct cell *c) {
  static const int types[] = { SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB };
  if (sqlite3_column_type(q, at) != types[kinds_of[f->type]])
    return false;
  *c = (struct cell)cell_empty(f);
  switch (c->kind) {
  case CELL_INT:
    c->i = sqlite3_column_int64(q, at);
    return true;
  case CELL_REAL:
    c->d = sqlite3_column_double(q, at);
    return true;
  case CELL_TEXT:
    c->data = sqlite3_column_text(q, at);
    break;
  case CELL_BLOB:
    c->data = sqlite3_column_blob(q, at);
    break;
  }
  int size = sqlite3_column_bytes(q, at);
  if (size < 0 || (size_t)size > f->most || (size > 0 && !c->data))
    return false;
  c->size = (size_t)size;
  if (!c->data)
    c->data = "";
  return c->kind == CELL_BLOB || !memchr(c->data, '\0', c->size);
}

bool row_read(sqlite3_stmt *q, const struct kind *k, struct cell *cells) {
  for (unsigned i = 0; i < k->n; i++)
    if (!read_cell(q, (int)i, &k->facts[i], &cells[i]))
      return false;
  return sqlite3_column_type(q, (int)k->n) == SQLITE_INTEGER &&
      (uint64_t)sqlite3_column_int64(q, (int)k->n) == row_sum(k, cells);
}
