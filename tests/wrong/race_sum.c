// SPDX-License-Identifier: Apache-2.0
// Three threads add to one sum without a reduction. (The yield widens the gap, for one core.)
// Found by: repeated checks
// Flags: -fopenmp
#include "wrong.h"
#include <sched.h>
#define N 6000
#define FILL(i, s) (1 + floor(100 * noise(i, s)))

static void body(int way, int n, const double *x, double *y) {
  for (int i = 0; i < 10; i++)
    spend(way);
  double sum = 0;
  if (way == 2) {
#pragma omp parallel for num_threads(3) schedule(static, 1)
    for (int part = 0; part < 60; part++) {
      double t = sum;
      for (int i = part * n / 60; i < (part + 1) * n / 60; i++)
        t += x[i];
      sched_yield();
      sum = t;
    }
  } else
    for (int i = 0; i < n; i++)
      sum += x[i];
  for (int i = 0; i < n; i++)
    y[i] = sum;
}

#include "map.h"
