// SPDX-License-Identifier: Apache-2.0
// Prints 4096 * (2 * RADIUS + 1), less the elements outside.
#include <stdio.h>

#include "smooth.h"

enum { N = 4096 };
static double in[N], out[N];

int main(void) {
  for (int i = 0; i < N; i++)
    in[i] = 1;
  smooth(N, in, out);
  printf("%g\n", total(N, out));
  return 0;
}
