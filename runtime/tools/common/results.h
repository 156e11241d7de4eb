/* SPDX-License-Identifier: Apache-2.0 */
/* results.h: how commands find, open and read results, and name their keys and machines.
 * What is wrong is said on standard error. */
#ifndef AUTOTUNE_RESULTS_H
#define AUTOTUNE_RESULTS_H

#include "keep/store/tables.h"
#include "keep/wisdom/wisdom.h"
#include "model/key.h"

/* FOLDER or the user's own, malloc'ed; NULL, and it was said why. */
char *results_folder(const char *folder);
/* NULL, and it was said why. KEEP: it is made when missing. */
struct store *results_open(const char *folder, bool keep);
/* What a file or store PATH says is best; texts are in LISTING where it is a store. 0 or
 * -1 (said). */
struct loaded {
  struct wisdom wisdom;
  struct listing listing;
};
int results_load(const char *path, struct loaded *out);
void results_unload(struct loaded *l);
/* "Intel(R) Xeon(R) …" of "GenuineIntel Intel(R) Xeon(R) … family 6 model 143 stepping
 * 8"; malloc'ed. */
char *results_machine(const char *cpu);
/* "n = 512", "" where there is no key; malloc'ed. */
char *results_key(const struct problem *p);
/* Is SPEC ("512,3", "n=512", "m=3,n=512") P's key? NULL: any is. */
bool results_key_matches(const struct problem *p, const char *spec);
/* The complaint of wisdom_read: FILE:LINE: error: …, to standard error. */
void results_complain(void *data, const char *file, unsigned line, const char *what);

/* E's identity. Its arrays are KEY and NAMES (of MAX_KEYS each); the names are in *BLOCK,
 * malloc'ed. False: no memory. */
bool results_identity(const struct wisdom_entry *e, long long *key, const char **names,
                      char **block, struct identity *id);

#endif
