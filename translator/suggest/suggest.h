/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.h: which pragmas a function may have, as a patch.
 *
 *   plan.c    directives that the dependences allow, with sets for this machine
 *   patch.c   lines put into a file, as a unified diff
 *
 * command/suggest.c finds the functions and says what was assumed. */
#ifndef AUTOTUNE_SUGGEST_H
#define AUTOTUNE_SUGGEST_H

#include "autotune_abi.h"
#include "front/analysis/analysis.h"

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
