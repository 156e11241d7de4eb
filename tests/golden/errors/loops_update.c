#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune unroll partial(4)
  for (int i = 1; i < n; i *= 2)
    a[i] = 0;
}
