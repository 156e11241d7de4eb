#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune parallel for
  #pragma autotune unroll full
  for (int i = 0; i < 8; i++)
    a[i] = 0;
}
