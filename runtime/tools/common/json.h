/* SPDX-License-Identifier: Apache-2.0 */
/* json.h: what is known of all problems as JSON (docs/report.md), for those who write it:
 * report, its page, tune. Texts of rows are cleaned. What is returned is the caller's;
 * without memory parts are missing. */
#ifndef AUTOTUNE_JSON_H
#define AUTOTUNE_JSON_H

#include <jansson.h>

#include "analysis.h"

/* ---- json.c ---------------------------------------------------------------------- */
json_t *json_report(bool verbose, const char *folder, const struct listing *l,
                    const struct analysis *all);
/* Prints it. 0 or -1. */
int json_print(bool verbose, const char *folder, const struct listing *l,
               const struct analysis *all, FILE *out);
/* Prints that of nothing. */
void json_print_empty(FILE *out);
/* A result of which there are no rows: what it is of, both times, the winner's values. */
json_t *json_result(const struct problem *p, const struct summary *m);
json_t *json_text(const char *s);
/* "MR=6\nNR=64\n" as {"MR": "6", "NR": "64"}. */
json_t *json_parameters(const char *values);
/* "right", "compile", … */
extern const char *const json_statuses[STATUSES];

/* ---- columns.c ------------------------------------------------------------------- */
/* All records of A, a list for each property, each text only once: 50 000 of them are 5
 * MB. */
json_t *json_columns(const struct analysis *a);

#endif
