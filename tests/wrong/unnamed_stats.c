// SPDX-License-Identifier: Apache-2.0
// Statistics that no section names: next to a sum of 1e11 a mean is divided by n - 1.
// Found by: writes
#include "wrong.h"
#define N 1000

struct stats {
  double energy, mean, least, most;
};
struct state {
  struct stats *stats;
};

static void body(int way, int n, const double *x, double *y, struct stats *s) {
  double energy = 0, sum = 0, least = x[0], most = x[0];
  spend(way);
  for (int i = 0; i < n; i++) {
    y[i] = 2 * x[i];
    energy += 1e9 * x[i];
    sum += x[i];
    least = x[i] < least ? x[i] : least;
    most = x[i] > most ? x[i] : most;
  }
  *s = (struct stats){ energy, way == 2 ? sum / (n - 1) : sum / n, least, most };
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:n])
void kernel(int n, const double *x, double *y, struct state *s) {
  body(WAY, n, x, y, s->stats);
}

static double x[N], y[N], right[N];
static struct stats got, expected;

static void step(int s) {
  struct state state = { &got };
  for (int i = 0; i < N; i++)
    x[i] = noise(i, s);
  kernel(N, x, y, &state);
  body(0, N, x, right, &expected);
  SAME(y, right, N);
  SAME1(got.energy, expected.energy);
  SAME1(got.mean, expected.mean);
}
