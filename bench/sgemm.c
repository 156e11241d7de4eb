// SPDX-License-Identifier: Apache-2.0
// sgemm.c: the example's sgemm against OpenBLAS's, one thread, measured in turns, with
// the peak of the machine's multiply-add units at that moment. Prints one line a round.
#define AUTOTUNE_EXAMPLE_KERNEL_ONLY
#include "../examples/02_sgemm.c"

#include <cblas.h>

#define ROUNDS 15

extern char *openblas_get_corename(void);

// Time of this thread, the only one: the machine may have other things to do meanwhile.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// GFLOP/s of twelve independent chains of multiply-adds in registers. They begin with
// different numbers, or a compiler would make them one.
static double peak(void) {
  vec a[12], x = { 0 }, y = { 0 };
  volatile float sink, one = 0.5f;
  for (int i = 0; i < LANES; i++)
    x[i] = y[i] = one;
  for (int i = 0; i < 12; i++)
    a[i] = x * (float)i;
  double start = now();
  for (int k = 0; k < 300000; k++)
    for (int i = 0; i < 12; i++)
      a[i] = a[i] * x + y;
  double seconds = now() - start;
  for (int i = 0; i < 12; i++)
    sink = a[i][i];
  (void)sink;
  return 1e-9 * 300000 * 12 * 2 * LANES / seconds;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 960;
  size_t size = (size_t)n * n * sizeof(float);
  float *A = aligned_alloc(64, size), *B = aligned_alloc(64, size);
  float *C = aligned_alloc(64, size), *D = aligned_alloc(64, size);
  for (int i = 0; i < n * n; i++)
    A[i] = (float)(i % 7 - 3), B[i] = (float)(i % 11 - 5), C[i] = D[i] = 0;

  sgemm(n, A, B, C); // tunes, the first time
  printf("core %s\n", openblas_get_corename());
  for (int r = -1; r < ROUNDS; r++) {
    double fma = peak(), start = now();
    sgemm(n, A, B, C);
    double ours = now() - start;
    start = now();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, D,
                n);
    double theirs = now() - start;
    if (r >= 0)
      printf("round tuned %.9f openblas %.9f peak %.1f\n", ours, theirs, fma);
  }
  for (int i = 0; i < n * n; i++)
    if (fabsf(C[i] - D[i]) > 1e-3f * (1 + fabsf(D[i])))
      return printf("WRONG ANSWER: C[%d] = %g, not %g\n", i, C[i], D[i]), 1;
  free(A), free(B), free(C), free(D);
  return 0;
}
