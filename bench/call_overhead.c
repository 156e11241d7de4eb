// SPDX-License-Identifier: Apache-2.0
// call_overhead.c: nanoseconds of a call, direct and through autotune, without a key and
// with one of two integers. Built with `autotune cc`; prints one line a round.
#include <stdio.h>
#include <time.h>

#define CALLS 4000000
#define ROUNDS 21

__attribute__((noinline)) void direct(double *p)
{
  p[0] = p[0] * 0.5 + p[1];
}

#pragma autotune kernel key() flags("", "-fno-tree-vectorize") inout(p [0:1]) in(p [1:1])
void unkeyed(double *p)
{
  p[0] = p[0] * 0.5 + p[1];
}

__attribute__((noinline)) void direct2(int m, int n, double *p)
{
  p[0] = p[0] * m + n;
}

#pragma autotune kernel key(m, n) flags("", "-fno-tree-vectorize") inout(p [0:1])
void keyed(int m, int n, double *p)
{
  p[0] = p[0] * m + n;
}

static double now(void)
{
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

int main(void)
{
  double p[2] = { 1, 1 };
  volatile int m = 0, n = 1;
  int a = m, b = n;
  unkeyed(p), keyed(a, b, p);
  for (int r = 0; r < ROUNDS; r++) {
    double plain, stub, plain2, stub2;
    TIME(plain, direct(p));
    TIME(stub, unkeyed(p));
    TIME(plain2, direct2(a, b, p));
    TIME(stub2, keyed(a, b, p));
    printf("round direct %.3f unkeyed %.3f with2 %.3f keyed %.3f\n", plain, stub, plain2,
           stub2);
  }
  return 0;
}
