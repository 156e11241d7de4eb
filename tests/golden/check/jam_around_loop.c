#pragma autotune kernel
void f(int n, double A[n][n], double B[n][n], double C[n][n])
{
  #pragma autotune unroll_and_jam partial({4,1},{4,1})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] = 0;
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
}
#pragma autotune kernel
void g(int n, const double *restrict a, double *restrict c)
{
  #pragma autotune unroll_and_jam partial({4,1},{4,1})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int r = 0; r < 3; r++)
        c[i * n + j] += a[i * n + j + r];
}
