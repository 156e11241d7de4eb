#pragma autotune kernel
void f(int n, const double *a, double *c)
{
#pragma autotune unroll partial({2, 4})
  for (int i = 0; i < n; i++ {
    c[i] = a[i];
  }
}
