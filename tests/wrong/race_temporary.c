// SPDX-License-Identifier: Apache-2.0
// Three threads share a buffer that each should have for itself.
// Found by: repeated checks
// Flags: -fopenmp
#include "wrong.h"
#include <sched.h>
#define N 6000
#define FILL(i, s) (1 + floor(100 * noise(i, s)))

static void body(int way, int n, const double *x, double *y) {
  for (int i = 0; i < 10; i++)
    spend(way);
  double t[100];
  if (way == 2) {
#pragma omp parallel for num_threads(3) schedule(static, 1)
    for (int part = 0; part < 60; part++) {
      memcpy(t, x + part * 100, sizeof t);
      sched_yield();
      for (int i = 0; i < 100; i++)
        y[part * 100 + i] = t[99 - i];
    }
  } else
    for (int i = 0; i < n; i++)
      y[i] = x[i / 100 * 100 + 99 - i % 100];
}

#include "map.h"
