// SPDX-License-Identifier: Apache-2.0
// role.c: the role of this process in a tuning, and whether it was asked to stop
// (role.h).
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>

#include "role.h"

static struct {
  _Atomic(enum role) role;
  volatile sig_atomic_t stopping;
  int watched; // pidfd of the process whose end stops this one; -1: none
} role = { .watched = -1 };

void role_take(enum role own) {
  role.stopping = 0;
  role.watched = -1;
  atomic_store(&role.role, own);
}

bool role_inside(void) {
  return atomic_load_explicit(&role.role, memory_order_relaxed) != ROLE_PROGRAM;
}

void role_stop(void) {
  role.stopping = 1;
}

void role_watch(int pidfd) {
  role.watched = pidfd;
}

bool role_stopping(void) {
  struct pollfd p = { role.watched, POLLIN, 0 };
  if (!role.stopping && role.watched >= 0 && poll(&p, 1, 0) > 0)
    role.stopping = 1;
  return role.stopping != 0;
}
