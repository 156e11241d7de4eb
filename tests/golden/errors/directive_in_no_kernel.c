void f(int n, double *c)
{
#pragma autotune unroll partial({2, 4})
  while (n-- > 0)
    c[n] = 0;
}
