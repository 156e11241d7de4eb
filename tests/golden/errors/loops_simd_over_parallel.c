#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune simd
  for (int i = 0; i < n; i++)
    #pragma autotune parallel for
    for (int j = 0; j < n; j++)
      a[i] += j;
}
