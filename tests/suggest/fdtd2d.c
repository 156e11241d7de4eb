// SPDX-License-Identifier: Apache-2.0
// Three fields that follow each other.
#include "run.h"

static void fdtd2d(int n, int steps, double X[restrict n][n], double Y[restrict n][n],
                   double H[restrict n][n])
{
  for (int t = 0; t < steps; t++) {
    for (int j = 0; j < n; j++)
      Y[0][j] = t;
    for (int i = 1; i < n; i++)
      for (int j = 0; j < n; j++)
        Y[i][j] -= 0.5 * (H[i][j] - H[i - 1][j]);
    for (int i = 0; i < n; i++)
      for (int j = 1; j < n; j++)
        X[i][j] -= 0.5 * (H[i][j] - H[i][j - 1]);
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < n - 1; j++)
        H[i][j] -= 0.7 * (X[i][j + 1] - X[i][j] + Y[i + 1][j] - Y[i][j]);
  }
}

CALL(ARRAY(0, n * n); ARRAY(1, n * n); ARRAY(2, n * n),
     fdtd2d(n, 10, ROWS(0), ROWS(1), ROWS(2)))

int main(int argc, char **argv) { return run(call, argc, argv, 800); }
