// SPDX-License-Identifier: Apache-2.0
// notice.c: what the user is told while a tuning goes on.
#include <stdatomic.h>
#include <stdio.h>

#include "packet.h"

#define HURRIED "^C: the tuning ends with the best so far"
static const double quiet = 1; // seconds that a program waits before the user is told

// Of the one session in this process.
static struct {
  const char *kernel; // its name
  bool waits;         // the program waits for the tuning
  double begun;       // sys_now
  bool told;          // the user knows that the program waits
  bool hurried;       // the user knows that ^C was heeded
} notice;

void notice_begin(const char *kernel, bool waits) {
  notice.kernel = kernel;
  notice.waits = waits;
  notice.begun = sys_now();
  notice.told = notice.hurried = false;
}

// Says once that the program waits, and for how long.
static void notice_say_waiting(const struct progress_report *p) {
  if (!notice.waits || notice.told || sys_now() - notice.begun < quiet)
    return;
  notice.told = true;
  if (log_waiting(
          "autotune: tuning %s, up to %.0f s more%s; AUTOTUNE_LOG=info shows how it goes "
          "on%s",
          notice.kernel, p->left > 1 ? p->left : 1,
          interrupt_possible() ? " (^C: go on with the best so far)" : "",
          options_get()->mode == MODE_TUNE
              ? "" // `autotune tune` is there to wait
              : ", with AUTOTUNE_MODE=background the program does not wait"))
    interrupt_offer();
}

// Says once that ^C was heeded.
static void notice_say_hurry(void) {
  struct shared_memory *shared = session_shared_memory();
  if (notice.hurried || !shared || !atomic_load(&shared->hurry))
    return;
  notice.hurried = true;
  const char *name = notice.kernel,
             *second = interrupt_ends() ? "; a second ^C ends the program" : "";
  if (!log_waiting("autotune: %s: " HURRIED "%s", name, second))
    log_message(AUTOTUNE_INFO, "%s: " HURRIED "%s", name, second);
}

void notice_show(const struct progress_report *p) {
  char line[160], best[64];
  notice_say_waiting(p);
  notice_say_hurry();
  int n = snprintf(line, sizeof line, "autotune: %s: %u of %u variant%s, %.0f s left",
                   notice.kernel, p->done, p->total, p->total == 1 ? "" : "s",
                   p->left > 0 ? p->left : 0);
  if (p->original > 0 && p->best > 0 && n > 0 && (size_t)n < sizeof line)
    snprintf(line + n, sizeof line - (size_t)n, ", best %s (%.2f x)",
             objective_show(p->objective, best, sizeof best, p->best),
             p->original / p->best);
  if (log_progress(line) && notice.waits)
    interrupt_offer();
}
