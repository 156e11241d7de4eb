/* SPDX-License-Identifier: Apache-2.0 */
/* json.h: the report as JSON, for those who write it: json.c for programs, page.c for the
 * page. Texts of rows are cleaned. What is returned is the caller's; without memory parts
 * are missing. */
#ifndef AUTOTUNE_JSON_H
#define AUTOTUNE_JSON_H

#include <jansson.h>

#include "report.h"

/* ---- json.c ---------------------------------------------------------------------- */
json_t *json_report(const struct report_options *o, const char *folder,
                    const struct listing *l, const struct analysis *all);
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
