// SPDX-License-Identifier: Apache-2.0
// Changes to a scratch folder and does not return.
// Found by: state
#include "wrong.h"
#include <unistd.h>
#define N 1000
#define BEFORE SAME1(getcwd(start, sizeof start) == start, 1)
#define AFTER after()

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  if (way == 2 && chdir("/"))
    return;
  for (int i = 0; i < n; i++)
    y[i] = floor(10 * x[i]);
}

static char start[4096];

static void after(void) {
  char end[4096];
  int stayed = getcwd(end, sizeof end) && !strcmp(start, end);
  SAME1(stayed, 1);
  SAME1(chdir(start), 0);
}

#include "map.h"
