// SPDX-License-Identifier: Apache-2.0
// tuning_run.c: one tuning of a kernel that takes about 5 ms, with 128 variants.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#pragma autotune kernel flags("", "-mprefer-vector-width=512") key(n) in(a[0 : n * n]) \
    inout(b[0 : n * n])
void smooth(int n, const float *restrict a, float *restrict b) {
#pragma autotune tile sizes({ 4, 8, 16, 32, 64, 128, 256, 512 }, \
                            { 64, 128, 256, 384, 512, 768, 1024, 1536 })
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i * n + j] = 0.2f *
          (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] +
           a[(i + 1) * n + j]);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void) {
  int n = 2400;
  float *a = malloc(sizeof *a * n * n), *b = calloc(sizeof *b, (size_t)n * n);
  for (int i = 0; i < n * n; i++)
    a[i] = (float)(i % 1000);
  double start = now();
  smooth(n, a, b);
  double first = now() - start, best = 1e9;
  for (int r = 0; r < 20; r++) {
    start = now();
    smooth(n, a, b);
    double t = now() - start;
    best = t < best ? t : best;
  }
  printf("first call %.3f later calls %.6f\n", first, best);
  free(a), free(b);
  return 0;
}
