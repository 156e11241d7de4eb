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
