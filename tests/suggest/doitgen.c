// SPDX-License-Identifier: Apache-2.0
// Many small products with one matrix, through a row of its own.
#include "run.h"

static void doitgen(int n, const double *restrict C, double *restrict A)
{
  for (int r = 0; r < n; r++)
    for (int q = 0; q < n; q++) {
      double row[128];
      for (int p = 0; p < 128; p++) {
        row[p] = 0;
        for (int s = 0; s < 128; s++)
          row[p] += A[(r * n + q) * 128 + s] * C[s * 128 + p];
      }
      for (int p = 0; p < 128; p++)
        A[(r * n + q) * 128 + p] = row[p];
    }
}

CALL(ARRAY(0, 128 * 128); ARRAY(1, n * n * 128),
     doitgen(n, a->of[0], a->of[1]))

int main(int argc, char **argv) { return run(call, argc, argv, 48); }
