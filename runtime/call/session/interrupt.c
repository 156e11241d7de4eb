// SPDX-License-Identifier: Apache-2.0
// interrupt.c: ^C while the program waits for a tuning. The tuner is in a process group
// of its own, so only the program gets SIGINT. Its handler tells the tuner, through the
// shared memory, to end with the best so far; a second ^C ends the program. The program's
// own disposition stays in force where it ignores SIGINT, and until the user was told of
// ^C.
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "packet.h"

// One for the process. The handler reads `before`, which is written while ours is not
// installed.
static struct {
  struct sigaction before;
  bool installed, waiting;
} interrupt;

static bool interrupt_is_handler(const struct sigaction *a) {
  return (a->sa_flags & SA_SIGINFO) ||
      (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

// Async-signal-safe. In a forked child of the program there is no session.
static void interrupt_handle(int number, siginfo_t *info, void *context) {
  struct shared_memory *shared = session_shared_memory();
  bool again = !shared || atomic_exchange(&shared->hurry, true);
  const struct sigaction *own = &interrupt.before;
  if (own->sa_flags & SA_SIGINFO)
    own->sa_sigaction(number, info, context);
  else if (interrupt_is_handler(own))
    own->sa_handler(number);
  else if (again) {
    signal(number, SIG_DFL);
    raise(number); // it comes when this handler returns
  }
}

static void interrupt_install(void) {
  struct sigaction ours = interrupt.before;
  ours.sa_flags |= SA_SIGINFO;
  if (!interrupt_is_handler(&interrupt.before))
    ours.sa_flags |= SA_RESTART;
  ours.sa_sigaction = interrupt_handle;
  interrupt.installed = sigaction(SIGINT, &ours, NULL) == 0;
}

static bool interrupt_is_ours(const struct sigaction *a) {
  return (a->sa_flags & SA_SIGINFO) && a->sa_sigaction == interrupt_handle;
}

// If a handler of the program has jumped out of ours, ours is still installed.
void interrupt_begin(void) {
  struct sigaction now;
  bool known = sigaction(SIGINT, NULL, &now) == 0;
  if (known && !interrupt_is_ours(&now))
    interrupt.before = now;
  interrupt.installed = false;
  interrupt.waiting = known && !(interrupt.before.sa_flags & SA_RESETHAND);
  if (interrupt.waiting && interrupt_is_handler(&interrupt.before))
    interrupt_install();
}

bool interrupt_ends(void) {
  return interrupt.installed && !interrupt_is_handler(&interrupt.before);
}

bool interrupt_possible(void) {
  return session_shared_memory() &&
      (interrupt.installed ||
       (interrupt.waiting && interrupt.before.sa_handler == SIG_DFL));
}

void interrupt_offer(void) {
  if (interrupt_possible() && !interrupt.installed)
    interrupt_install();
}

// Another thread may have set another handler meanwhile, which stays.
void interrupt_end(void) {
  struct sigaction now;
  if (interrupt.installed && sigaction(SIGINT, NULL, &now) == 0 &&
      interrupt_is_ours(&now))
    sigaction(SIGINT, &interrupt.before, NULL);
  interrupt.installed = interrupt.waiting = false;
}
