#pragma autotune kernel
void f(int n, double *a)
{
  int i = 0;
  #pragma autotune tile sizes(8)
  for (; i < n; i++)
    a[i] = 0;
}
