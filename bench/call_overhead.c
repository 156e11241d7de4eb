// SPDX-License-Identifier: Apache-2.0
// call_overhead.c: prints, in a line for each round, the nanoseconds of a call: direct
// and through autotune, without a key and with a key of two integers. Built with
// `autotune cc`.
#include <stdio.h>
#include <time.h>

#define CALLS 4000000
#define ROUNDS 21

// No call waits for the one before: a chain through memory would hide the cost of a stub.
__attribute__((noinline)) void direct(const double *x, double *y) {
  y[0] = x[0] + 1;
}

#pragma autotune kernel key() flags("", "-fno-tree-vectorize") in(x[0 : 1])out(y[0 : 1])
void unkeyed(const double *x, double *y) {
  y[0] = x[0] + 1;
}

__attribute__((noinline)) void direct2(int m, int n, const double *x, double *y) {
  y[0] = x[0] * m + n;
}

#pragma autotune kernel key(m, n) flags("", "-fno-tree-vectorize") \
    in(x[0 : 1])out(y[0 : 1])
void keyed(int m, int n, const double *x, double *y) {
  y[0] = x[0] * m + n;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Nanoseconds of one CALL among CALLS; the loop itself is the same for all.
#define TIME(result, call)                  \
  do {                                      \
    double start = now();                   \
    for (int i = 0; i < CALLS; i++) {       \
      call;                                 \
      __asm__ volatile("" ::: "memory");    \
    }                                       \
    result = (now() - start) * 1e9 / CALLS; \
  } while (0)

int main(void) {
  double x = 1, y = 0;
  volatile int m = 0, n = 1;
  int a = m, b = n;
  unkeyed(&x, &y), keyed(a, b, &x, &y);
  for (int r = 0; r < ROUNDS; r++) {
    double plain, stub, plain2, stub2;
    TIME(plain, direct(&x, &y));
    TIME(stub, unkeyed(&x, &y));
    TIME(plain2, direct2(a, b, &x, &y));
    TIME(stub2, keyed(a, b, &x, &y));
    printf("round direct %.3f unkeyed %.3f with2 %.3f keyed %.3f\n", plain, stub, plain2,
           stub2);
  }
  return 0;
}
