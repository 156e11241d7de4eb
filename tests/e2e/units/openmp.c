// SPDX-License-Identifier: Apache-2.0
// OpenMP: words as values, omp.h, helpers for simd.
#include <omp.h>
#include <stdio.h>
#define SCHED static
#define CHUNK 4
#define BLOCK 16

#pragma omp declare simd
static int twice(int x) { return 2 * x; }

#pragma autotune kernel param(SCHED: static, dynamic) param(CHUNK: 1, 4) param(BLOCK: 8, 16) \
  constraint(SCHED == static || CHUNK > 1) inout(c[0:n])
void work(int n, int *c)
{
  int threads = omp_get_max_threads() > 0;
#pragma omp parallel for schedule(SCHED, CHUNK) num_threads(2)
  for (int b = 0; b < n; b += BLOCK)
    for (int i = b; i < b + BLOCK && i < n; i++)
      c[i] += twice(i) * threads;
}

int main(void)
{
  int c[100] = { 0 };
  work(100, c);
  printf("%d %d\n", c[1], c[99]);
  return 0;
}
