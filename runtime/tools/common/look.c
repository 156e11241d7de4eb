// SPDX-License-Identifier: Apache-2.0
// look.c: finds what the output of a report can show: colours by NO_COLOR, CLICOLOR,
// CLICOLOR_FORCE and TERM, block characters if the locale has them, and the number of
// columns.
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sheet.h"

enum { FEWEST_COLUMNS = 40, MOST_COLUMNS = 160, USUAL_COLUMNS = 80, USUAL_ROWS = 24 };

static bool is_set(const char *name) {
  const char *value = getenv(name);
  return value && *value;
}

static bool is_zero(const char *name) {
  const char *value = getenv(name);
  return value && strcmp(value, "0") == 0;
}

// Returns the value of COLUMNS or LINES, as shells set them; 0: unset or no number.
static unsigned number_of(const char *name) {
  const char *value = getenv(name);
  char *end;
  long n = value ? strtol(value, &end, 10) : 0;
  return value && end != value && !*end && n > 0 && n < 10000 ? (unsigned)n : 0;
}

static bool is_terminal(FILE *out) {
  const char *term = getenv("TERM");
  int fd = fileno(out);
  return fd >= 0 && isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

struct look sheet_look(FILE *out) {
  struct winsize w = { 0 };
  bool terminal = is_terminal(out),
       forced = is_set("CLICOLOR_FORCE") && !is_zero("CLICOLOR_FORCE");
  if (!terminal && !forced)
    return (struct look){ 0 };
  if (terminal && ioctl(fileno(out), TIOCGWINSZ, &w) != 0)
    w = (struct winsize){ 0 };
  unsigned columns = number_of("COLUMNS"), rows = number_of("LINES");
  columns = columns ? columns : w.ws_col ? w.ws_col : USUAL_COLUMNS;
  rows = rows ? rows : w.ws_row ? w.ws_row : USUAL_ROWS;
  return (struct look){
    .terminal = terminal,
    .drawn = true,
    .colour = !is_set("NO_COLOR") && (forced || !is_zero("CLICOLOR")),
    .unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
    .columns = columns < FEWEST_COLUMNS ? FEWEST_COLUMNS
        : columns > MOST_COLUMNS        ? MOST_COLUMNS
                                        : columns,
    .rows = rows,
  };
}
