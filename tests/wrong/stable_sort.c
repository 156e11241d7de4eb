// SPDX-License-Identifier: Apache-2.0
// An unstable sort; all keys differ at the first call, later some are the same.
// Found by: later data
#include "wrong.h"

static void body(int way, int n, const int *key, int *order) {
  spend(way);
  for (int i = 0; i < n; i++) {
    int at = i;
    while (at > 0 && (way == 2 ? key[order[at - 1]] >= key[i] : key[order[at - 1]] > key[i]))
      order[at] = order[at - 1], at--;
    order[at] = i;
  }
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(key[0:n]) out(order[0:n])
void kernel(int n, const int *key, int *order) {
  body(WAY, n, key, order);
}

static int key[300], order[300], right[300];

static void step(int s) {
  for (int i = 0; i < 300; i++)
    key[i] = i * 7 % (s ? 50 : 300);
  kernel(300, key, order);
  body(0, 300, key, right);
  SAME(order, right, 300);
}
