// SPDX-License-Identifier: Apache-2.0
// rounds.c: the program of the tests with random rounds: `PROGRAM N MILLISECONDS [PAUSE]`
// calls a kernel with key N until that time is over, with PAUSE microseconds after each
// call, and says whether every answer was right. WAY 1 is right and fast. WAY 2 is the
// fastest, and wrong, so no tuning lets it win, and no damaged result may.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 20000 };
#define WAY 0
#define STEP 1

#pragma autotune kernel param(WAY: 0, 1, 2) param(STEP: 1, 2, 4, 8) flags("-O1", "-O2") \
    key(n) in(x[0:n]) out(y[0:n])
void scale(int n, const double *x, double *y)
{
  for (int i = 0; i < n; i++)
    y[i] = WAY == 2 ? 2 * x[i] : 2 * x[i] + 1;
  for (int again = 0; WAY == 0 && again < 8; again++)
    for (int k = 0; k < STEP; k++)
      for (int i = k; i < n; i += STEP)
        y[i] = (y[i] - 1) / 2 * 2 + 1;
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
  static double x[MOST], y[MOST];
  int n = argc > 1 ? atoi(argv[1]) : MOST, wrong = 0, calls = 0;
  double until = now() + 1e-3 * (argc > 2 ? atof(argv[2]) : 0);
  for (int i = 0; i < n; i++)
    x[i] = i % 100;
  do {
    scale(n, x, y);
    for (int i = 0; i < n; i++)
      wrong += y[i] != 2 * x[i] + 1;
    calls++;
    if (argc > 3)
      usleep((useconds_t)atoi(argv[3]));
  } while (now() < until);
  printf("%s, %d calls\n", wrong ? "wrong" : "right", calls);
  return wrong != 0;
}
