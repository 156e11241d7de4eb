/* SPDX-License-Identifier: Apache-2.0 */
/* clean.h: texts of rows come from a file that anybody may have written: these make them
 * harmless to a terminal before they are printed. */
#ifndef AUTOTUNE_CLEAN_H
#define AUTOTUNE_CLEAN_H

/* A copy fit for a terminal: valid UTF-8, no control characters; never NULL ("?" without
 * memory). Free with clean_free. */
char *clean_text(const char *s);
void clean_free(char *s);
/* The same of the first line of S. */
char *clean_line(const char *s);
/* "NAME=VALUE" of S, cleaned; NULL: S does not matter among VALUES (value.h). Free with
 * clean_free. */
struct named_value;
char *clean_value(const char *values, const struct named_value *s);
/* "2026-01-31 12:00", of this place; "?" if WHEN (unix time) is no time. */
enum { CLEAN_MOMENT = 32 };
const char *clean_moment(char text[CLEAN_MOMENT], double when);

#endif
