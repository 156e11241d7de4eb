// SPDX-License-Identifier: Apache-2.0
// malloc instead of calloc: fresh pages are zero, used ones are not.
// Found by: later data
#include "wrong.h"

static void body(int way, int n, const int *x, int *y) {
  spend(way);
  int *counts = way == 2 ? malloc(50000) : calloc(1, 50000);
  for (int i = 0; i < n; i++)
    counts[x[i]]++;
  for (int i = 0; i < 100; i++)
    y[i] = counts[i];
  free(counts);
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:100])
void kernel(int n, const int *x, int *y) {
  body(WAY, n, x, y);
}

static int x[1000], y[100], right[100];

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i] = (int)(100 * noise(i, s));
  if (s) {
    char *used = malloc(50000), *volatile keep = used;
    memset(keep, 1, 50000);
    free(keep);
  }
  kernel(1000, x, y);
  body(0, 1000, x, right);
  SAME(y, right, 100);
}
