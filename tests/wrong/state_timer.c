// SPDX-License-Identifier: Apache-2.0
// Sets an alarm as a limit of its time, and does not take it back.
// Found by: state
#include "wrong.h"
#include <unistd.h>
#define N 1000
#define AFTER SAME1(alarm(0), 0)

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  if (way == 2)
    alarm(100);
  for (int i = 0; i < n; i++)
    y[i] = floor(10 * x[i]);
}

#include "map.h"
