/* SPDX-License-Identifier: Apache-2.0 */
/* wrong.h: shared by the cases of the corpus: the delay that makes WAY 2 the fastest, comparisons, and main().
 *
 * A case defines body(way, …), with a mistake in way 2; `kernel`, which is annotated and calls body(WAY, …); and
 * step(s), which sets data, calls the kernel, does the same by body(0, …), and compares all that the kernel should
 * have changed. Step 0 is the first call, the one that tunes; later steps have other data.
 *
 * The program prints three lines: `answers`, `later` (the last round of steps, after a wrong answer has been noticed
 * or time is up) and `winner` (the WAY that runs in the end, or `unknown`). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 4 };

/* Without autotune there is neither pragma nor library: -DWAY=2 shows the mistake. */
#ifndef WAY
#define WAY 0
#endif
#include <autotune.h>
#pragma weak autotune_best_int
#pragma weak autotune_wait

/* How far numbers may be apart, relatively: far less than any of the mistakes. */
#define TOLERANCE 1e-8

/* Takes about 250, 80 or 25 microseconds at 4 GHz. Each turn waits for the product of the one before, 5 cycles on all
 * x86-64 processors of today; a volatile counter takes 1 to 5. */
static inline void spend(int way) {
  volatile unsigned long long kept = 1;
  unsigned long long x = kept;
  for (int turns = way == 0 ? 200000 : way == 1 ? 65000 : 20000; turns > 0; turns--)
    x = (x ^ x >> 29) * 0x9E3779B97F4A7C15ull;
  kept = x;
}

static void step(int s);

static long calls, wrong_calls;
static char first_wrong[200];
static int is_wrong, at_step;

static inline void differs(const char *name, long i, double got, double expected) {
  if (!is_wrong && !first_wrong[0])
    snprintf(first_wrong, sizeof first_wrong, "step %d: %s[%ld] is %.9g instead of %.9g",
             at_step, name, i, got, expected);
  is_wrong = 1;
}

/* Notes a difference beyond rounding. NaN agrees with NaN, an infinity with itself only. */
static inline void same(const char *name, long i, double got, double expected) {
  if (got == expected || (isnan(got) && isnan(expected)))
    return;
  if (isfinite(expected) && fabs(got - expected) <= TOLERANCE * fabs(expected))
    return;
  differs(name, i, got, expected);
}

/* Compares N elements of two arrays, and two values. */
#define SAME(got, expected, n)                                                           \
  for (long same_i = 0; same_i < (long)(n); same_i++)                                    \
  same(#got, same_i, (double)(got)[same_i], (double)(expected)[same_i])
#define SAME1(got, expected) same(#got, 0, (double)(got), (double)(expected))

/* A number from 0 to 1 that looks random, the same for the same I and S. */
static inline double noise(long i, int s) {
  unsigned long long h = ((unsigned long long)i + 1) * 0x9E3779B97F4A7C15ull + (unsigned)s;
  h ^= h >> 31, h *= 0xBF58476D1CE4E5B9ull, h ^= h >> 29;
  return (double)(h >> 11) / 9007199254740992.0;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* True if the step's answers were right. */
static int step_is_right(int s) {
  is_wrong = 0, at_step = s;
  step(s);
  calls++;
  wrong_calls += is_wrong;
  return !is_wrong;
}

static int round_is_right(void) {
  int right = 1;
  for (int s = 1; s < STEPS; s++)
    right &= step_is_right(s);
  return right;
}

int main(void) {
  const char *mode = getenv("AUTOTUNE_MODE"), *patience = getenv("WRONG_PATIENCE");
  double start = seconds();
  step_is_right(0);
  if (autotune_wait && mode && !strcmp(mode, "online"))
    while (seconds() - start < 8 && autotune_wait(0) == AUTOTUNE_TIMEOUT)
      for (int i = 0; i < 20; i++)
        step_is_right(0);
  if (autotune_wait)
    autotune_wait(8);
  start = seconds();
  int right = round_is_right();
  right &= round_is_right();
  while (wrong_calls && !right && seconds() - start < (patience ? atof(patience) : 10))
    right = round_is_right();
  if (wrong_calls)
    printf("answers: wrong in %ld of %ld calls, %s\n", wrong_calls, calls, first_wrong);
  else
    puts("answers: right");
  puts(right ? "later: right" : "later: wrong");
  long long way;
  if (autotune_best_int &&
      autotune_best_int("kernel", NULL, "WAY", &way) == AUTOTUNE_OK)
    printf("winner: %lld\n", way);
  else
    puts("winner: unknown");
  return 0;
}
