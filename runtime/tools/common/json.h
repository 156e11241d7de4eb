/* SPDX-License-Identifier: Apache-2.0 */
/* json.h: all stored results as JSON (docs/report.md), for report, its page and tune.
 * Texts of rows are cleaned. The caller owns returned values; without memory parts are
 * missing. */
#ifndef AUTOTUNE_JSON_H
#define AUTOTUNE_JSON_H

#include <jansson.h>

#include "analysis.h"

/* ---- json.c ---------------------------------------------------------------------- */
json_t *json_report(bool verbose, const char *folder, const struct listing *l,
                    const struct analysis *all);
/* Prints json_report. Returns 0 or -1. */
int json_print(bool verbose, const char *folder, const struct listing *l,
               const struct analysis *all, FILE *out);
/* Prints the report of an empty store. */
void json_print_empty(FILE *out);
/* Returns a result without rows: its problem, both times, the winner's values. */
json_t *json_result(const struct problem *p, const struct summary *m);
json_t *json_text(const char *s);

/* ---- columns.c ------------------------------------------------------------------- */
/* Returns all records of A as columns: a list for each property, and each text only once.
 * 50 000 records take 5 MB. */
json_t *json_columns(const struct analysis *a);

#endif
