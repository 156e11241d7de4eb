#pragma autotune kernel
void f(int n, const double *a, double *c)
{
#pragma autotune unroll partial({2, 4})
  {
    c[0] = a[0];
  }
}
