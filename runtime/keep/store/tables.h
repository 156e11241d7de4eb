/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h: inside the store. Five tables, described by the facts in model/record.h:
 *
 *   problem   what was tuned: an identity. Its id is the hash of the identity's columns,
 *             so rows that refer to a problem can never come to belong to another one
 *   variant   each variant tried for a problem, with its status and all its samples
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

enum { STORE_APPLICATION = 0x41544e45, STORE_CELLS = 48 };

/* ---- table.c: SQL and rows ------------------------------------------------------- */

enum cell_kind { CELL_INT, CELL_REAL, CELL_TEXT, CELL_BLOB };
struct cell {
  enum cell_kind kind;
  int64_t i;
  double d;
  const void *data;
  size_t size; /* text is NUL-terminated besides */
};
/* SQL, malloc'ed. The checksum is the last column of a row and of a result. */
char *table_create_sql(const struct kind *k);
char *table_insert_sql(const struct kind *k);
char *table_select_sql(const struct kind *k, const char *where);
/* A cell for F of which nothing is known. */
struct cell cell_empty(const struct fact *f);
uint64_t row_sum(const struct kind *k, const struct cell *cells);
int row_bind(sqlite3_stmt *q, const struct kind *k, const struct cell *cells);
/* False: types, lengths or checksum are wrong. Cells point into the statement's row. */
bool row_read(sqlite3_stmt *q, const struct kind *k, struct cell *cells);

/* ---- rows.c: structs as rows ----------------------------------------------------- */

/* The cells of WHAT, a struct that K describes; texts that are too long for their column
 * are cut, none is copied. */
void row_make(const struct kind *k, const void *what, struct cell *cells);
/* The reverse; what WHAT points to is in the cells. False: out of range. */
bool row_take(const struct kind *k, const struct cell *cells, void *what);
/* The id that belongs to P. */
int64_t problem_hash(const struct problem *p);
/* ID as P, whose key is in the block that is returned, malloc'ed; NULL: no memory. */
char *problem_of(const struct identity *id, struct problem *p);
/* The id of ID's problem; 0: no memory. */
int64_t problem_id(const struct identity *id);

/* ---- store.c, file.c: connections ------------------------------------------------ */

struct queued {
  struct queued *next;
  const struct kind *kind;
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
sqlite3_stmt *store_select(struct store *s, const struct kind *k, const char *where);

/* ---- read.c ---------------------------------------------------------------------- */

/* Steps Q to the next good row of K, into WHAT, which points into the row. SQLite's
 * status. */
int store_next(sqlite3_stmt *q, const struct kind *k, void *what);
/* The row of K that belongs to PROBLEM, into WHAT; its texts are in *BLOCK, malloc'ed.
 * False: there is none. */
bool store_find(struct store *s, const struct kind *k, int64_t problem, void *what,
                void **block);
/* The tuning of PROBLEM; the caller frees it by store_summary_free. */
bool store_find_summary(struct store *s, int64_t problem, struct summary *out);
/* What was asked for last and not found; the caller frees its block. */
bool store_find_asked(struct store *s, int64_t problem, struct asked *out);

/* ---- write.c --------------------------------------------------------------------- */

/* SQLite's status. */
int store_insert(struct store *s, const struct kind *k, const struct cell *cells);
int store_put(struct store *s, const struct kind *k, const void *what);
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
