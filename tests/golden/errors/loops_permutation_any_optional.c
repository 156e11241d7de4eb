#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune interchange permutation(any)
  #pragma autotune tile sizes(4, 4) optional
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i] += j;
}
