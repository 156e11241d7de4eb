#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune unroll full partial(2)
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
