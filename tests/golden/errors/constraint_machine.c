#pragma autotune kernel param(X: 1, 2) constraint(X < AUTOTUNE_L4)
void f(int n, const double *a, double *c)
{
  double t[X];
  for (int i = 0; i < n; i++)
    c[i] = a[i] + X;
}
