/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h: inside the store. Six tables, described by the facts in model/record.h:
 *
 *   problem   what was tuned: an identity. Its id is the hash of the identity's columns,
 *             so rows that refer to a problem can never come to belong to another one
 *   variant   each variant tried for a problem, with its status and all its samples
 *   winner    each finished tuning of a problem
 *   asked     the last request of a program that found no winner, with the space that
 *             it offers
 *   course    how far the last tuning of a problem is, or how it ended
 *   service   how a winner has done in the programs' own calls
 *
 * Every row ends with a checksum over its other columns and the table's name. A row whose
 * checksum is wrong counts as missing. Columns are only ever added, at a table's end: a
 * file whose tables have fewer is rewritten when it is opened (upgrade.c). */
#ifndef AUTOTUNE_TABLES_H
#define AUTOTUNE_TABLES_H

#include <sqlite3.h>
#include "store.h"

enum { STORE_APPLICATION = 0x41544e45, STORE_CELLS = 56 };

/* ---- table.c: SQL and rows ------------------------------------------------------- */

enum cell_kind { CELL_INT, CELL_REAL, CELL_TEXT, CELL_BLOB };
struct cell {
  enum cell_kind kind;
  int64_t i;
  double d;
  const void *data;
  size_t size; /* text has a NUL after these bytes */
};
/* Each returns SQL, malloc'ed. The checksum is the last column of a row and of a
 * result. */
char *table_create_sql(const struct kind *k);
char *table_insert_sql(const struct kind *k);
char *table_select_sql(const struct kind *k, const char *where);
/* Returns a cell for F that says "not known". */
struct cell cell_empty(const struct fact *f);
uint64_t row_sum(const struct kind *k, const struct cell *cells);
int row_bind(sqlite3_stmt *q, const struct kind *k, const struct cell *cells);
/* Reads the row at which Q stands. False: types, lengths or checksum are wrong. The cells
 * point into the statement's row and are valid until its next step. */
bool row_read(sqlite3_stmt *q, const struct kind *k, struct cell *cells);

/* ---- rows.c: structs as rows ----------------------------------------------------- */

/* Room for the struct of any kind. */
union row {
  struct problem problem;
  struct record record;
  struct summary summary;
  struct asked asked;
  struct progress progress;
  struct service service;
};
/* Makes the cells of WHAT, a struct that K describes. They point into WHAT. Texts that
 * are too long for their column are cut. */
void row_make(const struct kind *k, const void *what, struct cell *cells);
/* Sets the members of WHAT from CELLS; its pointers point to what the cells point to.
 * False: a cell is out of range. */
bool row_take(const struct kind *k, const struct cell *cells, void *what);
/* The ways in which problems differ; NAMES: in the expressions of their keys. */
enum difference {
  DIFFERS_UNIT = 1,
  DIFFERS_CPU = 2,
  DIFFERS_ISA = 4,
  DIFFERS_THREADS = 8,
  DIFFERS_NAMES = 16,
  DIFFERS_KEY = 32,
  DIFFERS_TOOLCHAIN = 64
};
/* Returns those in which P differs from OWN, but for DIFFERS_TOOLCHAIN. */
unsigned problem_differences(const struct problem *p, const struct problem *own);
/* Returns the id for the columns of P. */
int64_t problem_hash(const struct problem *p);
/* Fills P from ID. Returns the block that holds P's key, which the caller frees after
 * P; NULL: no memory. */
char *problem_of(const struct identity *id, struct problem *p);
/* Returns the id of ID's problem; 0: no memory. */
int64_t problem_id(const struct identity *id);

/* ---- near.c ---------------------------------------------------------------------- */

/* True if results of P may say something about ID: they measure the same, and what is
 * emulated says nothing about a device. */
bool problem_comparable(const struct problem *p, const struct identity *id);
/* Returns how the machine of P is related to that of ID. */
enum machine_relation problem_machine(const struct problem *p, const struct identity *id);

/* ---- store.c, file.c: connections ------------------------------------------------ */

