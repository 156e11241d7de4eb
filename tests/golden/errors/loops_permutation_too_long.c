#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune interchange permutation((3,1,2))
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i] += j;
}
