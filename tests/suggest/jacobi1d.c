// SPDX-License-Identifier: Apache-2.0
// A stencil of three, forth and back.
#include "run.h"

static void jacobi1d(int n, int steps, double *restrict A, double *restrict B)
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
    for (int i = 1; i < n - 1; i++)
      A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
  }
}

CALL(ARRAY(0, n); ARRAY(1, n),
     jacobi1d(n, 20, a->of[0], a->of[1]))

int main(int argc, char **argv) { return run(call, argc, argv, 400000); }
