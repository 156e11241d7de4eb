#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune tile sizes(8)
  for (int i = 0; i < n && a[i] > 0; i++)
    a[i] = 0;
}
