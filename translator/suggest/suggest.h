/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.h: suggests pragmas for a function, as a patch.
 *
 *   band.c    decides what the dependences and variables of a chain of loops allow
 *   work.c    estimates how many operations a loop takes
 *   once.c    finds functions that only set up data
 *   plan.c    chooses directives that use this, with sets for this machine
 *   patch.c   inserts lines into a file, as a unified diff
 *
 * command/suggest.c finds the functions and reports the assumptions. */
#ifndef AUTOTUNE_SUGGEST_H
#define AUTOTUNE_SUGGEST_H

#include "autotune_abi.h"
#include "front/analysis/analysis.h"

/* ---- band.c ---------------------------------------------------------------------- */

enum { MAX_ORDERS = 2 };
struct band { /* loops, each directly in the one before, that directives may stand on */
  struct iter *loops[MAX_LEVELS];
  unsigned n;
  struct vectors v;
  struct scalar *sums; /* of variables declared outside of the band */
  unsigned n_sums;
  struct scalar *own; /* variables that are private to each iteration */
  unsigned n_own;
  /* the best; then the source's, if that is another */
  unsigned orders[MAX_ORDERS][MAX_LEVELS];
  unsigned n_orders;
  unsigned cost;   /* of the best order */
  bool parallel;   /* the outermost loop of each order may run in parallel */
  bool permutable; /* any order, tile or jam is correct */
  bool leaf;       /* the innermost loop contains no loop */
};
struct reuse { /* how the iterations of a band use elements */
  bool again;  /* several iterations use the same element */
  bool near;   /* they use neighbouring elements */
  bool far;    /* neighbouring iterations use elements far apart */
};
/* Sets all fields of B but its loops. SHARED: threads share a loop around it. Returns
 * false if the loops within its first one may do better; *WHY and *AT then say why B
 * cannot be used. */
bool band_fill(struct model *m, struct band *b, bool shared, const char **why,
               TSNode *at);
struct reuse band_reuse(const struct model *m, const struct band *b);
/* True if no loop's bounds depend on the variable of another. */
bool band_is_rectangular(const struct band *b);

/* ---- work.c ---------------------------------------------------------------------- */

/* Returns how many operations N takes at most, a loop or a statement, for one entry;
 * infinite: N's loops have bounds that are no numbers, or N calls what is not known. */
double work_of(const struct model *m, TSNode n);
/* Returns how often LOOP's body runs at most for one entry; infinite: not known. */
double work_trips(const struct model *m, TSNode loop);

/* ---- once.c ---------------------------------------------------------------------- */

/* True if F, a function of S whose model is M, only fills arrays with values that it
 * computes of its counters and arguments, and the program runs it once: `main` leads to
 * it by one call each, outside of loops. */
bool once_sets_up(const struct source *s, const struct model *m);

/* ---- plan.c ---------------------------------------------------------------------- */

struct insertion {
  size_t offset;    /* in the file: before the line that contains it … */
  const char *text; /* … insert these lines */
};
struct plan {
  struct insertion *list;
  unsigned n;
  bool threads;       /* a directive uses the param of that name */
  struct note *notes; /* loops that stay as they are, and why */
  unsigned n_notes;
};
/* THREADS is the name for the param that sets the number of threads. */
struct plan plan_function(struct model *m, const char *threads);
const struct autotune_machine *plan_machine(void);

/* ---- patch.c --------------------------------------------------------------------- */

/* Writes the text of S with the lines of LIST inserted. LIST must be sorted by offset. */
void patch_apply(const struct source *s, const struct insertion *list, unsigned n,
                 struct text *out);
/* The same as a unified diff. */
void patch_write(const struct source *s, const struct insertion *list, unsigned n,
                 struct text *out);

#endif
