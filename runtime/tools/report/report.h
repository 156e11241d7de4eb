/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: `autotune report`: overview.c, text.c and winner.c, assembly.c, history.c,
 * markdown.c, json.c (common) and page.c show the analyses of a store, follow.c shows
 * running tunings. */
#ifndef AUTOTUNE_REPORT_H
#define AUTOTUNE_REPORT_H

#include "tools/common/analysis.h"
#include "tools/common/sheet.h"

/* A tuning that goes on, as far as the page says it. */
struct live_tuning {
  int64_t problem;
  const char *name; /* "matmul, n = 1024" */
  unsigned tried;
  double best; /* cost; 0: no variant was right yet */
};
struct live {
  const struct live_tuning *tunings;
  unsigned n;
  double every; /* seconds, at least, until the page is written again */
};
struct report_options {
  const char *folder, *kernel;
  bool json, markdown, assembly, history, verbose, follow, no_pager;
  struct look look;
  const char *html;    /* the file that a page is written to */
  const char *against; /* for the page: a store or a file of wisdom to compare with */
  bool undisturbed;    /* for the page: tunings may go on, which measuring the machine's
                          limits would disturb, and so it is not done */
  const struct live *live; /* the page is written again soon; NULL: it is not */
};
/* Prints the report of O. Returns 0; 1: nothing was ever measured (said on OUT). */
int report_print(const struct report_options *o, FILE *out);

/* ---- follow.c -------------------------------------------------------------------- */

/* Shows the running tunings of a store, of any process, until they have ended. Waits at
 * most WAIT seconds for one to begin (negative: for ever). With O->html it writes the
 * page whenever something changed, and once more at the end, also after SIGINT, SIGTERM
 * and SIGHUP. Returns 0; 1: none ran, or the page cannot be written. */
int report_follow(const struct report_options *o, double wait, FILE *out);

/* ---- page.c ---------------------------------------------------------------------- */

/* Returns why this program was built without the page, or NULL if it has it. */
const char *report_page_missing(void);

/* ---- inside ---------------------------------------------------------------------- */

/* Prints which variant of A runs, and how it was checked (winner.c). */
void report_winner(const struct sheet *s, const struct analysis *a);
/* Return why the default stays, of a tuning that ended without a winner, and what runs
 * for ITEM, whose tuning did not end; malloc'ed. */
char *report_stays(const struct analysis *a);
char *report_unfinished(const struct listed *item);
/* Prints a line for each result, and one that says why (overview.c). */
void report_overview(const struct sheet *s, const struct listing *l,
                     const struct analysis *all);
void report_text(const struct report_options *o, const char *folder,
                 const struct listing *l, const struct analysis *all, FILE *out);
void report_markdown(const struct listing *l, const struct analysis *all, FILE *out);
/* Prints the main loops of winners and defaults, side by side if they fit
 * (assembly.c). */
void report_assembly(const struct report_options *o, const struct listing *l, FILE *out);
/* Prints all results of L, one in a line, the newest first (history.c). */
void report_history(const struct sheet *s, const struct listing *l,
                    const struct analysis *all);
/* Writes the page to O->html (whole or not at all) and says so on OUT. Returns 0, or -1
 * after a message. */
int report_page(const struct report_options *o, const char *folder,
                const struct listing *l, const struct analysis *all, FILE *out);

#endif
