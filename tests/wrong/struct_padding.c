// SPDX-License-Identifier: Apache-2.0
// Fills whole structs, so padding may differ: right. Way 2 forgets the kind.
// Found by: outputs
#include "wrong.h"

struct item {
  char kind;
  double size;
};

static void body(int way, int n, const double *x, struct item *items) {
  spend(way);
  for (int i = 0; i < n; i++) {
    struct item item;
    memset(&item, way, sizeof item);
    item.kind = (char)(way == 2 ? 0 : i % 3);
    item.size = x[i];
    memcpy(&items[i], &item, sizeof item);
  }
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(items[0:n])
void kernel(int n, const double *x, struct item *items) {
  body(WAY, n, x, items);
}

static double x[300];
static struct item items[300], right[300];

static void step(int s) {
  for (int i = 0; i < 300; i++)
    x[i] = noise(i, s);
  kernel(300, x, items);
  body(0, 300, x, right);
  for (int i = 0; i < 300; i++)
    SAME1(items[i].kind, right[i].kind), SAME1(items[i].size, right[i].size);
}
