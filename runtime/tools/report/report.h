/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: what `autotune report` prints: text.c, markdown.c, json.c (common) and page.c
 * show the analyses of what a store holds, follow.c what goes on now. */
#ifndef AUTOTUNE_REPORT_H
#define AUTOTUNE_REPORT_H

#include "tools/common/analysis.h"
#include "tools/common/sheet.h"

struct report_options {
  const char *folder, *kernel;
  bool json, markdown, verbose;
  struct look look;
  const char *html;    /* the file that a page is written to */
  const char *against; /* for the page: a store or a file of wisdom to compare with */
};
/* 0; 1: nothing was ever measured (said on OUT). */
int report_print(const struct report_options *o, FILE *out);

/* ---- follow.c -------------------------------------------------------------------- */

/* Shows the tunings that go on in a store, of this or other processes, until they have
 * ended. WAIT: seconds that one may take to begin, negative: for ever. 0; 1: none went
 * on. */
int report_follow(const struct report_options *o, double wait, FILE *out);

/* ---- page.c ---------------------------------------------------------------------- */

/* Returns why this program was built without the page, or NULL if it has it. */
const char *report_page_missing(void);

/* ---- inside ---------------------------------------------------------------------- */

void report_text(const struct report_options *o, const char *folder,
                 const struct listing *l, const struct analysis *all, FILE *out);
void report_markdown(const struct listing *l, const struct analysis *all, FILE *out);
/* Writes the page to O->html (whole or not at all) and says so on OUT. 0 or -1; why was
 * said. */
int report_page(const struct report_options *o, const char *folder,
                const struct listing *l, const struct analysis *all, FILE *out);

#endif
