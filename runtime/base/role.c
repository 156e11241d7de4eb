// SPDX-License-Identifier: Apache-2.0
// role.c: the role of this process in a tuning, and whether it was asked to stop
// (role.h).
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "role.h"

static struct {
  _Atomic(enum role) role;
  volatile sig_atomic_t stopping, ended;
  struct timespec when;         // it ended, by the clock of files
  int watched;                  // pidfd of the process whose end stops this one; -1: none
  unsigned seconds;             // so long after that
  _Atomic(role_ended *) at_end; // called by the next look; NULL: nothing is
} role = { .watched = -1 };

void role_take(enum role own) {
  role.stopping = role.ended = 0;
  role.watched = -1;
  role.seconds = 0;
  atomic_store(&role.at_end, NULL);
  atomic_store(&role.role, own);
}

bool role_inside(void) {
  return atomic_load_explicit(&role.role, memory_order_relaxed) != ROLE_PROGRAM;
}

void role_stop(void) {
  role.stopping = 1;
}

void role_watch(int pidfd, unsigned seconds) {
  role.watched = pidfd;
  role.seconds = seconds;
}

void role_at_end(role_ended *see) {
  atomic_store(&role.at_end, see);
}

void role_end(void) {
  if (role.seconds == 0)
    role.stopping = 1;
  else if (!role.ended) {
    clock_gettime(CLOCK_REALTIME_COARSE, &role.when);
    alarm(role.seconds);
  }
  role.ended = 1;
}

static void role_look(void) {
  struct pollfd p = { role.watched, POLLIN, 0 };
  if (!role.stopping && !role.ended && role.watched >= 0 && poll(&p, 1, 0) > 0)
    role_end();
  role_ended *see = role.ended && !role.stopping ? atomic_exchange(&role.at_end, NULL)
                                                 : NULL;
  if (see)
    see(&role.when);
}

bool role_outlives(void) {
  role_look();
  return role.ended && !role.stopping;
}

bool role_stopping(void) {
  role_look();
  return role.stopping != 0;
}
