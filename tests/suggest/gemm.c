// SPDX-License-Identifier: Apache-2.0
// A product of matrices, in one block of memory each.
#include "run.h"

static void gemm(int n, double alpha, const double *restrict A, const double *restrict B,
                 double *restrict C)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += alpha * A[i * n + k] * B[k * n + j];
}

CALL(ARRAY(0, n * n); ARRAY(1, n * n); ARRAY(2, n * n),
     gemm(n, 0.7, a->of[0], a->of[1], a->of[2]))

int main(int argc, char **argv) { return run(call, argc, argv, 384); }
