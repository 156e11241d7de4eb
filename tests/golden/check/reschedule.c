#include <math.h>
#define INNER(m) ((m) - 1)
void jacobi(int steps, int n, double (*restrict a)[n], double (*restrict b)[n])
{
  int t, i, j;
#pragma autotune kernel
#pragma autotune reschedule sizes({8, 16}, {16, 64}, 256) num_threads({1, 2})
  for (t = 0; t < steps; t++) {
    for (i = 1; i < INNER(n); i++)
      for (j = 1; j < INNER(n); j++)
        b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][1 + j] + a[1 + i][j] + a[i - 1][j]);
    for (i = 1; i < INNER(n); i++)
      for (j = 1; j < INNER(n); j++)
        a[i][j] = b[i][j];
  }
}

#pragma autotune kernel
void factor(int n, double (*restrict a)[n])
{
  double w;
#pragma autotune reschedule sizes({4, 16}, {4, 16}, 16) optional
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      w = a[i][j];
      for (int k = 0; k < j; k++)
        w -= a[i][k] * a[j][k];
      a[i][j] = w / a[j][j];
    }
    for (int k = 0; k < i; k++)
      a[i][i] -= a[i][k] * a[i][k];
    a[i][i] = sqrt(a[i][i]);
  }
}
