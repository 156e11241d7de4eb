// SPDX-License-Identifier: Apache-2.0
// A filter over an image with a border.
#include "run.h"

static void conv2d(int w, int h, int k, const double *restrict in, const double *restrict filter,
                   double *restrict out)
{
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++)
          out[y * w + x] += in[(y + j) * (w + k - 1) + x + i] * filter[j * k + i];
}

CALL(ARRAY(0, (n + 4) * (n + 4)); ARRAY(1, 25); ARRAY(2, n * n),
     conv2d(n, n, 5, a->of[0], a->of[1], a->of[2]))

int main(int argc, char **argv) { return run(call, argc, argv, 600); }
