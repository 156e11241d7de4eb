// SPDX-License-Identifier: Apache-2.0
// A product with a triangular matrix, in place.
#include "run.h"

static void trmm(int n, double alpha, double A[n][n], double B[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = i + 1; k < n; k++)
        B[i][j] += A[k][i] * B[k][j];
      B[i][j] = alpha * B[i][j];
    }
}

CALL(ARRAY(0, n * n); ARRAY(1, n * n),
     trmm(n, 0.7, ROWS(0), ROWS(1)))

int main(int argc, char **argv) { return run(call, argc, argv, 384); }
