// SPDX-License-Identifier: Apache-2.0
// terminal.c: finds whether an output gets colours, by NO_COLOR, CLICOLOR, CLICOLOR_FORCE
// and TERM.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"

static bool terminal_set(const char *name) {
  const char *value = getenv(name);
  return value && *value;
}

static bool terminal_zero(const char *name) {
  const char *value = getenv(name);
  return value && strcmp(value, "0") == 0;
}

bool terminal_is(FILE *out) {
  int fd = fileno(out);
  return fd >= 0 && isatty(fd) && terminal_set("TERM") &&
      strcmp(getenv("TERM"), "dumb") != 0;
}

bool terminal_forced(void) {
  return terminal_set("CLICOLOR_FORCE") && !terminal_zero("CLICOLOR_FORCE");
}

bool terminal_coloured(FILE *out) {
  bool forced = terminal_forced();
  return (forced || (terminal_is(out) && !terminal_zero("CLICOLOR"))) &&
      !terminal_set("NO_COLOR");
}
