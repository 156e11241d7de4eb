// SPDX-License-Identifier: Apache-2.0
// plain: -DA=1
// A member and a local variable that have the names of functions that come later. A function
// that is declared before the kernel and defined after it is found all the same.
#include <stdio.h>

struct node {
  int counted;
  double value;
};

static double twice(double x);

#pragma autotune kernel param(A: 1, 2) inout(nodes[0:n])
double later(int n, struct node *nodes) {
  int state = n;
  double sum = 0;
  for (int i = 0; i < state; i++) {
    nodes[i].value = twice(nodes[i].value) + nodes[i].counted;
    sum += nodes[i].value * (A + A) / (2 * A);
  }
  return sum;
}

// They keep something between calls, so they are not copied into the unit.
static int counted(int x) {
  static int sum;
  return sum += x;
}
static int state(int x) {
  static int sum = 1;
  return sum *= x;
}
static double twice(double x) { return 2 * x; }

int main(void) {
  struct node nodes[] = { { counted(1), 1 }, { counted(2), 2 }, { state(3), 3 } };
  printf("%g\n", later(3, nodes));
}
