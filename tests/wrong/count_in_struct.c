// SPDX-License-Identifier: Apache-2.0
// The number of elements kept, a field of the struct, is not set.
// Found by: writes
#include "wrong.h"

struct list {
  double *data;
  int count;
};

static void body(int way, int n, const double *x, struct list *kept) {
  int count = 0;
  spend(way);
  for (int i = 0; i < n; i++)
    kept->data[i] = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > 0.5)
      kept->data[count++] = x[i];
  if (way != 2)
    kept->count = count;
}

#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(kept->data[0:n])
void kernel(int n, const double *x, struct list *kept) {
  body(WAY, n, x, kept);
}

static double x[1000], data[1000], right[1000];
static struct list kept = { data, 0 }, expected = { right, 0 };

static void step(int s) {
  for (int i = 0; i < 1000; i++)
    x[i] = noise(i, s);
  kernel(1000, x, &kept);
  body(0, 1000, x, &expected);
  SAME(data, right, 1000);
  SAME1(kept.count, expected.count);
}
