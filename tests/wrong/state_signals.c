// SPDX-License-Identifier: Apache-2.0
// Blocks a signal while it works, and leaves it blocked.
// Found by: state
#include "wrong.h"
#include <signal.h>
#define N 1000
#define AFTER after()

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  if (way == 2)
    sigprocmask(SIG_BLOCK, &set, NULL);
  for (int i = 0; i < n; i++)
    y[i] = floor(10 * x[i]);
}

static void after(void) {
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, NULL, &blocked);
  SAME1(sigismember(&blocked, SIGUSR1), 0);
  sigdelset(&blocked, SIGUSR1);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
}

#include "map.h"
