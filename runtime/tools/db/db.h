/* SPDX-License-Identifier: Apache-2.0 */
/* db.h: `autotune db`: what is remembered, looked after by hand. Each function is a
 * command: it writes to OUT what was asked for, to standard error what is wrong, and
 * returns the exit status: 0; 1: the answer is no (nothing there, something is damaged,
 * they differ); 2: it could not be done. FOLDER is that of the results; NULL: the user's
 * own. */
#ifndef AUTOTUNE_DB_H
#define AUTOTUNE_DB_H

#include <stdio.h>

#include "model/key.h"
#include "keep/store/tables.h"
#include "keep/wisdom/wisdom.h"

/* ---- grid.c: aligned columns ----------------------------------------------------- */
struct grid {
  char **cells;
  unsigned columns, n, capacity;
  const char *right; /* 'r' for each column that
is aligned at its right */
};
/* Takes CELL (malloc'ed; NULL: "?") over and makes it fit for a terminal. */
void grid_add(struct grid *g, char *cell);
void grid_print(const struct grid *g, FILE *out);
void grid_free(struct grid *g);

/* ---- db.c ------------------------------------------------------------------------ */
/* FOLDER or the user's own, malloc'ed; NULL, and it was said why. */
char *db_folder(const char *folder);
/* NULL, and it was said why. KEEP: it is made when missing. */
struct store *db_open(const char *folder, bool keep);
/* What a file or store PATH says is best; texts are in LISTING where it is a store. 0 or
 * -1 (said). */
struct loaded {
  struct wisdom wisdom;
  struct listing listing;
};
int db_load(const char *path, struct loaded *out);
void db_unload(struct loaded *l);
/* "Intel(R) Xeon(R) …" of "GenuineIntel Intel(R) Xeon(R) … family 6 model 143 stepping
 * 8"; malloc'ed. */
char *db_machine(const char *cpu);
/* "n = 512", "" where there is no key; malloc'ed. */
char *db_key(const struct problem *p);
/* Is SPEC ("512,3", "n=512", "m=3,n=512") P's key? NULL: any is. */
bool db_key_matches(const struct problem *p, const char *spec);
/* The complaint of wisdom_read: FILE:LINE: error: …, to standard error. */
void db_complain(void *data, const char *file, unsigned line, const char *what);

int db_list(const char *folder, FILE *out);
int db_forget(const char *folder, const char *kernel, const char *key, FILE *out);
/* OUTPUT NULL: to OUT. */
int db_export(const char *folder, const char *const *kernels, unsigned n,
              const char *output, FILE *out);

/* ---- import.c -------------------------------------------------------------------- */
/* E's identity. Its arrays are KEY and NAMES (of MAX_KEYS each); the names are in *BLOCK,
 * malloc'ed. False: no memory. */
bool db_identity(const struct wisdom_entry *e, long long *key, const char **names,
                 char **block, struct identity *id);
int db_import(const char *folder, const char *const *files, unsigned n, FILE *out);
/* BASE may be NULL. Nothing is written where one of the files has a line that is none. */
int db_merge(const char *ours, const char *theirs, const char *base, const char *output);

/* ---- prune.c, verify.c, diff.c --------------------------------------------------- */
struct prune_options {
  double older_than; /* seconds; 0: whatever its age */
  bool objects;      /* all of them */
};
int db_prune(const char *folder, const struct prune_options *o, FILE *out);
int db_verify(const char *folder, const char *const *files, unsigned n, FILE *out);
int db_diff(const char *a, const char *b, FILE *out);

#endif
