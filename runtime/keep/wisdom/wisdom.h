/* SPDX-License-Identifier: Apache-2.0 */
/* wisdom.h: winners as text, one JSON object a line, to commit beside a program or to
 * ship to a fleet. A line holds numbers and names, no code and no paths; docs/wisdom.md
 * says what each member is. A line is a hint: what is out of range, unknown or damaged is
 * no line. */
#ifndef AUTOTUNE_WISDOM_H
#define AUTOTUNE_WISDOM_H

#include "keep/store/store.h"
#include "keep/store/tables.h"

enum { WISDOM_FORMAT = 1, WISDOM_LONGEST = 1 << 16 /* bytes of a line */ };

/* One winner. Texts are in BLOCK, or, made from a row, in the listing that it came from.
 */
struct wisdom_entry {
  struct problem problem; /* its id is not set */
  struct summary summary; /* winner: not 0 where the default does not stay; no object */
  const char *origin;     /* the file, which must outlive the entry */
  unsigned line;          /* where in it; 0: from a store */
  char *block;
};
struct wisdom {
  struct wisdom_entry *entries;
  unsigned n, bad;
};

/* ---- line.c ---------------------------------------------------------------------- */
/* False: LINE of SIZE bytes is none, and WHY (of WHY_SIZE) says what is wrong. */
bool wisdom_parse(const char *line, size_t size, struct wisdom_entry *e, char *why,
                  size_t why_size);
/* The line without its end, malloc'ed; NULL: no memory, or it cannot be said in JSON. */
char *wisdom_print(const struct wisdom_entry *e);

/* ---- file.c ---------------------------------------------------------------------- */
/* How to complain of line LINE of FILE (0: of the file). */
typedef void wisdom_complain(void *data, const char *file, unsigned line,
                             const char *what);
/* Adds the lines of PATH, which must outlive W, to W; bad ones are complained of and
 * counted. 0, or -1 where the file cannot be read (complained of too). */
int wisdom_read(struct wisdom *w, const char *path, wisdom_complain *complain,
                void *data);
/* Takes E's block over. False: no memory. */
bool wisdom_add(struct wisdom *w, const struct wisdom_entry *e);
/* Adds what LISTING has, all of KERNELS (N of them; 0: all kernels). */
bool wisdom_add_listing(struct wisdom *w, const struct listing *l,
                        const char *const *kernels, unsigned n);
/* Sorts by identity; of those that say what is best for the same, the better one is left.
 */
void wisdom_sort(struct wisdom *w);
/* The order of lines; 0: they are of the same identity. */
int wisdom_compare(const struct wisdom_entry *a, const struct wisdom_entry *b);
/* Which of two lines of one identity is believed: verified before not, newer before
 * older, then whatever is the same everywhere. */
bool wisdom_better(const struct wisdom_entry *a, const struct wisdom_entry *b);
/* Has WRITE write WHAT to a file that is then called PATH, whole or not at all. 0 or -1
 * and errno; so says WRITE. */
int wisdom_write_file(const char *path, int (*write)(const void *what, FILE *f),
                      const void *what);
/* Writes all lines to PATH (whole or not at all), or to OUT where PATH is NULL. 0 or -1
 * and errno. */
int wisdom_write(const struct wisdom *w, const char *path, FILE *out);
void wisdom_free(struct wisdom *w);
/* What came of OURS and THEIRS since BASE (NULL: not known) into OUT, which refers to
 * their entries and owns none of them: free with wisdom_drop. False: no memory. */
bool wisdom_merge(const struct wisdom *ours, const struct wisdom *theirs,
                  const struct wisdom *base, struct wisdom *out);
void wisdom_drop(struct wisdom *w);

/* ---- wisdom.c: AUTOTUNE_WISDOM, in the program ----------------------------------- */
bool wisdom_given(void);
/* The line of exactly this identity, in the first file that has one; it lives as long as
 * the process. NULL: there is none; *WHY (malloc'ed) says how the nearest differs. */
const struct wisdom_entry *wisdom_find(const struct identity *id, char **why);
/* The nearest lines of the same kernel, vendor and instruction set, MOST (16 at most) of
 * them. How many. */
unsigned wisdom_near(const struct identity *id, const struct wisdom_entry **near,
                     unsigned most);
/* "wisdom x.jsonl of Intel(R) Xeon(R) … for n = 512". */
void wisdom_name(const struct wisdom_entry *e, const struct identity *id, char *text,
                 size_t size);

/* ---- recall.c: what is known of a call before anything is measured --------------- */
enum recall_kind {
  RECALL_NOTHING,
  RECALL_DEFAULT /* nothing beats it */,
  RECALL_OBJECT /* PATH is its code */,
  RECALL_POINT /* to be compiled and checked */,
  RECALL_PROVISIONAL /* PATH is its code; it runs until something is tuned */
};
struct recall {
  enum recall_kind kind;
  struct summary summary;   /* but NOTHING; texts are in STORED or ENTRY */
  choice point[MAX_PARAMS]; /* POINT */
  char *path;               /* OBJECT; NULL: it is lost */
  char why[512];            /* NOTHING: how the nearest differs; may be empty */
  char source[96];          /* "wisdom x.jsonl"; "": found here */
  struct summary stored;
  const struct wisdom_entry *entry;
};
/* LOCKED: nothing will be measured, so that what is known holds although there are more
 * candidates. At most WAIT seconds are spent on other processes' locks. */
void recall_find(const struct autotune_kernel *k, const struct identity *id, bool locked,
                 double wait, struct recall *out);
void recall_free(struct recall *k);

#endif
