// SPDX-License-Identifier: Apache-2.0
// A stencil in place: each element needs its new neighbours, so nothing can be shared out.
#include "run.h"

static void seidel2d(int n, int steps, double A[n][n])
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] +
                   A[i][j + 1] + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
}

CALL(ARRAY(0, n * n),
     seidel2d(n, 4, ROWS(0)))

int main(int argc, char **argv) { return run(call, argc, argv, 600); }
