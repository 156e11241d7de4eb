// SPDX-License-Identifier: Apache-2.0
// Array arguments: VLA, restrict, static bounds, pointers to rows, sections of several dimensions, with
// lengths of 0 and below, NULL; complex elements; a result that is no scalar.
#include <complex.h>
#include <stdio.h>
#include <tgmath.h>
#define NB 4
typedef double real;

#pragma autotune kernel param(NB: 2, 4, 8) inout(C[0:n][0:m]) in(A[0:n][0:m], x[0:m]) \
  flops(2.0 * n * m) bytes(8.0 * n * m)
void rows(int n, int m, double A[n][m], real (*restrict C)[m], const double x[static 1])
{
  for (int ii = 0; ii < n; ii += NB)
    for (int i = ii; i < ii + NB && i < n; i++)
      for (int j = 0; j < m; j++)
        C[i][j] += A[i][j] * x[j];
}

#pragma autotune kernel param(NB: 2, 4) inout(z[0:n]) in(none[0:n], z[n:-n], z[0:0])
double complex wave(long n, double complex *z, const float *none)
{
  double complex sum = none ? 1 : 0;
  for (long i = 0; i < n; i++)
    sum += z[i] *= I * NB / NB + cos(0.0);
  return sum;
}

#pragma autotune kernel param(NB: 2, 4) key(n / 4, *v > 2) inout(v[0:n])
static float half(unsigned short n, float *v)
{
  float s = 0;
  for (int i = 0; i < n; i++)
    s += v[i] += (float)(NB - NB);
  return s;
}

int main(void)
{
  double A[3][5], C[3][5] = { { 0 } }, x[5] = { 1, 2, 3, 4, 5 };
  double complex z[4] = { 1, 2 * I, 3, 4 };
  float v[3] = { 1, 2, 3 };
  for (int i = 0; i < 15; i++)
    A[i / 5][i % 5] = i;
  rows(3, 5, A, C, x);
  double complex w = wave(4, z, NULL);
  printf("%g %g %g %g %g %g\n", C[0][1], C[2][4], creal(w), cimag(w), creal(z[1]),
         (double)half(3, v));
  return 0;
}
