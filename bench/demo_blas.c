// SPDX-License-Identifier: Apache-2.0
// demo_blas.c: the product of examples/01_matmul.c by a BLAS, timed in the same way and
// printed in the same form. Built by demo.sh where OpenBLAS is installed.
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(void) {
  enum { N = 1024 };
  double *A = malloc(sizeof *A * N * N), *B = malloc(sizeof *B * N * N);
  double *C = malloc(sizeof *C * N * N), best = INFINITY;
  for (int i = 0; i < N * N; i++)
    A[i] = sin(i), B[i] = cos(i), C[i] = -1;
  for (double end = seconds() + 0.5; seconds() < end;) {
    double start = seconds();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, A, N, B, N, 0, C,
                N);
    best = fmin(best, seconds() - start);
  }
  printf("dgemm n=%d\n  later calls  %.6f s   %.1f GFLOP/s\n", N, best,
         2e-9 * N * N * N / best);
  free(A), free(B), free(C);
  return 0;
}
