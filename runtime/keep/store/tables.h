/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h: inside the store. Five tables, described by data (table.c):
 *
 *   problem   what was tuned: an identity. Its id is the hash of the identity's columns,
 *             so rows that refer to a problem can never come to belong to another one
 *   variant   each variant tried for a problem, with its fate and all its samples
 *   winner    each finished tuning of a problem
 *   asked     what a program asked for last and did not get, with the space it offers
 *   course    how far the last tuning of a problem is, or how it ended
 *
 * Every row ends with a checksum over its other columns and the table's name. What does
 * not pass is as if it were not there. Columns are only ever added, at a table's end: a
 * file whose tables have fewer is rewritten when it is opened (upgrade.c). */
#ifndef AUTOTUNE_TABLES_H
#define AUTOTUNE_TABLES_H

#include <sqlite3.h>
#include "store.h"

enum {
  STORE_APPLICATION = 0x41544e45,
  STORE_VERSION = 3,
  STORE_CELLS = 48,
  STORE_TABLES = 5
};

/* ---- table.c: rows --------------------------------------------------------------- */

enum cell_kind { CELL_INT, CELL_REAL, CELL_TEXT, CELL_BLOB };
struct cell {
  enum cell_kind kind;
  int64_t i;
  double d;
  const void *data;
  size_t size; /* text is NUL-terminated besides */
};
struct column {
  const char *name;
  enum cell_kind kind;
  size_t most; /* bytes */
};
struct table {
  const char *name;
  const struct column *columns;
  unsigned n, n_keys;
};
extern const struct table table_problem, table_variant, table_winner, table_asked,
    table_progress;
extern const struct table *const store_tables[STORE_TABLES];

/* SQL, malloc'ed. The checksum is the last column of a row and of a result. */
char *table_create_sql(const struct table *t);
char *table_insert_sql(const struct table *t);
char *table_select_sql(const struct table *t, const char *where);
/* A cell of column C that nothing is known of. */
struct cell cell_empty(const struct column *c);
uint64_t row_sum(const struct table *t, const struct cell *cells);
int row_bind(sqlite3_stmt *q, const struct table *t, const struct cell *cells);
/* False: types, lengths or checksum are wrong. Cells point into the statement's row. */
bool row_read(sqlite3_stmt *q, const struct table *t, struct cell *cells);

/* ---- rows.c: what cells mean ----------------------------------------------------- */

/* S, cut to what column COLUMN of T takes; it is not copied. */
struct cell text_cell(const struct table *t, unsigned column, const char *s);
int64_t problem_id(const struct identity *id);
/* *KEY: the block that the texts of both key columns are in, malloc'ed. False: no memory.
 */
bool problem_cells(const struct identity *id, struct cell *cells, char **key);
void record_cells(int64_t problem, const struct record *r, double when,
                  struct cell *cells);
void summary_cells(int64_t problem, const char *toolchain, const struct summary *m,
                   struct cell *cells);
void progress_cells(int64_t problem, const struct progress *c, struct cell *cells);
/* False: out of range. Texts point into the cells. */
bool record_of(const struct cell *cells, struct record *r);
bool summary_of(const struct cell *cells, struct summary *m);
bool progress_of(const struct cell *cells, struct progress *c);

/* A problem as columns have it, in one block of its own; NULL: no memory. */
struct problem {
  int64_t id;
  const char *kernel, *file, *cpu, *isa, *toolchain;
  uint64_t unit;
  unsigned threads;
  const char *key, *key_names; /* "512,3" and "n\nm" */
  uint64_t shape;              /* as in struct identity */
  const char *family;
};
bool problem_of(const struct cell *cells, struct problem *p);

/* ---- store.c, file.c: connections ------------------------------------------------ */

