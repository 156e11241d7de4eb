#pragma autotune kernel
void f(int n, double *restrict a, double (*restrict b)[64])
{
  #pragma autotune fission
  for (int i = 0; i < n; i++) {
    a[i] = 0;
    #pragma autotune reverse
    for (int j = 0; j < n; j++)
      b[i][j] = 1;
#pragma autotune fission
  }
}
