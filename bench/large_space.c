// SPDX-License-Identifier: Apache-2.0
// large_space.c: a matrix product with about a million variants. Prints the median of
// later calls.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma autotune kernel flags("", "-mprefer-vector-width=512", "-ffast-math", \
                              "-ffast-math -mprefer-vector-width=512") key(n) \
    in(A[0 : n * n], B[0 : n * n]) out(C[0 : n * n]) verify(rtol : 1e-4)      \
        flops(2.0 * n * n * n)
void product(int n, const float *restrict A, const float *restrict B, float *restrict C) {
  memset(C, 0, sizeof *C * n * n);
#pragma autotune unroll_and_jam partial({ 1, 2, 3, 4, 5, 6, 8, 12 }, { 1, 2, 4 }, \
                                        { 1, 2, 4 })
#pragma autotune tile sizes({ 8, 16, 24, 32, 48, 64, 96, 128, 192 },   \
                            { 16, 24, 32, 48, 64, 96, 128, 192, 256 }, \
                            { 16, 32, 64, 96, 128, 192, 256, 384 })
#pragma autotune interchange permutation(any)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 384;
  size_t size = (size_t)n * n;
  float *a = malloc(size * sizeof *a), *b = malloc(size * sizeof *b),
        *c = malloc(size * sizeof *c);
  for (size_t i = 0; i < size; i++)
    a[i] = (float)(i % 13) - 6, b[i] = (float)(i % 11) - 5;
  product(n, a, b, c); // tunes
  double times[201];
  for (int r = 0; r < 201; r++) {
    double start = now();
    product(n, a, b, c);
    times[r] = now() - start;
  }
  qsort(times, 201, sizeof *times, by_value);
  printf("median %.9f\n", times[100]);
  free(a), free(b), free(c);
  return 0;
}
