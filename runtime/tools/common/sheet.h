/* SPDX-License-Identifier: Apache-2.0 */
/* sheet.h: output of text.c and follow.c: numbers, colours, wrapped lines and bars, as
 * far as the output can show them. */
#ifndef AUTOTUNE_SHEET_H
#define AUTOTUNE_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- look.c ---------------------------------------------------------------------- */

/* The abilities of the terminal or file that is written to; all 0: plain text. */
struct look {
  bool terminal; /* its cursor can be moved */
  bool drawn;    /* it gets bars, and lines as wide as it is */
  bool colour, unicode;
  unsigned columns, rows; /* 0: the defaults of plain text */
};
/* Determines the look from the environment and OUT. The caller must have set the locale's
 * LC_CTYPE. */
struct look sheet_look(FILE *out);

struct sheet {
  FILE *out;
  struct look look;
};

/* ---- pager.c --------------------------------------------------------------------- */

/* Shows TEXT with the pager of $AUTOTUNE_PAGER, $PAGER or `less -FRX`, and waits until
 * the user ends it. False: nothing was shown, since the user wants no pager or it cannot
 * be run. */
bool pager_show(const char *text, size_t size);

/* ---- words ----------------------------------------------------------------------- */

/* Returns how many columns TEXT takes: one for each character of UTF-8. */
size_t sheet_width(const char *text);

/* ---- colours --------------------------------------------------------------------- */

enum paint { PAINT_END, PAINT_BOLD, PAINT_DIM, PAINT_GOOD, PAINT_BAD, PAINT_DOUBT };
/* Returns the escape sequence that switches P on (PAINT_END: all off); "" without
 * colours. */
const char *sheet_paint(const struct sheet *s, enum paint p);
/* Returns how many columns a line has. */
size_t sheet_columns(const struct sheet *s);

/* ---- wrapped text ---------------------------------------------------------------- */

enum { LABEL = 13 };
struct wrapped {
  const struct sheet *sheet;
  size_t column, indent;
  bool first;
  enum paint paint; /* of the following pieces */
};
/* Prints COLUMN blanks and begins text there. Its further lines begin at INDENT. */
struct wrapped wrapped_begin(const struct sheet *s, size_t column, size_t indent);
/* Prints " LABEL" and begins wrapped text after it. */
struct wrapped wrapped_label(const struct sheet *s, const char *label);
/* Prints PIECE unbroken, after GAP blanks or on a new line. */
void wrapped_piece(struct wrapped *w, const char *piece, size_t gap);
/* Cleans TEXT, breaks it at blanks and prints it. */
void wrapped_text(struct wrapped *w, const char *text);
/* Prints "MR=6\nNR=64\n" as "MR=6 NR=64", without values that have no effect. */
void wrapped_values(struct wrapped *w, const char *values);
void sheet_line(const struct sheet *s, const char *label, const char *text);

/* ---- a line of a known width ----------------------------------------------------- */

/* Prints TEXT, which must be clean, in at most WIDTH columns. FILL: pads it with blanks
 * to WIDTH. */
void sheet_cut(const struct sheet *s, const char *text, size_t width, bool fill);
/* Prints a bar over FRACTION (0 to 1) of WIDTH columns, never empty. TRACK: also draws
 * the rest. */
void sheet_bar(const struct sheet *s, double fraction, size_t width, bool track);
/* Writes TEXT in ASCII only, for a terminal without UTF-8. */
void sheet_ascii(FILE *out, const char *text);

#endif
