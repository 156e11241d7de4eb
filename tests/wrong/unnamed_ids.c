// SPDX-License-Identifier: Apache-2.0
// Particles that no section names, whose numbers of 1.2e9 look like floats of 6e4; z is twice as large.
// Found by: writes
#include "wrong.h"
#define N 500

struct particle {
  float x, y, z;
  int id;
};
struct list {
  struct particle *first;
};

static void body(int way, int n, const float *v, struct particle *p) {
  spend(way);
  for (int i = 0; i < n; i++) {
    float z = way == 2 ? v[i] : 0.5f * v[i];
    p[i] = (struct particle){ v[i], 2 * v[i], z, 1200000000 + 1000 * i };
  }
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(v[0:n])
void kernel(int n, const float *v, struct list *l) {
  body(WAY, n, v, l->first);
}

static float v[N];
static struct particle got[N], expected[N];

static void step(int s) {
  struct list l = { got };
  for (int i = 0; i < N; i++)
    v[i] = (float)noise(i, s);
  kernel(N, v, &l);
  body(0, N, v, expected);
  for (int i = 0; i < N; i++) {
    same("z", i, got[i].z, expected[i].z);
    same("id", i, got[i].id, expected[i].id);
  }
}
