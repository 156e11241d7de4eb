#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune tile sizes({8, 16})
  for (int i = 0; i < n; i++)
    if (a[i] < 0)
      n--;
}
