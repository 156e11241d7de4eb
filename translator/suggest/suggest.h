/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.h: which pragmas a function may have, as a patch.
 *
 *   band.c    what the dependences and variables of a chain of loops allow
 *   plan.c    directives that make use of it, with sets for this machine
 *   patch.c   lines put into a file, as a unified diff
 *
 * command/suggest.c finds the functions and says what was assumed. */
#ifndef AUTOTUNE_SUGGEST_H
#define AUTOTUNE_SUGGEST_H

#include "autotune_abi.h"
#include "front/analysis/analysis.h"

/* ---- band.c ---------------------------------------------------------------------- */

enum { MAX_ORDERS = 2 };
struct band { /* loops, each right in the one before, that directives may stand on */
  struct iter *loops[MAX_LEVELS];
  unsigned n;
  struct vectors v;
  struct scalar *sums; /* of variables declared outside of it */
  unsigned n_sums;
  struct scalar *own; /* variables that each iteration gets for itself */
  unsigned n_own;
  unsigned orders[MAX_ORDERS]
                 [MAX_LEVELS]; /* the best; the source's, where it is not that */
  unsigned n_orders;
  unsigned cost;   /* of the best */
  bool parallel;   /* the outermost loop of each order may run in parallel */
  bool permutable; /* any order, tile or jam is right */
  bool leaf;       /* no loop is in the innermost one */
};
struct reuse { /* of elements, in the iterations of a band */
  bool again;  /* several iterations use one */
  bool near;   /* they use neighbours */
  bool far;    /* neighbouring iterations use elements far apart */
};
/* Fills in all of B but its loops. SHARED: threads share out a loop around it. False: the
 * loops inside of its first one may do better; *WHY, *AT: what is in the way. */
bool band_fill(struct model *m, struct band *b, bool shared, const char **why,
               TSNode *at);
struct reuse band_reuse(const struct model *m, const struct band *b);
/* True if no loop's bounds depend on another's variable. */
bool band_is_rectangular(const struct band *b);

/* ---- plan.c ---------------------------------------------------------------------- */

struct insertion {
  size_t offset;    /* in the file: before the line that this is in … */
  const char *text; /* … come these lines */
};
struct plan {
  struct insertion *list;
  unsigned n;
  bool threads;       /* the param of that name is used */
  struct note *notes; /* what was left as it is, and why */
  unsigned n_notes;
};
/* THREADS: a name for the param that says how many threads there are. */
struct plan plan_function(struct model *m, const char *threads);
const struct autotune_machine *plan_machine(void);

/* ---- patch.c --------------------------------------------------------------------- */

/* Writes the text of S with the lines of LIST put in. LIST is sorted by offset. */
void patch_apply(const struct source *s, const struct insertion *list, unsigned n,
                 struct text *out);
/* The same as a unified diff. */
void patch_write(const struct source *s, const struct insertion *list, unsigned n,
                 struct text *out);

#endif
