/* SPDX-License-Identifier: Apache-2.0 */
/* db.h: `autotune db`: lists, copies and cleans up stored results. Each function runs a
 * command of that name (command.c). It writes to standard output and errors to standard
 * error, and returns the exit status: 0; 1: the answer is no (nothing was found,
 * something is damaged, they differ); 2: it failed. */
#ifndef AUTOTUNE_DB_H
#define AUTOTUNE_DB_H

#include "tools/common/command.h"
#include "tools/common/results.h"

struct db_options {
  const char *folder; /* of the results; NULL: the user's own */
  const char *output; /* the file to write; NULL: standard output */
  const char *key;    /* NULL: all keys */
  double older_than;  /* seconds; 0: of any age */
  bool objects;       /* removes all objects */
  bool stale;         /* removes stale results */
  bool json;
};

/* ---- db.c, import.c, prune.c, verify.c, diff.c, stats.c -------------------------- */
int db_list(const struct arguments *a);
int db_forget(const struct arguments *a);
int db_export(const struct arguments *a);
int db_import(const struct arguments *a);
/* Nothing is written if OURS or THEIRS has an invalid line. */
int db_merge(const struct arguments *a);
int db_prune(const struct arguments *a);
int db_verify(const struct arguments *a);
int db_diff(const struct arguments *a);
int db_stats(const struct arguments *a);

#endif
