#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune tile sizes(8)
  for (int i = 0, j = n; i < n; i++)
    a[i] = j;
}
