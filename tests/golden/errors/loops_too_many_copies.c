#pragma autotune kernel
void f(int n, double *a)
{
  #pragma autotune unroll_and_jam partial(2, 2)
  #pragma autotune interchange permutation(any)
  #pragma autotune tile sizes(4, 4, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
          a[i] += j + k + l;
}
