// SPDX-License-Identifier: Apache-2.0
// A stencil of five, forth and back.
#include "run.h"

static void jacobi2d(int n, int steps, double A[restrict n][n], double B[restrict n][n])
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
  }
}

CALL(ARRAY(0, n * n); ARRAY(1, n * n),
     jacobi2d(n, 10, ROWS(0), ROWS(1)))

int main(int argc, char **argv) { return run(call, argc, argv, 1000); }
