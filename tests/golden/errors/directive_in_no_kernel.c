void f(int n, double *c)
{
#pragma autotune unroll partial({2, 4})
  for (int i = 0; i < n; i++)
    c[i] = 0;
}
