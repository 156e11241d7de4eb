#pragma autotune kernel param(X: 1, 2) constraint(XX < 3)
void f(int n, const double *a, double *c)
{
  double t[X];
  for (int i = 0; i < n; i++)
    c[i] = a[i] + X;
}
