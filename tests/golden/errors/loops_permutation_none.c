#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune interchange permutation(any)
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      a[i] += j;
}
