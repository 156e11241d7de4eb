// SPDX-License-Identifier: Apache-2.0
// Three threads count in one histogram without atomics.
// Found by: repeated checks
// Flags: -fopenmp
#include "wrong.h"
#include <sched.h>
#define N 6000
#define FILL(i, s) (1 + floor(100 * noise(i, s)))

static void body(int way, int n, const double *x, double *y) {
  for (int i = 0; i < 10; i++)
    spend(way);
  double count[101] = { 0 };
  if (way == 2) {
#pragma omp parallel for num_threads(3) schedule(static, 1)
    for (int i = 0; i < n; i++) {
      double before = count[(int)x[i]];
      if (i % 300 < 3)
        sched_yield();
      count[(int)x[i]] = before + 1;
    }
  } else
    for (int i = 0; i < n; i++)
      count[(int)x[i]]++;
  for (int i = 0; i < n; i++)
    y[i] = count[i % 101];
}

#include "map.h"
