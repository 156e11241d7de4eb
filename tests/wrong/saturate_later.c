// SPDX-License-Identifier: Apache-2.0
// Loudness wraps around in 16 bits; the first sound is quiet.
// Found by: later data
#include "wrong.h"
#define N 1000
#define T short
#define FILL(i, s) ((short)((s ? 60000 : 6000) * (noise(i, s) - 0.5)))

static void body(int way, int n, const short *x, short *y) {
  spend(way);
  for (int i = 0; i < n; i++) {
    int v = 3 * x[i];
    y[i] = (short)(way == 2 ? v : v > 32767 ? 32767 : v < -32768 ? -32768 : v);
  }
}

#include "map.h"
