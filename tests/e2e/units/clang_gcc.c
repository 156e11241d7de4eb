// SPDX-License-Identifier: Apache-2.0
// Two compilers, each with its own headers and builtins; a kernel that an #if leaves out;
// names of ours as macros of the user's; `extern` and attributes on a kernel.
#include <emmintrin.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#define line 17
#define hot 3
#define TILE 2

#ifdef NOWHERE
#pragma autotune kernel param(TILE: 1, 2)
void left_out(int n, double *c)
{
  missing(n, c, TILE);
}
#endif

#pragma autotune kernel compiler(clang, gcc) param(TILE: 1, 2) inout(c[0:n])
extern __attribute__((noinline, nonnull)) void work(const int n, double *c)
{
  __m128d one = _mm_set1_pd(line);
  for (int i = 0; i < n; i++)
    c[i] = fmax(c[i], _mm_cvtsd_f64(one)) + (TILE - TILE) + hot + (double)(INT_MAX / INT_MAX) +
           (double)UINT8_C(2) + (isnan(c[i]) ? 1 : 0);
}

int main(void)
{
  double c[3] = { 1, 20, 3 };
  work(3, c);
  printf("%g %g\n", c[0], c[1]);
  return 0;
}
