#pragma autotune kernel param(NT: 1, 2, 4) in(A[0:n][0:n], B[0:n][0:n]) inout(C[0:n][0:n])
void gemm(int n, double A[n][n], double B[n][n], double C[n][n])
{
  #pragma autotune parallel for num_threads(NT) schedule({static, dynamic}, {1, 8}) optional
  #pragma autotune tile sizes({8, 16, 32}, {64, 128}, 8)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}
