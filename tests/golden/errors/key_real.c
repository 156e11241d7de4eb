#pragma autotune kernel key(x)
void f(double x, const double *a, double *c, int n)
{
  for (int i = 0; i < n; i++)
    c[i] = a[i];
}
