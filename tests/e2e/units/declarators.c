// SPDX-License-Identifier: Apache-2.0
// One declaration of kernels, another function and a variable, which all must stay what
// they are.
#include <stdio.h>
int first(int n), second(int n), helper(int n), *other(void), total, *where;
#define STEP 1
#pragma autotune kernel param(STEP: 1, 2)
int first(int n)
{
  int s = 0;
  for (int i = 0; i < n; i += STEP)
    s += helper(STEP) - 1;
  total += s;
  return s;
}
#pragma autotune kernel param(STEP: 1, 2) out(where[0:1])
int second(int n)
{
  *where = n;
  return first(n) + *other() * STEP / STEP;
}
int helper(int n) { return n + 1; }
int *other(void) { return where; }
int main(void)
{
  static int there;
  where = &there;
  int a = first(8), before = total, b = second(8);
  printf("%d %d %d %d %d\n", a, before > 0, b, total >= before, there);
  return 0;
}
