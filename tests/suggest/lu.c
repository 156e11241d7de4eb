// SPDX-License-Identifier: Apache-2.0
// Elimination without pivots.
#include "run.h"

static void lu(int n, double A[n][n])
{
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++)
      A[i][k] /= A[k][k] + n;
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}

CALL(ARRAY(0, n * n),
     lu(n, ROWS(0)))

int main(int argc, char **argv) { return run(call, argc, argv, 512); }
