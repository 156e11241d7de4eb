/* SPDX-License-Identifier: Apache-2.0 */
/* sheet.h: what text.c and follow.c write on: numbers, colours, wrapped lines and bars,
 * as far as what is written to can show them. */
#ifndef AUTOTUNE_SHEET_H
#define AUTOTUNE_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- look.c ---------------------------------------------------------------------- */

/* What the terminal or file that is written to can show; all 0: plain text. */
struct look {
  bool terminal; /* its cursor can be moved */
  bool drawn;    /* bars, and lines as wide as it is */
  bool colour, unicode;
  unsigned columns, rows; /* 0: as plain text is */
};
/* By the environment and OUT. The caller must have set the locale's LC_CTYPE. */
struct look sheet_look(FILE *out);

struct sheet {
  FILE *out;
  struct look look;
};

/* ---- words ----------------------------------------------------------------------- */

/* Columns that TEXT takes: continuation bytes of UTF-8 take none. */
size_t sheet_width(const char *text);

/* ---- colours --------------------------------------------------------------------- */

enum paint { PAINT_END, PAINT_BOLD, PAINT_DIM, PAINT_GOOD, PAINT_BAD, PAINT_DOUBT };
/* Returns the characters that switch PAINT on, or all off; "" without colours. */
const char *sheet_paint(const struct sheet *s, enum paint p);
/* How many columns there are. */
size_t sheet_columns(const struct sheet *s);

/* ---- wrapped text ---------------------------------------------------------------- */

enum { LABEL = 13 };
struct wrapped {
  const struct sheet *sheet;
  size_t column, indent;
  bool first;
  enum paint paint; /* of the pieces to come */
};
/* Behind "  LABEL". */
struct wrapped wrapped_label(const struct sheet *s, const char *label);
/* A piece that is not broken, after GAP blanks or on a line of its own. */
void wrapped_piece(struct wrapped *w, const char *piece, size_t gap);
/* Breaks TEXT, cleaned, at blanks. */
void wrapped_text(struct wrapped *w, const char *text);
/* "MR=6\nNR=64\n" as "MR=6  NR=64", only what matters. */
void wrapped_values(struct wrapped *w, const char *values);
void sheet_line(const struct sheet *s, const char *label, const char *text);

/* ---- a line of a known width ----------------------------------------------------- */

/* TEXT, which is clean, in at most WIDTH columns, and blanks up to it where FILL. */
void sheet_cut(const struct sheet *s, const char *text, size_t width, bool fill);
/* A bar of SHARE (0 to 1) of WIDTH columns; at least its beginning is seen. TRACK: the
 * rest, too. */
void sheet_bar(const struct sheet *s, double fraction, size_t width, bool track);
/* Writes TEXT with nothing but ASCII: what a terminal without UTF-8 is given. */
void sheet_ascii(FILE *out, const char *text);

#endif
