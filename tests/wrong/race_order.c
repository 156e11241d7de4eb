// SPDX-License-Identifier: Apache-2.0
// Three threads append what they find, in the order in which they find it.
// Found by: repeated checks
// Flags: -fopenmp
#include "wrong.h"
#define N 6000
#define FILL(i, s) (1 + floor(100 * noise(i, s)))

static void body(int way, int n, const double *x, double *y) {
  for (int i = 0; i < 10; i++)
    spend(way);
  int count = 0;
  for (int i = 0; i < n; i++)
    y[i] = 0;
  if (way == 2) {
#pragma omp parallel for num_threads(3) schedule(static, 50)
    for (int i = 0; i < n; i++)
      if (x[i] > 50) {
        int at;
#pragma omp atomic capture
        at = count++;
        y[at] = x[i];
      }
  } else
    for (int i = 0; i < n; i++)
      if (x[i] > 50)
        y[count++] = x[i];
}

#include "map.h"
