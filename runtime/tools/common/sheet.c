// SPDX-License-Identifier: Apache-2.0
// sheet.c: prints colours, wrapped lines and bars.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clean.h"
#include "model/value.h"
#include "sheet.h"

enum { PLAIN_COLUMNS = 100 };

// ---- words --------------------------------------------------------------------------

size_t sheet_width(const char *text) {
  size_t n = 0;
  for (; *text; text++)
    n += (*text & 0xc0) != 0x80;
  return n;
}

// ---- colours ------------------------------------------------------------------------

const char *sheet_paint(const struct sheet *s, enum paint p) {
  static const char *const codes[] = {
    [PAINT_END] = "\033[0m",   [PAINT_BOLD] = "\033[1m", [PAINT_DIM] = "\033[2m",
    [PAINT_GOOD] = "\033[32m", [PAINT_BAD] = "\033[31m", [PAINT_DOUBT] = "\033[33m",
  };
  return s->look.colour ? codes[p] : "";
}

size_t sheet_columns(const struct sheet *s) {
  return s->look.columns ? s->look.columns : PLAIN_COLUMNS;
}

// ---- wrapped text -------------------------------------------------------------------

struct wrapped wrapped_begin(const struct sheet *s, size_t column, size_t indent) {
  fprintf(s->out, "%*s", (int)column, "");
  return (
      struct wrapped){ .sheet = s, .column = column, .indent = indent, .first = true };
}

struct wrapped wrapped_label(const struct sheet *s, const char *label) {
  fprintf(s->out, "  %s%-*s%s", sheet_paint(s, PAINT_DIM), LABEL, label,
          sheet_paint(s, PAINT_END));
  return (struct wrapped){
    .sheet = s, .column = LABEL + 2, .indent = LABEL + 2, .first = true
  };
}

void wrapped_piece(struct wrapped *w, const char *piece, size_t gap) {
  FILE *out = w->sheet->out;
  size_t n = sheet_width(piece);
  if (!w->first && w->column + gap + n > sheet_columns(w->sheet)) {
    fprintf(out, "\n%*s", (int)w->indent, "");
    w->column = w->indent;
  } else if (!w->first) {
    fprintf(out, "%*s", (int)gap, "");
    w->column += gap;
  }
  fputs(w->paint ? sheet_paint(w->sheet, w->paint) : "", out);
  fputs(piece, out);
  fputs(w->paint ? sheet_paint(w->sheet, PAINT_END) : "", out);
  w->column += n;
  w->first = false;
}

void wrapped_text(struct wrapped *w, const char *text) {
  char *clean = clean_text(text), *rest = clean;
  for (char *word; (word = strsep(&rest, " "));)
    if (*word)
      wrapped_piece(w, word, 1);
  clean_free(clean);
}

void wrapped_values(struct wrapped *w, const char *values) {
  const char *at = values;
  for (struct named_value s; value_next(&at, &s);) {
    char *clean = clean_value(values, &s);
    if (clean && w->indent + sheet_width(clean) > sheet_columns(w->sheet))
      wrapped_text(w, clean); // several flags
    else if (clean)
      wrapped_piece(w, clean, 2);
    clean_free(clean);
  }
}

void sheet_line(const struct sheet *s, const char *label, const char *text) {
  struct wrapped w = wrapped_label(s, label);
  wrapped_text(&w, text);
  fputc('\n', s->out);
}

// ---- a line of a known width --------------------------------------------------------

// Returns the bytes of the first N characters of TEXT.
static size_t sheet_bytes_of(const char *text, size_t n) {
  size_t i = 0;
  for (; text[i]; i++)
    if ((text[i] & 0xc0) != 0x80 && n-- == 0)
      break;
  return i;
}

void sheet_cut(const struct sheet *s, const char *text, size_t width, bool fill) {
  size_t n = sheet_width(text);
  if (n <= width)
    fputs(text, s->out);
  else if (width > 0)
    fprintf(s->out, "%.*s%s", (int)sheet_bytes_of(text, width - 1), text,
            s->look.drawn && !s->look.unicode ? "~" : "…");
  if (fill && n < width)
    fprintf(s->out, "%*s", (int)(width - n), "");
}

void sheet_bar(const struct sheet *s, double fraction, size_t width, bool track) {
  static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
  bool fine = s->look.unicode;
  fraction = fraction >= 0 && fraction <= 1 ? fraction : fraction > 1;
  size_t parts = (size_t)lround(fraction * (double)width * 8);
  parts = fine ? parts + (parts == 0) : (parts + 4) / 8 * 8;
  parts = parts ? parts : 8;
  parts = parts < 8 * width ? parts : 8 * width;
  for (size_t i = 0; i < parts / 8; i++)
    fputs(fine ? "█" : "#", s->out);
  fputs(eighths[parts % 8], s->out);
  if (!track)
    return;
  fputs(sheet_paint(s, PAINT_DIM), s->out);
  for (size_t i = (parts + 7) / 8; i < width; i++)
    fputs(fine ? "░" : "-", s->out);
  fputs(sheet_paint(s, PAINT_END), s->out);
}

// ---- without UTF-8 ------------------------------------------------------------------

void sheet_ascii(FILE *out, const char *text) {
  static const struct {
    const char *from, *to;
  } known[] = {
    { "…", "..." }, { "·", "-" }, { "µ", "u" }, { "→", "->" }, { "×", "x" },
  };
  while (*text) {
    size_t n = sheet_bytes_of(text, 1), k = sizeof known / sizeof *known;
    while (k-- > 0 && (strlen(known[k].from) != n || memcmp(known[k].from, text, n) != 0))
      ;
    if (n == 1)
      fputc(*text, out);
    else
      fputs(k < sizeof known / sizeof *known ? known[k].to : "?", out);
    text += n;
  }
}
