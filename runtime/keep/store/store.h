/* SPDX-License-Identifier: Apache-2.0 */
/* store.h: what is remembered and what it is a result of, grouped by file. How it is
 * kept: tables.h. */
#ifndef AUTOTUNE_STORE_H
#define AUTOTUNE_STORE_H

#include "model/identity.h"
#include "model/record.h"

/* ---- store.c, read.c, write.c, near.c -------------------------------------------- */

struct store;
/* NULL and *MESSAGE: no store (the reason); tuning goes on in memory. */
struct store *store_open(char **message);
/* The same where nobody may wait longer than SECONDS for another process's lock. Less
 * than STORE_WAIT: only to read, and nothing is made. */
extern const double STORE_WAIT;
struct store *store_open_within(double seconds, char **message);
void store_close(struct store *s);
/* The winner for exactly this identity. False: none; *WHY (malloc'ed, may be NULL) says
 * what differs from the nearest row ("compiler clang 22.1.7 → 22.1.8"). Strings of OUT:
 * one block, freed by store_summary_free. */
bool store_winner(struct store *s, const struct identity *id, struct summary *out,
                  char **why);
/* The same, and whether there is one of another compiler. */
enum winner_state { WINNER_NONE, WINNER_FOUND, WINNER_OF_OTHER_COMPILER };
enum winner_state store_find_winner(struct store *s, const struct identity *id,
                                    struct summary *out, char **why);
void store_summary_free(struct summary *s);
/* What is known of one variant (fate, samples), so that it is not tried again; a
 * STATUS_PENDING row means that it took the tuner down. FEATURES may be NULL. */
bool store_known(struct store *s, const struct identity *id, uint64_t variant,
                 enum status *status, struct estimate *e, struct features *features);
/* The same, and whether another living process is at it. */
enum knowledge { KNOWN_NOTHING, KNOWN_RESULT, KNOWN_TAKEN };
enum knowledge store_look(struct store *s, const struct identity *id, uint64_t variant,
                          enum status *status, struct estimate *e,
                          struct features *features);
/* Has another connection written since the last such question? */
bool store_changed(struct store *s);
/* Calls SEE for each variant of ID whose fate was written at *SINCE or later (unix time),
 * pending ones left out; *SINCE becomes the time of the last. */
void store_news(struct store *s, const struct identity *id, double *since,
                void (*see)(const struct record *r, void *data), void *data);
int store_begin(struct store *s, const struct identity *id,
                const struct record *r); /* pending */
int store_finish(struct store *s, const struct identity *id, const struct record *r);
int store_summary(struct store *s, const struct identity *id, const struct summary *m);
/* Notes that K was called for ID and that nothing is known, for WHY. */
int store_asked(struct store *s, const struct identity *id,
                const struct autotune_kernel *k, const char *why);
/* Notes how far the tuning of ID is, which this process does. */
int store_progress(struct store *s, const struct identity *id, const struct progress *c);
int store_forget(struct store *s, const char *kernel, uint64_t unit, const long long *key,
                 unsigned n_keys); /* kernel NULL: all; key NULL: all keys */

/* Problems that are like ID, nearest first: other keys of the same kernel, other texts of
 * it, kernels of its shape, kernels of its family; all on this kind of machine. */
enum relation { RELATED_KEY, RELATED_TEXT, RELATED_SHAPE, RELATED_FAMILY };
struct relative {
  int64_t problem;
  enum relation relation;
  double distance; /* of the keys: sum of |log2 ratio| */
  bool near; /* another key of the same kernel, no part of it off by more than 4 times */
  char name[96]; /* for people: "n = 1024", "kernel matmul2, n = 1024" */
};
enum { MAX_RELATIVES = 8 };
unsigned store_relatives(struct store *s, const struct identity *id,
                         struct relative out[MAX_RELATIVES]);
/* Calls SEE with the values ("MR=6\nNR=64\n") and seconds of PROBLEM's fastest variants,
 * the winner of its tuning before all, at most N. */
void store_fastest(struct store *s, int64_t problem, unsigned n,
                   void (*see)(const char *values, double seconds, void *data),
                   void *data);
/* Likewise, of all that ran and were right, in no order. */
void store_times(struct store *s, int64_t problem,
                 void (*see)(const char *values, double seconds, void *data), void *data);
/* The finished tuning of PROBLEM by TOOLCHAIN (NULL: by any); freed by
 * store_summary_free. */
bool store_tuning(struct store *s, int64_t problem, const char *toolchain,
                  struct summary *out);

/* ---- folder.c, objects.c --------------------------------------------------------- */

/* The folder of the store, made when missing, 0700; NULL and *MESSAGE when it cannot be
 * trusted. The path lives as long as the process. */
const char *folder_open(char **message);
/* The same for PATH: its resolved path, malloc'ed. */
char *folder_check(const char *path, char **message);
/* Keeps the shared object at FROM under its hash; returns the path (malloc'ed) or NULL.
 */
char *objects_keep(const char *from, uint64_t *hash);
/* The path of the object with that hash, after checking owner, mode and hash; NULL: not
 * there. */
char *objects_find(uint64_t hash);

#endif
