// SPDX-License-Identifier: Apache-2.0
// pager.c: shows long output with the user's pager, as git does.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "sheet.h"

// What a shell exits with if it cannot run a command, or does not find it.
enum { CANNOT_RUN = 126, NOT_FOUND = 127 };

// Returns the command of the pager; NULL: there is to be none.
static const char *pager_command(void) {
  static const char *const names[] = { "AUTOTUNE_PAGER", "PAGER" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = getenv(names[i]);
    if (value)
      return *value && strcmp(value, "cat") != 0 ? value : NULL;
  }
  return "command -v less > /dev/null || exit 127; exec less -FRX";
}

bool pager_show(const char *text, size_t size) {
  // While the pager runs, the keyboard's signals are for it, and it may end early.
  static const int signals[] = { SIGINT, SIGQUIT, SIGPIPE };
  enum { SIGNALS = sizeof signals / sizeof *signals };
  const struct sigaction ignore = { .sa_handler = SIG_IGN };
  struct sigaction before[SIGNALS];
  const char *command = pager_command();
  if (!command)
    return false;
  setenv("LESS", "FRX", 0); // for a pager that is less or lv by another name
  setenv("LV", "-c", 0);
  fflush(stdout);
  FILE *pager = popen(command, "we");
  if (!pager)
    return false;
  for (int i = 0; i < SIGNALS; i++)
    sigaction(signals[i], &ignore, &before[i]);
  fwrite(text, 1, size, pager);
  int status = pclose(pager);
  for (int i = 0; i < SIGNALS; i++)
    sigaction(signals[i], &before[i], NULL);
  return !(WIFEXITED(status) &&
           (WEXITSTATUS(status) == CANNOT_RUN || WEXITSTATUS(status) == NOT_FOUND));
}
