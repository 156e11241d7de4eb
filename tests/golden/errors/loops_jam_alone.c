#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune unroll_and_jam partial({2, 4})
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
