// SPDX-License-Identifier: Apache-2.0
// Loops that can be kernels, in functions that cannot.
#include <stdio.h>
#include <stdlib.h>
#define N 1500
static double a[N][N], b[N][N], c[N][N];
static void show(double x) { printf("%.6g\n", x); }
static void scale(int n, double *restrict x)
{
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}
static double *mixed(int n, double *restrict x, const double *restrict y)
{
  show(n);
  for (int i = 1; i < n - 1; i++)
    x[i] = y[i - 1] + y[i] + y[i + 1];
  show(x[1]);
  return x;
}
int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : N, i, j, k;
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), sum = 0;
  for (i = 0; (i < n); i++)
    for (j = 0; j < n; j++) {
      a[i][j] = i + j;
      b[i][j] = i - j;
    }
  for (i = 0; i < n; i++)
    y[i] = i;
  for (int t = 0; t < 3; t++) {
    show(t);
    for (i = 0; (i < n); i++)
      for (j = 0; j < n; j++) {
        c[i][j] = 0;
        for (k = 0; k < n; k++)
          c[i][j] += a[i][k] * b[k][j];
      }
    mixed(n, x, y);
    for (i = 0; i < n; i++)
      sum += c[i][i] * x[i];
    for (i = 0; i < n; i++)
      scale(n, y);
    show(sum);
  }
  return 0;
}
