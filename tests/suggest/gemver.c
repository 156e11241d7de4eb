// SPDX-License-Identifier: Apache-2.0
// Four loops over one matrix, with old declarations.
#include "run.h"

static void gemver(int n, double A[restrict n][n], double u[n], double v[n], double x[restrict n],
                   double y[n], double z[n], double w[restrict n])
{
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      A[i][j] += u[i] * v[j];
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      x[i] += 0.5 * A[j][i] * y[j];
  for (i = 0; i < n; i++)
    x[i] += z[i];
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      w[i] += 0.7 * A[i][j] * x[j];
}

CALL(ARRAY(0, n * n); for (int i = 1; i < 7; i++) ARRAY(i, n),
     gemver(n, ROWS(0), a->of[1], a->of[2], a->of[3], a->of[4], a->of[5], a->of[6]))

int main(int argc, char **argv) { return run(call, argc, argv, 2000); }
