// SPDX-License-Identifier: Apache-2.0
// A symmetric product: the lower half.
#include "run.h"

static void syrk(int n, double alpha, double A[n][n], double C[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += alpha * A[i][k] * A[j][k];
}

CALL(ARRAY(0, n * n); ARRAY(1, n * n),
     syrk(n, 0.7, ROWS(0), ROWS(1)))

int main(int argc, char **argv) { return run(call, argc, argv, 384); }
