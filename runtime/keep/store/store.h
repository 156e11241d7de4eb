/* SPDX-License-Identifier: Apache-2.0 */
/* store.h: what is remembered and what it is a result of, grouped by file. How it is
 * kept: tables.h. */
#ifndef AUTOTUNE_STORE_H
#define AUTOTUNE_STORE_H

#include "base/base.h"

/* ---- identity.c: what makes a result worth nothing when it changes --------------- */

/* Hash of what all variants have in common: name, signature, flags of the build, and the
 * text with every directive in force and the first of each list. Lines and paths do not
 * count where nothing prints them. */
uint64_t identity_unit(const struct autotune_kernel *k);
/* Hash of what is offered: parameters, candidates, constraint. */
uint64_t identity_space(const struct autotune_kernel *k);
/* Hash of VALUES ("MR=6\nNR=64\n") with sets without a name called by their order. */
uint64_t identity_values(const char *values);
/* Hash of the text that POINT leaves of its unit, its compiler and flags; not of the
 * values. */
uint64_t identity_text(const struct autotune_kernel *k, const choice *point);
/* Hash of all that makes a variant: struct record. COMPILER with its version. */
uint64_t identity_variant(const struct autotune_kernel *k, const choice *point,
                          const char *values, const char *compiler);
/* The point of VALUES. False: it has another list of parameters, or a value is no
 * candidate. */
bool identity_point(const struct autotune_kernel *k, const char *values, choice *point);
/* "clang 22.1.8": the in-process compiler. */
const char *identity_toolchain(void);
/* What is offered, as text: a line "name, kind, when, original, values…" for each
 * parameter, separated by tabs; a line "name,name… TAB expression" for each factor of the
 * constraint. malloc'ed. */
char *identity_params(const struct autotune_kernel *k);
char *identity_conditions(const struct autotune_kernel *k);

/* ---- shape.c --------------------------------------------------------------------- */

/* A hash of TEXT's tokens in which it does not matter what names of its own are, but
 * where they stand. */
uint64_t shape_of(const char *text);

/* ---- what is kept ---------------------------------------------------------------- */

/* What a result is a result of. Texts are kept as columns. */
struct identity {
  uint64_t unit; /* identity_unit */
  const char *kernel, *file;
  const char *cpu, *isa; /* of the machine */
  unsigned threads;      /* this process may use */
  const long long *key;
  unsigned n_keys;
  const char *const *key_names;
  const char
      *toolchain; /* what would make its variants today, as far as that is known without
                     loading it ("clang 22.1.8"); compared with that of the winner, so
                     that a new compiler means a miss; NULL: not compared */
  uint64_t shape; /* of the unit's text but for its names (hints.c); 0: not known */
  const char *family; /* the kernel's; NULL: none. Neither is part of what it is */
  uint64_t space;     /* identity_space; 0: not known */
};
struct record {       /* one variant tried */
  uint64_t variant;   /* hash of its values, text, flags, compiler and compiler version */
  const char *values; /* "MR=6\nNR=64\n…": names and values, sorted by name */
  const char *compiler; /* with version */
  enum status status;
  const char *message;
  const double *samples;
  unsigned n_samples;
  double compile_seconds, verify_seconds, time_seconds;
  const void *features;
  size_t features_size; /* struct features; 0: unknown */
  double when;          /* unix time; of rows that were read */
};
/* What R holds of features; all NAN where it holds none. */
void record_features(const struct record *r, struct features *out);
struct summary {                  /* one tuning of one key */
  struct estimate original, best; /* from the final race */
  uint64_t winner;                /* variant; 0: the default stays */
  const char *values;             /* the winner's, as in record */
  const char *compiler;
  uint64_t object; /* xxh3 of the shared object's bytes; 0: none */
  unsigned tried, failed[STATUSES], total_hint; /* tried: none that was dropped */
  unsigned same; /* of these had the machine code of another, and were not run */
  double compile_seconds, verify_seconds, time_seconds, total_seconds;
  double flops, bytes;
  bool verified, inferred;  /* inferred: by sections that the user did not write */
  const char *search, *why; /* "exhaustive", "budget of 10 s spent" */
  double when;              /* unix time */
  uint64_t space;           /* as in struct identity */
  uint64_t text;            /* identity_text of the winner; 0: not known */
  const char *machine;      /* "l1d=32768 l2=… l3=… cores=8 …"; "": not known */
  const char *source; /* "": found here; else where from: "wisdom x.jsonl", "n = 512" */
};

/* How far a tuning is, for who looks on (`autotune report --follow`): the last that began
 * for a problem. */
enum phase { PHASE_SEARCH, PHASE_RACE, PHASE_ENDED, PHASES };
struct progress {
  enum phase phase;
  double began, until; /* unix time; when its budget will be spent */
  unsigned expected;   /* variants that it may try */
  double original;     /* seconds of the default */
  const char *why;     /* ended: what came of it, for people; else "" */
  const char *owner;   /* of rows that were read: its process (owner.c) */
  double when;         /* likewise: unix time of writing */
};

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
/* Is M no result of a tuning, but what runs until there is one? Its source says from
 * where. */
bool summary_is_provisional(const struct summary *m);

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
