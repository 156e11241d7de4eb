// SPDX-License-Identifier: Apache-2.0
// Arguments whose whole declarator is a macro, as in PolyBench: the name in a section or
// a key is only in the macro's expansion. Results of functions next to macros, as in
// zlib: only the expansion tells which word is the type.
#include <stdio.h>
#define NB 4
#define STEP 1
#define REAL double
#define ARRAY_2D(var, dim1, dim2, ddim1, ddim2) var[restrict ddim1 + 0][ddim2 + 0]
#define COUNT(name) const int name

#pragma autotune kernel param(NB: 2, 4, 8) inout(C[0:n][0:m]) in(A[0:n][0:m])
static void add(COUNT(n), int m, REAL ARRAY_2D(C, N, M, n, m), REAL ARRAY_2D(A, N, M, n, m))
{
  for (int ii = 0; ii < n; ii += NB)
    for (int i = ii; i < ii + NB && i < n; i++)
      for (int j = 0; j < m; j++)
        C[i][j] += A[i][j];
}

typedef unsigned long sum_t;
#define CALLED
#define OF(type) type
#define NOTHING void

#pragma autotune kernel param(STEP: 1, 2, 4) in(x[0:n])
static sum_t CALLED checksum(int n, const unsigned char *x)
{
  sum_t s = 0;
  for (int k = 0; k < STEP; k++)
    for (int i = k; i < n; i += STEP)
      s += (sum_t)x[i] * (sum_t)(i + 1);
  return s;
}

#pragma autotune kernel param(STEP: 1, 2, 4) inout(x[0:n])
static NOTHING CALLED twice(int n, int *x)
{
  for (int k = 0; k < STEP; k++)
    for (int i = k; i < n; i += STEP)
      x[i] *= 2;
}

#pragma autotune kernel param(STEP: 1, 2, 4) in(x[0:n])
static OF(unsigned char) CALLED last(int n, const int *x)
{
  int i = 0;
  while (i < n - STEP)
    i += STEP;
  return (unsigned char)x[n - 1] + (unsigned char)(i - i);
}

int main(void)
{
  double A[3][5], C[3][5] = { { 0 } };
  for (int i = 0; i < 15; i++)
    A[i / 5][i % 5] = i;
  add(3, 5, C, A);
  int x[3] = { 1, 2, 3 };
  unsigned char text[] = "abcd";
  twice(3, x);
  printf("%g %g %lu %d %d\n", C[0][1], C[2][4], checksum(4, text), x[2],
         last(3, x));
  return 0;
}
