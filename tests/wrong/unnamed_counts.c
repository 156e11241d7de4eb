// SPDX-License-Identifier: Apache-2.0
// A histogram of doubles next to a sum of 1e12, which no section names; the last bin is half too small.
// Found by: writes
#include "wrong.h"
#define N 4000

struct histogram {
  double sum, count[32], last;
};
struct holder {
  struct histogram *h;
};

static void body(int way, int n, const double *x, struct histogram *h) {
  spend(way);
  memset(h, 0, sizeof *h);
  for (int i = 0; i < n; i++) {
    h->sum += 1e9 * x[i];
    h->count[(int)(x[i] * 32)] += 1;
  }
  h->count[31] -= way == 2 ? 0.5 : 0;
  h->last = x[n - 1];
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n])
void kernel(int n, const double *x, struct holder *p) {
  body(WAY, n, x, p->h);
}

static double x[N];
static struct histogram got, expected;

static void step(int s) {
  struct holder p = { &got };
  for (int i = 0; i < N; i++)
    x[i] = noise(i, s);
  kernel(N, x, &p);
  body(0, N, x, &expected);
  SAME(got.count, expected.count, 32);
  SAME1(got.last, expected.last);
}
