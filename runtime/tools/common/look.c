// SPDX-License-Identifier: Apache-2.0
// look.c: finds what the output of a report can show: colours, block characters if the
// locale has them, and the number of columns.
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/terminal.h"
#include "sheet.h"

enum { FEWEST_COLUMNS = 40, MOST_COLUMNS = 160, USUAL_COLUMNS = 80, USUAL_ROWS = 24 };

// Returns the value of COLUMNS or LINES, as shells set them; 0: unset or no number.
static unsigned number_of(const char *name) {
  const char *value = getenv(name);
  char *end;
  long n = value ? strtol(value, &end, 10) : 0;
  return value && end != value && !*end && n > 0 && n < 10000 ? (unsigned)n : 0;
}

struct look sheet_look(FILE *out) {
  struct winsize w = { 0 };
  bool terminal = terminal_is(out);
  if (!terminal && !terminal_forced())
    return (struct look){ 0 };
  if (terminal && ioctl(fileno(out), TIOCGWINSZ, &w) != 0)
    w = (struct winsize){ 0 };
  unsigned columns = number_of("COLUMNS"), rows = number_of("LINES");
  columns = columns ? columns : w.ws_col ? w.ws_col : USUAL_COLUMNS;
  rows = rows ? rows : w.ws_row ? w.ws_row : USUAL_ROWS;
  return (struct look){
    .terminal = terminal,
    .drawn = true,
    .colour = terminal_coloured(out),
    .unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
    .columns = columns < FEWEST_COLUMNS ? FEWEST_COLUMNS
        : columns > MOST_COLUMNS        ? MOST_COLUMNS
                                        : columns,
    .rows = rows,
  };
}
