// SPDX-License-Identifier: Apache-2.0
// table.c: the tables of the store as data, their SQL, and rows with checksums.
//
// A mutated file may pass SQLite's own checks with a changed number in it; the checksum
// of the row is what tells. It covers the table's name and each column's kind, size and
// bytes.
#include <string.h>
#include <stdlib.h>
#include <xxhash.h>

#include "tables.h"

enum { NAME = 4096, TEXT = 1 << 16, SAMPLES = 8 << 20 };

static const struct column problem_columns[] = {
  { "id", CELL_INT, 0 },
  { "kernel", CELL_TEXT, NAME },
  { "file", CELL_TEXT, NAME },
  { "unit", CELL_INT, 0 },
  { "cpu", CELL_TEXT, NAME },
  { "isa", CELL_TEXT, NAME },
  { "threads", CELL_INT, 0 },
  { "key", CELL_TEXT, NAME },
  { "key_names", CELL_TEXT, NAME },
  { "shape", CELL_INT, 0 },
  { "family", CELL_TEXT, NAME },
};

static const struct column variant_columns[] = {
  { "problem", CELL_INT, 0 },
  { "variant", CELL_INT, 0 },
  { "vals", CELL_TEXT, TEXT },
  { "compiler", CELL_TEXT, NAME },
  { "fate", CELL_INT, 0 },
  { "message", CELL_TEXT, TEXT },
  { "samples", CELL_BLOB, SAMPLES },
  { "compile_seconds", CELL_REAL, 0 },
  { "verify_seconds", CELL_REAL, 0 },
  { "time_seconds", CELL_REAL, 0 },
  { "at", CELL_REAL, 0 },
  { "features", CELL_BLOB, 512 },
};

static const struct column winner_columns[] = {
  { "problem", CELL_INT, 0 },
  { "toolchain", CELL_TEXT, NAME },
  { "variant", CELL_INT, 0 },
  { "vals", CELL_TEXT, TEXT },
  { "compiler", CELL_TEXT, NAME },
  { "object", CELL_INT, 0 },
  { "original_median", CELL_REAL, 0 },
  { "original_low", CELL_REAL, 0 },
  { "original_high", CELL_REAL, 0 },
  { "original_n", CELL_INT, 0 },
  { "best_median", CELL_REAL, 0 },
  { "best_low", CELL_REAL, 0 },
  { "best_high", CELL_REAL, 0 },
  { "best_n", CELL_INT, 0 },
  { "tried", CELL_INT, 0 },
  { "failed", CELL_BLOB, 64 },
  { "total_hint", CELL_INT, 0 },
  { "compile_seconds", CELL_REAL, 0 },
  { "verify_seconds", CELL_REAL, 0 },
  { "time_seconds", CELL_REAL, 0 },
  { "total_seconds", CELL_REAL, 0 },
  { "flops", CELL_REAL, 0 },
  { "bytes", CELL_REAL, 0 },
  { "verified", CELL_INT, 0 },
  { "search", CELL_TEXT, NAME },
  { "why", CELL_TEXT, TEXT },
  { "at", CELL_REAL, 0 },
  { "space", CELL_INT, 0 },
  { "text", CELL_INT, 0 },
  { "machine", CELL_TEXT, NAME },
  { "source", CELL_TEXT, NAME },
  { "same", CELL_INT, 0 },
};

static const struct column asked_columns[] = {
  { "problem", CELL_INT, 0 },
  { "toolchain", CELL_TEXT, NAME },
  { "space", CELL_INT, 0 },
  { "params", CELL_TEXT, SAMPLES },
  { "conditions", CELL_TEXT, TEXT },
  { "why", CELL_TEXT, TEXT },
  { "at", CELL_REAL, 0 },
};

static const struct column progress_columns[] = {
  { "problem", CELL_INT, 0 },   { "phase", CELL_INT, 0 },   { "owner", CELL_TEXT, NAME },
  { "began", CELL_REAL, 0 },    { "until", CELL_REAL, 0 },  { "expected", CELL_INT, 0 },
  { "original", CELL_REAL, 0 }, { "why", CELL_TEXT, TEXT }, { "at", CELL_REAL, 0 },
};

#define TABLE(name, sql, keys)                                                        \
  const struct table table_##name = { sql, name##_columns,                            \
                                      sizeof name##_columns / sizeof *name##_columns, \
                                      keys }
