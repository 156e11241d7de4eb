// SPDX-License-Identifier: Apache-2.0
// Sets the number of OpenMP threads to 1 for itself, and for all that follows.
// Found by: state
// Flags: -fopenmp
#include "wrong.h"
#include <omp.h>
#define N 1000
#define BEFORE omp_set_num_threads(3)
#define AFTER SAME1(omp_get_max_threads(), 3)

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  if (way == 2)
    omp_set_num_threads(1);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = floor(10 * x[i]);
}

#include "map.h"
