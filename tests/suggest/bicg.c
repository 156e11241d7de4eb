// SPDX-License-Identifier: Apache-2.0
// Both products with one matrix, in one pass.
#include "run.h"

static void bicg(int n, double A[n][n], double p[n], double r[n], double q[restrict n],
                 double s[restrict n])
{
  for (int i = 0; i < n; i++)
    s[i] = 0;
  for (int i = 0; i < n; i++) {
    q[i] = 0;
    for (int j = 0; j < n; j++) {
      s[j] += r[i] * A[i][j];
      q[i] += A[i][j] * p[j];
    }
  }
}

CALL(ARRAY(0, n * n); for (int i = 1; i < 5; i++) ARRAY(i, n),
     bicg(n, ROWS(0), a->of[1], a->of[2], a->of[3], a->of[4]))

int main(int argc, char **argv) { return run(call, argc, argv, 2000); }
