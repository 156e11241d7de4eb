// SPDX-License-Identifier: Apache-2.0
// break_even.c: measures after how many calls tuning has paid for itself. The kernel
// takes about 10 ms, and its best variant half as long: each step of a recurrence waits
// for the one before, and two rows at once wait half as often.
//
//   break_even CALLS
//
// prints the total time of so many calls and that of calls that are never tuned (the
// same code without the pragma, timed before), the longest call, and after how many calls
// the total is smaller.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 2000, COLUMNS = 4096, STORED = 32, USUAL = 15 };

#define ROWS_AT_ONCE 1
#define AHEAD 1

#pragma autotune kernel param(ROWS_AT_ONCE : 1, 2) param(AHEAD : 1, 2, 4, 8) \
    verify(rtol : 1e-9) in(a[0 : STORED * COLUMNS]) out(y[0 : rows])
void decay(int rows, const double *a, double *y) {
  for (int r = 0; r < rows; r += ROWS_AT_ONCE) {
    double last[ROWS_AT_ONCE] = { 0 };
#pragma autotune unroll partial(AHEAD)
    for (int i = 0; i < COLUMNS; i++)
      for (int k = 0; k < ROWS_AT_ONCE; k++)
        last[k] = 0.75 * last[k] + a[(r + k) % STORED * COLUMNS + i];
    for (int k = 0; k < ROWS_AT_ONCE; k++)
      y[r + k] = last[k];
  }
}

static void plain(int rows, const double *a, double *y) {
  for (int r = 0; r < rows; r++) {
    double last = 0;
    for (int i = 0; i < COLUMNS; i++)
      last = 0.75 * last + a[r % STORED * COLUMNS + i];
    y[r] = last;
  }
}

static double a[STORED * COLUMNS], y[ROWS];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double timed(void (*f)(int, const double *, double *)) {
  double start = now();
  f(ROWS, a, y);
  __asm__ volatile("" : : "r"(y) : "memory");
  return now() - start;
}

static int by_value(const void *p, const void *q) {
  double x = *(const double *)p, z = *(const double *)q;
  return (x > z) - (x < z);
}

static double median(double *values, int n) {
  qsort(values, (size_t)n, sizeof *values, by_value);
  return values[n / 2];
}

static int run(int calls) {
  double usual[USUAL], *each = malloc((size_t)calls * sizeof *each), total = 0,
                       longest = 0;
  int since = 1, rows = 0;
  if (!each)
    return 1;
  timed(plain);
  for (int i = 0; i < USUAL; i++)
    usual[i] = timed(plain);
  for (int i = 0; i < calls; i++)
    each[i] = timed(decay);
  double never = median(usual, USUAL);
  printf("never tuned %.2f ms a call, the last calls %.2f ms\n", never * 1e3,
         median(each + calls - calls / 10 - 1, calls / 10 + 1) * 1e3);
  for (int i = 0; i < calls; i++) {
    total += each[i];
    longest = each[i] > longest ? each[i] : longest;
    if (total >= never * (i + 1))
      since = i + 2;
    if (i + 1 == 10 << rows) {
      printf("  %5d calls: %8.3f s, never tuned %8.3f s\n", i + 1, total,
             never * (i + 1));
      rows++;
    }
  }
  printf("  longest call %.2f ms more than the default; ", (longest - never) * 1e3);
  if (since > calls)
    printf("no break-even in %d calls\n", calls);
  else
    printf("break-even after %d calls\n", since);
  free(each);
  return 0;
}

int main(int argc, char **argv) {
  int calls = argc > 1 ? atoi(argv[1]) : 2000;
  for (int i = 0; i < STORED * COLUMNS; i++)
    a[i] = 1.0 / (1 + i % 97);
  return calls < 20 ? 2 : run(calls);
}