struct queued {
  struct queued *next;
  const struct kind *kind;
  struct cell cells[];
};
struct store {
  sqlite3 *db;
  pid_t pid; /* the only process that may use or close the connection */
  char *folder, *path;
  bool keep;         /* false: read only; creates no file and sets none aside */
  int version;       /* SQLite's data_version when it was last asked for */
  bool checked;      /* quick_check has passed */
  bool dead;         /* writing failed for good */
  int trouble;       /* SQLite's status of a failed statement, until it ends */
  double wait;       /* seconds that one operation may wait for a lock */
  double until;      /* when the busy handler gives up */
  unsigned patience; /* timeouts in a row; after some, waits are cut short */
  bool durable;      /* commits wait for the disk */
  bool locked;       /* it could not be opened because of another process's lock */
  dev_t device;
  ino_t inode; /* device and inode of the open file */
  struct queued *first, **last;
  unsigned n_queued; /* rows that could not be written yet */
  double slowest;    /* the longest wait so far, for tests */
};
/* Opens the store in FOLDER. KEEP: creates a missing file and sets a broken one aside.
 * Otherwise returns NULL in both cases, and *MESSAGE (malloc'ed) may say why. */
struct store *store_open_in(const char *folder, bool keep, char **message);
/* store_open_briefly for the store in FOLDER. */
struct store *store_open_briefly_in(const char *folder);
/* Renames the broken file and never deletes it. Takes a lock first, so that a newer file
 * of another process is not renamed. */
void store_set_aside(struct store *s, const char *why);
/* True if RC, a status of SQLite, means that another process or thread has the lock. */
bool store_is_locked(int rc);
/* Adds missing columns and tables. Returns SQLite's status; SQLITE_CORRUPT: the tables
 * are not ours. */
int store_upgrade(struct store *s);
/* Creates an empty database at PATH if there is no file. 0, or -1 and *MESSAGE
 * (malloc'ed). */
int store_create(const char *path, char **message);
bool store_usable(struct store *s);
int store_step(sqlite3_stmt *q);             /* sqlite3_step, with its fault point */
int store_run(sqlite3 *db, const char *sql); /* SQLite's status */
/* Ends a transaction: commits it if RC is SQLITE_OK, otherwise rolls it back. Returns
 * SQLite's status. */
int store_end(struct store *s, int rc);
/* Lets the following operations wait up to SECONDS for locks. */
void store_allow(struct store *s, double seconds);
/* If RC says that the file is broken or was replaced by another process, opens a good
 * file in its place. True: repeat the operation. */
bool store_recover(struct store *s, int rc);
sqlite3_stmt *store_select(struct store *s, const struct kind *k, const char *where);
/* True if ST is of a regular file of this user that nobody else can write. */
struct stat;
bool store_file_is_ours(const struct stat *st);
/* Reserves the file for a descriptor of the caller's own. Closing that drops all locks of
 * the process on the file, so until store_release no connection is opened. False: one is
 * open. */
bool store_reserve(void);
void store_release(void);

/* ---- read.c ---------------------------------------------------------------------- */

/* Steps Q to the next good row of K and reads it into WHAT, which points into the row.
 * Returns SQLite's status. */
int store_next(sqlite3_stmt *q, const struct kind *k, void *what);
/* Reads the row of K for PROBLEM into WHAT. Its texts are in *BLOCK, which the caller
 * frees. False: there is no such row. */
bool store_find(struct store *s, const struct kind *k, int64_t problem, void *what,
                void **block);
/* Reads the tuning of PROBLEM; the caller frees it by store_summary_free. */
bool store_find_summary(struct store *s, int64_t problem, struct summary *out);
/* Reads the last request for PROBLEM that found no winner; the caller frees its block. */
bool store_find_asked(struct store *s, int64_t problem, struct asked *out);

/* ---- glance.c -------------------------------------------------------------------- */

struct glance *glance_open_in(const char *folder);

/* ---- write.c --------------------------------------------------------------------- */

/* SQLite's status. */
int store_insert(struct store *s, const struct kind *k, const struct cell *cells);
int store_put(struct store *s, const struct kind *k, const void *what);
void store_drop_queue(struct store *s);
/* Writes what is still queued when the store is closed. */
void store_finish_queue(struct store *s);

/* ---- trust.c --------------------------------------------------------------------- */

struct agreement;
/* Returns for how many keys of ID's kernel, at most 16, VARIANT was taken over from other
 * keys and was right in a comparison with the default, under ID's contract. WITHIN: only
 * keys that it holds for count; NULL: all do. 0 if VARIANT was ever wrong, or ended a
 * process. */
unsigned trust_count(struct store *s, const struct identity *id, uint64_t variant,
                     const struct agreement *within);

/* ---- ledger.c -------------------------------------------------------------------- */

