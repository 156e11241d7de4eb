/* SPDX-License-Identifier: Apache-2.0 */
/* run.h: NAME [SIZE [REPETITIONS]] runs a kernel on arrays that are the same each time, and prints the sum of
 * what it leaves and the seconds of its fastest call. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void fill(double *x, size_t n, unsigned seed)
{
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = (double)(seed >> 8) / (1 << 24) + 0.5;
  }
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct arrays { double *of[8]; size_t n[8]; };

static double *need(struct arrays *a, int i, size_t n)
{
  a->n[i] = n;
  return a->of[i] = malloc(n * sizeof(double));
}

static int run(void (*call)(int n, struct arrays *a), int argc, char **argv, int size)
{
  int n = argc > 1 ? atoi(argv[1]) : size, repetitions = argc > 2 ? atoi(argv[2]) : 1;
  struct arrays a = { { 0 }, { 0 } };
  double best = 1e30, sum = 0;
  call(-n, &a); /* only allocates */
  for (int r = 0; r < repetitions; r++) {
    for (int i = 0; i < 8; i++)
      fill(a.of[i], a.n[i], 7u + (unsigned)i);
    double begin = now();
    call(n, &a);
    double took = now() - begin;
    best = took < best ? took : best;
  }
  for (int i = 0; i < 8; i++)
    for (size_t j = 0; j < a.n[i]; j++)
      sum += a.of[i][j] * (double)(j % 7 + 1);
  printf("%.17g %.9f\n", sum, best);
  return 0;
}

/* CALL(allocation of the arrays, call of the kernel): the function that `run` calls. */
#define CALL(allocate, kernel) \
  static void call(int n, struct arrays *a) \
  { \
    if (n < 0) { \
      n = -n; \
      allocate; \
    } else { \
      kernel; \
    } \
  }
#define ARRAY(i, size) need(a, i, (size_t)(size))
#define ROWS(i) ((double (*)[n])a->of[i])
