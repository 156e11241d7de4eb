// SPDX-License-Identifier: Apache-2.0
// Macros with the names of attributes that generated text has, that of an omp region too, which the kernel uses.
#include <stdio.h>

#define alias 1
#define aligned 2
#define always_inline 3
#define cold 4
#define constructor 5
#define destructor 7
#define noinline 9
#define unused 12
#define used 13
#define visibility 14
#define weak 15

#define LANES 1
#pragma autotune kernel param(LANES: 1, 2, 4) in(a[0:m * 4]) inout(b[0:m * 4])
static double step(int m, const double *a, double *b)
{
  double total = alias + aligned + always_inline + constructor + destructor + weak;
#pragma autotune parallel for optional
  for (int row = 0; row < m * 4; row++)
    b[row] += a[row] * noinline + cold - unused + used * visibility;
  for (int lane = 0; lane < m * 4; lane += LANES)
    for (int part = 0; part < LANES && lane + part < m * 4; part++)
      total += b[lane + part];
  return total;
}

int main(void)
{
  double a[40], b[40];
  for (int row = 0; row < 40; row++)
    a[row] = row, b[row] = 1;
  printf("%g\n", step(10, a, b));
  printf("%g %g %g\n", step(9, a, b), b[0], b[39]);
  return 0;
}
