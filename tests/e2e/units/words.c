// SPDX-License-Identifier: Apache-2.0
// Macros with the names of attributes, fields and other words of generated text. The
// kernel, its clauses and the text of an omp region use them.
#include <stdio.h>

#define alias 1
#define aligned 2
#define always_inline 3
#define cold 4
#define constructor 5
#define default_visibility 6
#define destructor 7
#define hot 8
#define noinline 9
#define nonnull 10
#define packed 11
#define unused 12
#define used 13
#define visibility 14
#define weak 15
#define size (m * 4)
#define count size
#define key (m % 7)
#define threads 3
#define text 16
#define line 17
#define args 18
#define base 19
#define node 20
#define code 21
#define i 1
#define d 0
#define result total
#define kernel 22
#define x (y + 1)
#define site 23
#define values(a) ((a) + 24)

#define LANES 1
#pragma autotune kernel param(LANES: 1, 2, 4) constraint(LANES <= threads + i && values(LANES) > text) \
  key(m, key) in(a[d:size]) inout(b[d:count]) flops(2.0 * size) bytes(8.0 * count)
static double step(int m, const double *a, double b[m * 4])
{
  double total = 0;
  int y = LANES - 1;
#pragma autotune parallel for optional
  for (int row = 0; row < size; row++)
    b[row] += a[row] * noinline + cold - unused + used * visibility;
  for (int lane = 0; lane < size; lane += LANES)
    for (int part = 0; part < LANES && lane + part < size; part++)
      result += b[lane + part] * x - y * b[lane + part];
  return result + alias + aligned + always_inline + constructor + default_visibility + destructor + hot +
    nonnull + packed + weak + line + args + base + node + code + kernel + site;
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