/* Returns a number for the program that runs, by its path; 0: it is not known. */
uint64_t ledger_program(void);

/* ---- owner.c: the process of a pending trial ------------------------------------- */

/* Writes a text that identifies this process on any machine and at any time. */
void store_owner(char *text, size_t size);
/* True if the process that wrote the pending R still tries it. For a process on another
 * machine or in another container: true if it may. */
bool store_owner_lives(const struct record *r);
/* True if the tuning C is still running. */
bool progress_lives(const struct progress *c);

/* ---- list.c, stale.c: all there is, for reports ---------------------------------- */

/* The reason why no program uses a result any more. */
enum stale { STALE_NOT, STALE_TEXT, STALE_COMPILER, STALE_REASONS };
/* For people: "the kernel was changed". */
extern const char *const stale_words[STALE_REASONS];

struct listed {
  struct problem problem;
  bool finished;    /* a tuning ended; SUMMARY is its result */
  bool provisional; /* no tuning ended; SUMMARY is the variant of other keys that runs */
  struct summary summary;
  struct usage usage;   /* as a program stored it last */
  enum refusal refused; /* likewise; NOT: a tuning began, or nothing is known */
  double first, last;   /* unix time of its oldest and newest row; 0: not known */
  enum stale stale;
  struct record *records;
  unsigned n_records;
  void **blocks;
  unsigned n_blocks; /* these hold the texts above */
};
struct listing {
  struct listed *items; /* by kernel and key; the stale ones after all others */
  unsigned n, damaged, n_stale;
};
/* Lists the results of KERNEL, or of all kernels (NULL), into OUT; free it with
 * store_list_free. 0 or -1. */
int store_list(struct store *s, const char *kernel, struct listing *out);
void store_list_free(struct listing *l);
/* Notes that a row of ITEM was written at WHEN. */
void listed_see(struct listed *item, double when);
/* Finds out which items of L, sorted by kernel, are stale, and moves them to the end. */
void store_mark_stale(struct listing *l);
/* Calls SEE for the last tuning of each problem of KERNEL, or of all (NULL). 0 or -1. */
int store_progresses(struct store *s, const char *kernel,
                     void (*see)(const struct problem *p, const struct progress *c,
                                 void *data),
                     void *data);
/* Calls SEE for each variant of PROBLEM, pending ones included, that was written at SINCE
 * or later (unix time). 0 or -1. */
int store_since(struct store *s, int64_t problem, double since,
                void (*see)(const struct record *r, void *data), void *data);

/* ---- folder.c, objects.c: for a given folder ------------------------------------- */

/* Returns the path of the user's folder without checking it; malloc'ed. NULL and
 * *MESSAGE: there is no such folder. */
char *folder_default(char **message);
/* Opens the file NAME in FOLDER, which may be NULL, with FLAGS of open(2). Returns a
 * descriptor; -1: it cannot be opened, or is no regular file of this user. */
int folder_file(const char *folder, const char *name, int flags);
/* Creates a file named PREFIX and a part unique to this process. Returns its descriptor,
 * open for writing, or -1. *PATH is malloc'ed; NULL: no memory. */
int folder_temporary(const char *prefix, char **path);
char *object_path(const char *folder, uint64_t hash); /* malloc'ed */
char *objects_find_in(const char *folder, uint64_t hash);
char *objects_keep_in(const char *folder, const char *from, uint64_t *hash);
/* Reads the numbers that counts_add adds to. False: there are none yet. */
bool counts_read(const char *folder, struct counts *out);

/* ---- limit.c --------------------------------------------------------------------- */

/* True if NAME is that of an object, and its hash. */
bool object_of_name(const char *name, uint64_t *hash);
/* Notes that the object at PATH was used now. */
void objects_used(const char *path);
struct folder_entry {
  const char *name; /* without the folder */
  bool object;      /* it is one, and HASH its hash */
  uint64_t hash, bytes;
  double used; /* unix time of its last use, about */
};
/* Calls SEE for each regular file in FOLDER and in its objects/. */
void folder_visit(const char *folder,
                  void (*see)(const struct folder_entry *e, void *data), void *data);
/* If FOLDER is larger than MOST bytes (0: no limit), removes the objects that were not
 * used for the longest time, until it is a tenth smaller than that. Those used in the
 * last minutes stay. Returns their number. */
unsigned objects_limit(const char *folder, uint64_t most);

#endif
