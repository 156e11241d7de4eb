// SPDX-License-Identifier: Apache-2.0
// capture.c: `autotune tune --capture FILE`. If something in this process is at an
// address of the call's memory, the program starts itself again, with other addresses.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "tune.h"

enum { MOST_MOVES = 30 };

// Restarts this program with `--moved N` before its other arguments. Returns 2 after a
// message: it failed, or was restarted too often.
static int capture_move(const struct tune_options *o, int argc, char **argv) {
  char moves[16];
  unsigned n = 0,
           own = o->moves ? 3 : 1; // the first argument after those of an earlier restart
  const char **args = calloc((size_t)argc + 5, sizeof *args);
  int old = personality(0xffffffff);
  snprintf(moves, sizeof moves, "%u", o->moves + 1);
  const char *const first[] = { "autotune", "tune", "--moved", moves };
  for (; args && n < sizeof first / sizeof *first; n++)
    args[n] = first[n];
  for (int i = (int)own; args && i < argc; i++)
    args[n++] = argv[i];
  if (args && o->moves < MOST_MOVES) {
    if (old != -1)
      personality((unsigned)old & ~(unsigned)ADDR_NO_RANDOMIZE);
    execv("/proc/self/exe", (char *const *)(uintptr_t)args);
  }
  free(args);
  fprintf(stderr, "autotune tune: %s: the addresses of its memory are taken here\n",
          o->capture);
  return 2;
}

int tune_capture(const struct tune_options *o, int argc, char **argv) {
  int status = replay_run(o);
  if (status == REPLAY_MOVE)
    return capture_move(o, argc, argv);
  int written = status == 2 || o->check ? 0 : tune_write_report(o);
  return status ? status : written;
}
