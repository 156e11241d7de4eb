// SPDX-License-Identifier: Apache-2.0
// Seeds the random numbers of the C library, which the program uses too.
// Found by: state
#include "wrong.h"
#define N 1000
#define BEFORE before(s)
#define AFTER SAME1(rand(), first)

static void body(int way, int n, const double *x, double *y) {
  spend(way);
  if (way == 2)
    srand(42);
  for (int i = 0; i < n; i++)
    y[i] = floor(10 * x[i]);
}

static int first;

static void before(int s) {
  srand((unsigned)s);
  first = rand();
  srand((unsigned)s);
}

#include "map.h"
