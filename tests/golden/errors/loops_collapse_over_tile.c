#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune parallel for collapse(2)
  #pragma autotune tile sizes(8)
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
