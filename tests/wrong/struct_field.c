// SPDX-License-Identifier: Apache-2.0
// Moves particles, and forgets the count of bounces.
// Found by: outputs
#include "wrong.h"

struct particle {
  float x, v;
  char kind;
  short bounces;
};

static void body(int way, int n, struct particle *p) {
  spend(way);
  for (int i = 0; i < n; i++) {
    p[i].x += p[i].v;
    if (p[i].x < 0 || p[i].x > 1) {
      p[i].v = -p[i].v;
      p[i].bounces = (short)(p[i].bounces + (way != 2));
    }
  }
}

#pragma autotune kernel param(WAY: 0, 1, 2) inout(p[0:n])
void kernel(int n, struct particle *p) {
  body(WAY, n, p);
}

static struct particle p[300], right[300];

static void step(int s) {
  for (int i = 0; i < 300; i++)
    p[i].x = (float)noise(i, s), p[i].v = (float)noise(-i, s) - 0.5f;
  memcpy(right, p, sizeof p);
  kernel(300, p);
  body(0, 300, right);
  for (int i = 0; i < 300; i++)
    SAME1(p[i].x, right[i].x), SAME1(p[i].bounces, right[i].bounces);
}
