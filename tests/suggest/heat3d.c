// SPDX-License-Identifier: Apache-2.0
// A stencil in three dimensions, in one block of memory each.
#include "run.h"

static void heat3d(int n, int steps, double *restrict A, double *restrict B)
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          B[(i * n + j) * n + k] =
            0.125 * (A[((i + 1) * n + j) * n + k] + A[((i - 1) * n + j) * n + k] +
                     A[(i * n + j + 1) * n + k] + A[(i * n + j - 1) * n + k] +
                     A[(i * n + j) * n + k + 1] + A[(i * n + j) * n + k - 1]) +
            0.25 * A[(i * n + j) * n + k];
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          A[(i * n + j) * n + k] =
            0.125 * (B[((i + 1) * n + j) * n + k] + B[((i - 1) * n + j) * n + k] +
                     B[(i * n + j + 1) * n + k] + B[(i * n + j - 1) * n + k] +
                     B[(i * n + j) * n + k + 1] + B[(i * n + j) * n + k - 1]) +
            0.25 * B[(i * n + j) * n + k];
  }
}

CALL(ARRAY(0, n * n * n); ARRAY(1, n * n * n),
     heat3d(n, 4, a->of[0], a->of[1]))

int main(int argc, char **argv) { return run(call, argc, argv, 120); }
