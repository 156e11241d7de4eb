// SPDX-License-Identifier: Apache-2.0
// The second loop reads what other threads may not have written yet: nowait.
// Found by: repeated checks
// Flags: -fopenmp
#include "wrong.h"
#define N 6000
#define FILL(i, s) (1 + floor(100 * noise(i, s)))

static void body(int way, int n, const double *x, double *y) {
  for (int i = 0; i < 10; i++)
    spend(way);
  static double t[6000];
  memset(t, 0, sizeof t);
  if (way == 2) {
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(static) nowait
      for (int i = 0; i < n; i++)
        t[i] = sqrt(x[i]);
#pragma omp for schedule(static)
      for (int i = 0; i < n; i++)
        y[i] = t[n - 1 - i];
    }
  } else
    for (int i = 0; i < n; i++)
      y[i] = sqrt(x[n - 1 - i]);
}

#include "map.h"
