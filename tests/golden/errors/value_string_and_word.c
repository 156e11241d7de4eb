#pragma autotune kernel param(X: "a", b)
void f(int n, const double *a, double *c)
{
  double t[X];
  for (int i = 0; i < n; i++)
    c[i] = a[i] + X;
}
