/* SPDX-License-Identifier: Apache-2.0 */
/* clean.h: makes texts of stored rows safe to print on a terminal. The store's file may
 * have been written by anybody. */
#ifndef AUTOTUNE_CLEAN_H
#define AUTOTUNE_CLEAN_H

/* Returns a copy of S with valid UTF-8 and without control characters; never NULL ("?"
 * without memory). Free with clean_free. */
char *clean_text(const char *s);
void clean_free(char *s);
/* The same for the first line of S. */
char *clean_line(const char *s);
/* Returns "NAME=VALUE" of S, cleaned; NULL: S has no effect given VALUES (value.h). Free
 * with clean_free. */
struct named_value;
char *clean_value(const char *values, const struct named_value *s);
/* Writes WHEN (unix time) as "2026-01-31 12:00", local time, or "?" if it is not a time.
 * Returns TEXT. */
enum { CLEAN_MOMENT = 32 };
const char *clean_moment(char text[CLEAN_MOMENT], double when);

#endif
