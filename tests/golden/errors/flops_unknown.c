#pragma autotune kernel flops(2.0 * nn)
void f(int n, const double *a, double *c)
{
  for (int i = 0; i < n; i++)
    c[i] = a[i];
}
