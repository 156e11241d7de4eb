// SPDX-License-Identifier: Apache-2.0
// Two products, the second of what the first leaves.
#include "run.h"

static void two_mm(int n, double A[n][n], double B[n][n], double C[n][n], double T[restrict n][n],
                   double D[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      T[i][j] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        T[i][j] += A[i][k] * B[k][j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        D[i][j] += T[i][k] * C[k][j];
}

CALL(for (int i = 0; i < 5; i++) ARRAY(i, n * n),
     two_mm(n, ROWS(0), ROWS(1), ROWS(2), ROWS(3), ROWS(4)))

int main(int argc, char **argv) { return run(call, argc, argv, 320); }
