// SPDX-License-Identifier: Apache-2.0
// Switches the dynamic adjustment of OpenMP threads on.
// Found by: state
// Flags: -fopenmp
#include "wrong.h"
#include <omp.h>
#define N 1000
#define BEFORE omp_set_dynamic(0)
#define AFTER SAME1(omp_get_dynamic(), 0)

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  if (way == 2)
    omp_set_dynamic(1);
  for (int i = 0; i < n; i++)
    y[i] = floor(10 * x[i]);
}

#include "map.h"
