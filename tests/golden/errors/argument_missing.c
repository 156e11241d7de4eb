#pragma autotune kernel
void f(int n, const double *a, double *c)
{
#pragma autotune tile sizes(8, , 16)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i] += a[k];
}
