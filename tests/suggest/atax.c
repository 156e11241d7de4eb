// SPDX-License-Identifier: Apache-2.0
// y = A'(A x): rows, then columns.
#include "run.h"

static void atax(int n, double A[n][n], double x[n], double y[restrict n], double t[restrict n])
{
  for (int i = 0; i < n; i++)
    y[i] = 0;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      s += A[i][j] * x[j];
    t[i] = s;
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      y[j] += A[i][j] * t[i];
}

CALL(ARRAY(0, n * n); ARRAY(1, n); ARRAY(2, n); ARRAY(3, n),
     atax(n, ROWS(0), a->of[1], a->of[2], a->of[3]))

int main(int argc, char **argv) { return run(call, argc, argv, 2000); }