TABLE(problem, "problem", 1);
TABLE(variant, "variant", 2);
TABLE(winner, "winner", 1);
TABLE(asked, "asked", 1);
TABLE(progress, "course", 1);
const struct table *const store_tables[STORE_TABLES] = { &table_problem, &table_variant,
                                                         &table_winner, &table_asked,
                                                         &table_progress };

_Static_assert(sizeof winner_columns / sizeof *winner_columns <= STORE_CELLS, "cells");

// ---- SQL ----------------------------------------------------------------------------

// "a, b, c, sum", each followed by its type where TYPED; malloc'ed.
static char *column_list(const struct table *t, unsigned n, bool typed,
                         const char *last) {
  static const char *const types[] = { " INTEGER", " REAL", " TEXT", " BLOB" };
  size_t size = 16;
  for (unsigned i = 0; i < n; i++)
    size += strlen(t->columns[i].name) + 12;
  char *list = sys_malloc(size), *p = list;
  if (!list)
    return NULL;
  for (unsigned i = 0; i < n; i++)
    p += sprintf(p, "%s%s%s", i ? ", " : "", t->columns[i].name,
                 typed ? types[t->columns[i].kind] : "");
  sprintf(p, "%s", last);
  return list;
}

char *table_create_sql(const struct table *t) {
  char *columns = column_list(t, t->n, true, ", sum INTEGER");
  char *keys = column_list(t, t->n_keys, false, "");
  char *sql = columns && keys
      ? sys_printf("CREATE TABLE %s(%s, PRIMARY KEY(%s)) WITHOUT ROWID", t->name, columns,
                   keys)
      : NULL;
  free(columns);
  free(keys);
  return sql;
}

char *table_insert_sql(const struct table *t) {
  char marks[2 * STORE_CELLS + 2];
  for (unsigned i = 0; i <= t->n; i++)
    memcpy(marks + 2 * i, "?,", 2);
  marks[2 * t->n + 1] = '\0';
  return sys_printf("INSERT OR REPLACE INTO %s VALUES(%s)", t->name, marks);
}

char *table_select_sql(const struct table *t, const char *where) {
  char *columns = column_list(t, t->n, false, ", sum");
  char *sql = columns ? sys_printf("SELECT %s FROM %s %s", columns, t->name, where)
                      : NULL;
  free(columns);
  return sql;
}

// ---- rows ---------------------------------------------------------------------------

struct cell cell_empty(const struct column *c) {
  return (struct cell){ .kind = c->kind, .data = "" };
}

uint64_t row_sum(const struct table *t, const struct cell *cells) {
  uint64_t h = XXH3_64bits(t->name, strlen(t->name));
  for (unsigned i = 0; i < t->n; i++) {
    const struct cell *c = &cells[i];
    uint64_t seed = h + c->kind;
    h = c->kind == CELL_INT    ? XXH3_64bits_withSeed(&c->i, sizeof c->i, seed)
        : c->kind == CELL_REAL ? XXH3_64bits_withSeed(&c->d, sizeof c->d, seed)
                               : XXH3_64bits_withSeed(c->data, c->size, seed);
  }
  return h;
}

int row_bind(sqlite3_stmt *q, const struct table *t, const struct cell *cells) {
  int rc = SQLITE_OK;
  for (unsigned i = 0; i < t->n && rc == SQLITE_OK; i++) {
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
    rc = sqlite3_bind_int64(q, (int)t->n + 1, (int64_t)row_sum(t, cells));
  return rc;
}

static bool read_cell(sqlite3_stmt *q, int at, const struct column *column,
                      struct cell *c) {
  static const int types[] = { SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB };
  if (sqlite3_column_type(q, at) != types[column->kind])
    return false;
  *c = (struct cell){ .kind = column->kind, .data = "" };
  switch (column->kind) {
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
  if (size < 0 || (size_t)size > column->most || (size > 0 && !c->data))
    return false;
  c->size = (size_t)size;
  if (!c->data)
    c->data = "";
  return column->kind == CELL_BLOB || !memchr(c->data, '\0', c->size);
}

bool row_read(sqlite3_stmt *q, const struct table *t, struct cell *cells) {
  for (unsigned i = 0; i < t->n; i++)
    if (!read_cell(q, (int)i, &t->columns[i], &cells[i]))
      return false;
  return sqlite3_column_type(q, (int)t->n) == SQLITE_INTEGER &&
      (uint64_t)sqlite3_column_int64(q, (int)t->n) == row_sum(t, cells);
}
