// SPDX-License-Identifier: Apache-2.0
// The same with a statement between the loops.
#include "run.h"

static void gemm_beta(int n, double alpha, double beta, double A[n][n], double B[n][n],
                      double C[restrict n][n])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] *= beta;
      for (int k = 0; k < n; k++)
        C[i][j] += alpha * A[i][k] * B[k][j];
    }
}

CALL(ARRAY(0, n * n); ARRAY(1, n * n); ARRAY(2, n * n),
     gemm_beta(n, 0.7, 0.3, ROWS(0), ROWS(1), ROWS(2)))

int main(int argc, char **argv) { return run(call, argc, argv, 384); }
