// SPDX-License-Identifier: Apache-2.0
// A sum of two products.
#include "run.h"

static void gesummv(int n, double alpha, double beta, double A[n][n], double B[n][n], double x[n],
                    double y[restrict n])
{
  for (int i = 0; i < n; i++) {
    double s = 0, t = 0;
    for (int j = 0; j < n; j++) {
      s += A[i][j] * x[j];
      t += B[i][j] * x[j];
    }
    y[i] = alpha * s + beta * t;
  }
}

CALL(ARRAY(0, n * n); ARRAY(1, n * n); ARRAY(2, n); ARRAY(3, n),
     gesummv(n, 0.7, 0.3, ROWS(0), ROWS(1), a->of[2], a->of[3]))

int main(int argc, char **argv) { return run(call, argc, argv, 2000); }
