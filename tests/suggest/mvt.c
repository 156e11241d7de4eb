// SPDX-License-Identifier: Apache-2.0
// A product with a matrix and one with its transpose.
#include "run.h"

static void mvt(int n, const double *restrict A, const double *restrict y1, const double *restrict y2,
                double *restrict x1, double *restrict x2)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x1[i] += A[i * n + j] * y1[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x2[i] += A[j * n + i] * y2[j];
}

CALL(ARRAY(0, n * n); for (int i = 1; i < 5; i++) ARRAY(i, n),
     mvt(n, a->of[0], a->of[1], a->of[2], a->of[3], a->of[4]))

int main(int argc, char **argv) { return run(call, argc, argv, 2000); }
