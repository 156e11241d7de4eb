#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune tile sizes({8, 16}, {8, 16})
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j *= 2)
      a[i] += j;
}
