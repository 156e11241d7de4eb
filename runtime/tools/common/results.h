/* SPDX-License-Identifier: Apache-2.0 */
/* results.h: finds, opens and reads results for commands, and names their keys and
 * machines. Errors are printed on standard error. */
#ifndef AUTOTUNE_RESULTS_H
#define AUTOTUNE_RESULTS_H

#include "keep/store/tables.h"
#include "keep/wisdom/wisdom.h"
#include "model/key.h"

/* Returns FOLDER or, if that is NULL, the user's own folder of results, malloc'ed; NULL
 * after a message. */
char *results_folder(const char *folder);
/* Opens the results in FOLDER (NULL: the user's own). KEEP: makes the folder if it is
 * missing. NULL after a message. */
struct store *results_open(const char *folder, bool keep);
/* Winners of a file of wisdom or of a store. */
struct loaded {
  struct wisdom wisdom;
  struct listing listing; /* of a store: owns the texts that WISDOM points to */
};
/* Reads the winners at PATH: a folder of results, a results.db or a file of wisdom. 0, or
 * -1 after a message; call results_unload after both. */
int results_load(const char *path, struct loaded *out);
void results_unload(struct loaded *l);
/* Does the same as wisdom_write. Returns 0, or 2 after a message. */
int results_write(const struct wisdom *w, const char *path);
/* Returns "Intel(R) Xeon(R) …" of "GenuineIntel Intel(R) Xeon(R) … family 6 model 143
 * stepping 8"; malloc'ed. */
char *results_machine(const char *cpu);
/* True if P belongs to the machine that this runs on. */
bool results_is_here(const struct problem *p);
/* Returns "n = 512", or "" if there is no key; malloc'ed. */
char *results_key(const struct problem *p);
/* Returns "matmul, n = 512", cleaned; never NULL. Free with clean_free. */
char *results_name(const struct problem *p);
/* True if SPEC ("512,3", "n=512", "m=3,n=512") is P's key. NULL matches any key. */
bool results_key_matches(const struct problem *p, const char *spec);
/* For wisdom_read: prints FILE:LINE: error: WHAT. */
void results_complain(void *data, const char *file, unsigned line, const char *what);

/* Fills ID with the identity of E's problem. Its arrays are KEY and NAMES (of MAX_KEYS
 * each); the names are in *BLOCK, malloc'ed. False: no memory. */
bool results_identity(const struct wisdom_entry *e, long long *key, const char **names,
                      char **block, struct identity *id);

#endif
