// SPDX-License-Identifier: Apache-2.0
// tune_capture.c: `autotune tune --capture FILE`: where something of ours is where the
// call's memory was, once more in a process that has it elsewhere.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "keep/capture/capture.h"
#include "tune.h"

enum { MOST_MOVES = 30 };

static int tune_capture_move(const struct tune_options *o, int argc, char **argv) {
  unsigned n = 0;
  const char **args = arena_alloc(((size_t)argc + 5) * sizeof *args);
  int old = personality(0xffffffff);
  args[n++] = "autotune";
  args[n++] = "tune";
  args[n++] = "--moved";
  args[n++] = "1";
  for (int i = 1; i < argc; i++)
    args[n++] = argv[i];
  if (o->moves < MOST_MOVES) {
    if (old != -1)
      personality((unsigned)old & ~(unsigned)ADDR_NO_RANDOMIZE);
    execv("/proc/self/exe", (char *const *)(uintptr_t)args);
  }
  fprintf(stderr, "autotune tune: %s: the addresses of its memory are taken here\n",
          o->capture);
  return 2;
}

int tune_capture(const struct tune_options *o, int argc, char **argv) {
  struct replay_options r = { .path = o->capture, .check = o->check };
  int status = replay_run(&r, stdout);
  if (status == REPLAY_MOVE)
    return tune_capture_move(o, argc, argv);
  int written = status == 2 || o->check ? 0 : tune_write_report(o);
  return status ? status : written;
}
