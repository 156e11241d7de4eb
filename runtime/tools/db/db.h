/* SPDX-License-Identifier: Apache-2.0 */
/* db.h: `autotune db`: lists, copies and cleans up stored results. Each function is a
 * command. It writes its output to OUT and errors to standard error, and returns the exit
 * status: 0; 1: the answer is no (nothing was found, something is damaged, they differ);
 * 2: it failed. FOLDER has the results; NULL: the user's own. */
#ifndef AUTOTUNE_DB_H
#define AUTOTUNE_DB_H

#include <stdio.h>

#include "tools/common/results.h"

/* ---- db.c ------------------------------------------------------------------------ */
int db_list(const char *folder, FILE *out);
int db_forget(const char *folder, const char *kernel, const char *key, FILE *out);
/* OUTPUT: the file to write; NULL: OUT. */
int db_export(const char *folder, const char *const *kernels, unsigned n,
              const char *output, FILE *out);

/* ---- import.c -------------------------------------------------------------------- */
int db_import(const char *folder, const char *const *files, unsigned n, FILE *out);
/* BASE may be NULL. Nothing is written if one of the files has an invalid line. */
int db_merge(const char *ours, const char *theirs, const char *base, const char *output);

/* ---- prune.c, verify.c, diff.c --------------------------------------------------- */
struct prune_options {
  double older_than; /* seconds; 0: of any age */
  bool objects;      /* removes all objects */
};
int db_prune(const char *folder, const struct prune_options *o, FILE *out);
int db_verify(const char *folder, const char *const *files, unsigned n, FILE *out);
int db_diff(const char *a, const char *b, FILE *out);

#endif
