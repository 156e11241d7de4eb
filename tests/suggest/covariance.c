// SPDX-License-Identifier: Apache-2.0
// Means, differences, and a symmetric product.
#include "run.h"

static void covariance(int n, double D[restrict n][n], double C[restrict n][n],
                       double mean[restrict n])
{
  for (int j = 0; j < n; j++) {
    double s = 0;
    for (int i = 0; i < n; i++)
      s += D[i][j];
    mean[j] = s / n;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      D[i][j] -= mean[j];
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += D[k][i] * D[k][j];
      C[i][j] = s / (n - 1);
      C[j][i] = s / (n - 1);
    }
}

CALL(ARRAY(0, n * n); ARRAY(1, n * n); ARRAY(2, n),
     covariance(n, ROWS(0), ROWS(1), a->of[2]))

int main(int argc, char **argv) { return run(call, argc, argv, 320); }
