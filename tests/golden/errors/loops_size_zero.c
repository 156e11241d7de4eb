#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune tile sizes({0, 8})
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
