#pragma autotune kernel
void f(int n, double *restrict a, double (*restrict b)[64])
{
  #pragma autotune fission
  for (int i = 0; i < n; i++) {
    a[i] = 0;
    b[i][0] = 1;
  }
}
