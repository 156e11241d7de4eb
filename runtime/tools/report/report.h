/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: what `autotune report` prints. analysis.c draws conclusions from rows;
 * text.c, markdown.c, json.c and page.c show them, follow.c what goes on now. Texts of
 * rows come from a file that anybody may have written: report_clean makes them harmless
 * to a terminal before they are printed. */
#ifndef AUTOTUNE_REPORT_H
#define AUTOTUNE_REPORT_H

#include "keep/store/tables.h"

/* ---- look.c ---------------------------------------------------------------------- */

/* What is written to can show; all 0: plain text. */
struct look {
  bool terminal; /* its cursor can be moved */
  bool drawn;    /* bars, and lines as wide as it is */
  bool colour, unicode;
  unsigned columns, rows; /* 0: as plain text is */
};
/* As the environment and OUT have it. The caller has set the locale's LC_CTYPE. */
struct look report_look(FILE *out);

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

/* Was this program built with the page? Else why not, for people. */
const char *report_page_missing(void);

/* ---- inside ---------------------------------------------------------------------- */

/* The best median among the N variants that had VALUE. */
struct best_value {
  const char *value;
  double best;
  unsigned n;
};
struct influence {
  const char *name;
  struct best_value *values;
  unsigned n_values;
  const char *chosen; /* the winner's value, or NULL */
  double ratio;       /* the worst of the best over the best of the best */
};
struct analysis {
  const struct listed *item;
  struct estimate *estimates;  /* of each record */
  unsigned statuses[STATUSES]; /* of the tuning where one ended, else of all records */
  const struct record *example[STATUSES];
  unsigned tried;
  unsigned *order, n_order; /* records that are right, the fastest first */
  unsigned n_running;       /* being tried by a living process */
  struct influence *params;
  unsigned n_params; /* the most influential first */
  struct estimate original, best;
  bool has_original, has_best;
  char *block; /* copies that names and values point into */
};
/* 0 or -1 (no memory). */
int analysis_make(struct analysis *a, const struct listed *item);
void analysis_free(struct analysis *a);

/* "NAME=VALUE" of S, cleaned; NULL: S does not matter among VALUES (value.h). Free with
 * report_clean_free. */
struct named_value;
char *report_value(const char *values, const struct named_value *s);

/* A copy fit for a terminal: valid UTF-8, no control characters; never NULL ("?" without
 * memory). The caller frees it with report_clean_free. */
char *report_clean(const char *s);
void report_clean_free(char *s);
/* "2026-01-31 12:00", of this place; "?" where WHEN (unix time) is none. */
enum { REPORT_MOMENT = 32 };
const char *report_moment(char text[REPORT_MOMENT], double when);
/* Fewer than six runs have no 95 % interval of their median (stats.c). */
bool report_has_interval(struct estimate e);
/* How many of FATES failed: neither right nor dropped. */
unsigned report_count_failed(const unsigned statuses[STATUSES]);
/* The first line of MESSAGE, cleaned. */
char *report_first_line(const char *message);

void report_text(const struct report_options *o, const char *folder,
                 const struct listing *l, const struct analysis *all, FILE *out);
void report_markdown(const struct listing *l, const struct analysis *all, FILE *out);
/* 0 or -1. */
int report_json(const struct report_options *o, const char *folder,
                const struct listing *l, const struct analysis *all, FILE *out);

/* Writes the page to O->html (whole or not at all) and says so on OUT. 0 or -1; why was
 * said. */
int report_page(const struct report_options *o, const char *folder,
                const struct listing *l, const struct analysis *all, FILE *out);

#endif
