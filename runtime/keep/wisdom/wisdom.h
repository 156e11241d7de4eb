/* SPDX-License-Identifier: Apache-2.0 */
/* wisdom.h: winners as text, one JSON object a line, to commit together with a program or
 * to ship to a fleet. A line holds numbers and names, no code and no paths;
 * docs/wisdom.md describes each member. A line is a hint: a line that is out of range,
 * unknown or damaged is ignored. */
#ifndef AUTOTUNE_WISDOM_H
#define AUTOTUNE_WISDOM_H

#include "keep/store/store.h"
#include "keep/store/tables.h"

enum { WISDOM_FORMAT = 1, WISDOM_LONGEST = 1 << 16 /* bytes of a line */ };

/* One winner. Its texts are in BLOCK; those of an entry made from a row are in the
 * listing that it came from. */
struct wisdom_entry {
  struct problem problem; /* its id is not set */
  struct summary summary; /* winner: 0 only where the default stays; no object */
  const char *origin;     /* the file, which must outlive the entry */
  unsigned line;          /* its line in the file; 0: the entry is from a store */
  enum stale stale;       /* of an entry from a store */
  char *block;
};
struct wisdom {
  struct wisdom_entry *entries;
  unsigned n, bad;
};

/* ---- line.c ---------------------------------------------------------------------- */
/* Reads LINE of SIZE bytes into E, whose block the caller frees. False: the line is not
 * valid, and WHY (of WHY_SIZE) says what is wrong. */
bool wisdom_parse(const char *line, size_t size, struct wisdom_entry *e, char *why,
                  size_t why_size);
/* Returns the line without its newline, malloc'ed. NULL: no memory, or E cannot be
 * written as JSON. */
char *wisdom_print(const struct wisdom_entry *e);

/* ---- file.c ---------------------------------------------------------------------- */
/* Reports that line LINE of FILE is bad (LINE 0: the file is). */
typedef void wisdom_complain(void *data, const char *file, unsigned line,
                             const char *what);
/* Adds the lines of PATH to W. PATH must outlive W. Reports and counts bad lines. 0,
 * or -1 where the file cannot be read, which is reported, too. */
int wisdom_read(struct wisdom *w, const char *path, wisdom_complain *complain,
                void *data);
/* Adds E and takes over its block. False: no memory. */
bool wisdom_add(struct wisdom *w, const struct wisdom_entry *e);
/* Adds the winners in LISTING of the N kernels KERNELS (0: of all kernels). False: no
 * memory. */
bool wisdom_add_listing(struct wisdom *w, const struct listing *l,
                        const char *const *kernels, unsigned n);
/* Sorts by identity. Of entries with the same identity, only the better one is left. */
void wisdom_sort(struct wisdom *w);
/* Compares two lines by identity, as qsort wants it; 0: they have the same identity. */
int wisdom_compare(const struct wisdom_entry *a, const struct wisdom_entry *b);
/* True if A is believed rather than B, which has the same identity: a verified line
 * before one that is not, then a newer before an older, then by an order that is the same
 * on every machine. */
bool wisdom_better(const struct wisdom_entry *a, const struct wisdom_entry *b);
/* Lets WRITE write WHAT to a temporary file and renames it to PATH, so that PATH is
 * written as a whole or not at all. Returns 0, or -1 and errno; WRITE returns the
 * same. */
int wisdom_write_file(const char *path, int (*write)(const void *what, FILE *f),
                      const void *what);
/* Writes all lines to PATH (as a whole or not at all), or to standard output if PATH is
 * NULL. 0, or -1 and errno. */
int wisdom_write(const struct wisdom *w, const char *path);
void wisdom_free(struct wisdom *w);
/* Merges OURS and THEIRS, which both come from BASE (NULL: not known), into OUT. OUT
 * refers to their entries and owns none of them: free it with wisdom_drop. False: no
 * memory. */
bool wisdom_merge(const struct wisdom *ours, const struct wisdom *theirs,
                  const struct wisdom *base, struct wisdom *out);
void wisdom_drop(struct wisdom *w);

/* ---- wisdom.c: AUTOTUNE_WISDOM, in the program ----------------------------------- */
bool wisdom_given(void);
/* Returns the line of exactly this identity, from the first file that has one; it lives
 * as long as the process. NULL: there is none; *WHY (malloc'ed) says how the nearest
 * differs. Any thread. */
const struct wisdom_entry *wisdom_find(const struct identity *id, char **why);
/* Calls SEE for each line that differs from ID only in the values of the key. */
void wisdom_keys(const struct identity *id,
                 void (*see)(const struct wisdom_entry *e, void *data), void *data);
/* Does the same as store_agreed with the lines of wisdom (agreed.c). */
bool wisdom_agreed(const struct identity *id, struct agreement *agreement,
                   struct summary *out, char *why, size_t size);
/* Sets NEAR to the nearest lines of the same kernel, at most MOST (no more than 16):
 * those of this machine first, then those of its instruction set. Returns their number.
 */
unsigned wisdom_near(const struct identity *id, const struct wisdom_entry **near,
                     unsigned most);
/* Writes "wisdom x.jsonl of Intel(R) Xeon(R) … for n = 512" to TEXT. */
void wisdom_name(const struct wisdom_entry *e, const struct identity *id, char *text,
                 size_t size);

/* ---- recall.c: results known before anything is measured ------------------------- */
enum recall_kind {
  RECALL_NOTHING,
  RECALL_DEFAULT /* no variant beats it */,
  RECALL_OBJECT /* PATH is its code */,
  RECALL_POINT /* it must be compiled and checked first */,
  RECALL_PROVISIONAL /* PATH is its code; it runs until a tuning is done */
};
struct recall {
  enum recall_kind kind;
  struct summary summary;   /* not set for NOTHING; its texts are in STORED or ENTRY */
  choice point[MAX_PARAMS]; /* set for POINT */
  char *path;               /* set for OBJECT and PROVISIONAL; NULL: the file is lost */
  char why[512];            /* for NOTHING: how the nearest differs; may be empty */
  char source[192];         /* "wisdom x.jsonl"; "": found here */
  unsigned keys;            /* for NOTHING: how many keys of the kernel the store knows */
  double found; /* for NOTHING: how many times as fast as the default a variant was, in a
                   tuning that did not come to its end; 0: none */
  struct summary stored;
  struct service service; /* of the winner, without texts; only its variant: nothing is
                             known */
  bool trusted;           /* OBJECT: of other keys; it was not compared for this one */
  bool suspect; /* POINT: the last process ended in its first call of the winner */
  bool revoked; /* nothing is recalled, because the winner was revoked; WHY says more */
  const struct wisdom_entry *entry;
};
/* Finds what is known of a call of K for ID; free OUT with recall_free. LOCKED: nothing
 * will be measured, so a winner holds although candidates were added. Waits at most WAIT
 * seconds for other processes' locks. */
void recall_find(const struct autotune_kernel *k, const struct identity *id, bool locked,
                 double wait, struct recall *out);
void recall_free(struct recall *k);

#endif
