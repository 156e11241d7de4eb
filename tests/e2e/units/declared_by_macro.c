// SPDX-License-Identifier: Apache-2.0
// Arguments whose whole declarator is a macro, as PolyBench declares its arrays: the name that a section
// or a key means is only in what the macro expands to.
#include <stdio.h>
#define NB 4
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

int main(void)
{
  double A[3][5], C[3][5] = { { 0 } };
  for (int i = 0; i < 15; i++)
    A[i / 5][i % 5] = i;
  add(3, 5, C, A);
  printf("%g %g\n", C[0][1], C[2][4]);
  return 0;
}