struct queued {
  struct queued *next;
  const struct table *table;
  struct cell cells[];
};
struct store {
  sqlite3 *db;
  pid_t pid; /* of the only process that may use or close it */
  char *folder, *path;
  bool keep;         /* false: reads; nothing is made or set aside */
  int version;       /* SQLite's number for the state that was seen last */
  bool checked;      /* quick_check has passed */
  bool dead;         /* writing failed for good */
  int trouble;       /* SQLite's status of a failed statement, until it ends */
  double wait;       /* seconds that one operation may wait for a lock */
  double until;      /* when the busy handler gives up */
  unsigned patience; /* timeouts in a row; after some, waits are cut short */
  bool durable;      /* commits wait for the disk */
  dev_t device;
  ino_t inode; /* of the file that is open */
  struct queued *first, **last;
  unsigned n_queued; /* what could not be written yet */
  double slowest;    /* the longest wait so far, for tests */
};
/* KEEP: made when missing, set aside when broken. Else NULL in either case. */
struct store *store_open_in(const char *folder, bool keep, char **message);
/* Renames the broken file (never deletes it), under a lock so that it is no newer one. */
void store_set_aside(struct store *s, const char *why);
/* Brings tables with fewer columns, or none, up to date. SQLite's status; SQLITE_CORRUPT:
 * they are not ours. */
int store_upgrade(struct store *s);
/* Makes an empty database at PATH unless there is one. 0 or -1 and *MESSAGE. */
int store_create(const char *path, char **message);
bool store_usable(struct store *s);
int store_step(sqlite3_stmt *q);             /* sqlite3_step, behind its fault point */
int store_run(sqlite3 *db, const char *sql); /* SQLite's status */
/* The busy handler's allowance for what comes next. */
void store_allow(struct store *s, double seconds);
/* Where RC says that the file is broken (or was replaced by another process), opens a
 * good one in its place and returns true: try again. */
bool store_recover(struct store *s, int rc);
sqlite3_stmt *store_select(struct store *s, const struct table *t, const char *where);

/* ---- read.c ---------------------------------------------------------------------- */

/* The tuning of PROBLEM. The caller frees both: store_summary_free, free. */
bool store_find_summary(struct store *s, int64_t problem, struct summary *out,
                        char **toolchain);

/* ---- write.c --------------------------------------------------------------------- */

int store_insert(struct store *s, const struct table *t,
                 const struct cell *cells); /* SQLite's status */
/* Writes what is queued in one transaction. 0, or -1: it stays queued. */
int store_flush(struct store *s, double wait, bool durable);
void store_drop_queue(struct store *s);
void store_finish_queue(struct store *s); /* what is left when the store is closed */

/* ---- owner.c: whose trial is pending --------------------------------------------- */

/* This process, so that it cannot be taken for another. */
void store_owner(char *text, size_t size);
/* Is the process that wrote the pending R still at it? Elsewhere: may it be? */
bool store_owner_lives(const struct record *r);
/* Does the tuning C go on? */
bool progress_lives(const struct progress *c);

/* ---- list.c: all there is, for reports ------------------------------------------- */

struct listed {
  struct problem problem;
  bool finished;    /* a tuning ended: SUMMARY holds */
  bool provisional; /* none did, but SUMMARY says what runs until then */
  struct summary summary;
  struct record *records;
  unsigned n_records;
  void **blocks;
  unsigned n_blocks; /* what the texts above are in */
};
struct listing {
  struct listed *items;
  unsigned n, damaged;
};
/* Of KERNEL, or all (NULL). 0 or -1. */
int store_list(struct store *s, const char *kernel, struct listing *out);
void store_list_free(struct listing *l);
/* Calls SEE for the last tuning of each problem of KERNEL, or of all (NULL). 0 or -1. */
int store_progresses(struct store *s, const char *kernel,
                     void (*see)(const struct problem *p, const struct progress *c,
                                 void *data),
                     void *data);
/* Calls SEE for each variant of PROBLEM that was written at SINCE or later (unix time),
 * pending ones, too. 0 or -1. */
int store_since(struct store *s, int64_t problem, double since,
                void (*see)(const struct record *r, void *data), void *data);

/* ---- folder.c, objects.c: for a given folder ------------------------------------- */

char *folder_default(char **message); /* its path, not looked at; malloc'ed */
/* A new file, PREFIX and what makes it this process's own, open to write; or -1. *PATH is
 * malloc'ed; NULL: no memory. */
int folder_temporary(const char *prefix, char **path);
char *objects_find_in(const char *folder, uint64_t hash);
char *objects_keep_in(const char *folder, const char *from, uint64_t *hash);

#endif
