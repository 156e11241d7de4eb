// SPDX-License-Identifier: Apache-2.0
// Clears the umask for a scratch file, and leaves it.
// Found by: state
#include "wrong.h"
#include <sys/stat.h>
#define N 1000
#define BEFORE umask(022)
#define AFTER SAME1(umask(022), 022)

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  if (way == 2)
    umask(0);
  for (int i = 0; i < n; i++)
    y[i] = floor(10 * x[i]);
}

#include "map.h"
