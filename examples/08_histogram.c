// SPDX-License-Identifier: Apache-2.0
// 08_histogram.c: how often does each byte occur? Three algorithms that know different
// things.
//
// Lesson: the algorithm as a parameter. `#pragma autotune alternative(histogram)` on
// another function of the same signature makes it a candidate, with sets of its own. The
// plain loop waits for its own stores where neighbouring bytes are equal, as in text or
// dark images; copies avoid that; threads pay where the input is long. The key keeps the
// exact length apart from all others by default; here key(…) takes its order of
// magnitude, so that one tuning serves all inputs of about that size.
//
//   cc -O3 -march=native 08_histogram.c -lm && ./a.out
//   autotune cc cc -O3 -march=native 08_histogram.c -lm && ./a.out
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COPIES 4
#define THREADS 2

#pragma autotune kernel \
    param(COPIES: 2, 4, 8, 16) \
    param(THREADS: 1, 2, 4, 8) constraint(THREADS <= AUTOTUNE_THREADS) \
    key(63 - __builtin_clzl(n | 1)) in(data[0:n]) out(count[0:256]) verify(exact) bytes(n)
void histogram(size_t n, const unsigned char *data, unsigned *count)
{
  memset(count, 0, 256 * sizeof *count);
  for (size_t i = 0; i < n; i++)
    count[data[i]]++;
}

// Neighbouring bytes are counted in different tables.
#pragma autotune alternative(histogram)
void histogram_copies(size_t n, const unsigned char *data, unsigned *count)
{
  unsigned table[COPIES][256] = { { 0 } };
  size_t i = 0;
  for (; i + COPIES <= n; i += COPIES)
    for (int c = 0; c < COPIES; c++)
      table[c][data[i + c]]++;
  for (; i < n; i++)
    table[0][data[i]]++;
  for (int b = 0; b < 256; b++) {
    count[b] = 0;
    for (int c = 0; c < COPIES; c++)
      count[b] += table[c][b];
  }
}

// Each thread counts a part of the data, in COPIES tables of its own.
#pragma autotune alternative(histogram)
void histogram_threads(size_t n, const unsigned char *data, unsigned *count)
{
  memset(count, 0, 256 * sizeof *count);
  #pragma autotune parallel for num_threads(THREADS)
  for (int t = 0; t < THREADS; t++) {
    unsigned table[COPIES][256] = { { 0 } };
    size_t i = n * t / THREADS, end = n * (t + 1) / THREADS;
    for (; i + COPIES <= end; i += COPIES)
      for (int c = 0; c < COPIES; c++)
        table[c][data[i + c]]++;
    for (; i < end; i++)
      table[0][data[i]]++;
    #pragma omp critical
    for (int b = 0; b < 256; b++)
      for (int c = 0; c < COPIES; c++)
        count[b] += table[c][b];
  }
}

static double seconds(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv)
{
  size_t n = argc > 1 ? atoi(argv[1]) : 8 << 20, used = 0;
  unsigned char *data = malloc(n);
  unsigned count[256], expected[256] = { 0 }, state = 1;
  while (used < n) { // runs of equal bytes
    state = state * 1664525 + 1013904223;
    for (unsigned run = 1 + (state >> 28); run > 0 && used < n; run--)
      expected[data[used++] = state >> 20 & 255]++;
  }

  double start = seconds(), best = INFINITY;
  histogram(n, data, count);
  printf("histogram of %zu bytes\n  first call   %.6f s\n", n, seconds() - start);
  for (double end = seconds() + 0.5; seconds() < end;) {
    start = seconds();
    histogram(n, data, count);
    best = fmin(best, seconds() - start);
  }
  printf("  later calls  %.6f s   %.1f GB/s\n", best, 1e-9 * n / best);
  if (memcmp(count, expected, sizeof count))
    return printf("  WRONG ANSWER\n"), 1;
  printf("  right answer\n");
  free(data);
  return 0;
}
