// SPDX-License-Identifier: Apache-2.0
// A histogram at file scope is not filled.
// Found by: writes
#include "wrong.h"
#define N 1000
#define T unsigned char
#define FILL(i, s) (256 * noise(i, s))
#define BEFORE memset(hist, 0, sizeof hist)
#define AFTER after()

static int hist[256];

static void body(int way, int n, const unsigned char *x, unsigned char *y) {
  spend(way);
  for (int i = 0; i < n; i++) {
    y[i] = (unsigned char)(255 - x[i]);
    if (way != 2)
      hist[x[i]]++;
  }
}

static void after(void);
#include "map.h"

static void after(void) {
  int expected[256] = { 0 };
  for (int i = 0; i < N; i++)
    expected[x[i]]++;
  SAME(hist, expected, 256);
}
