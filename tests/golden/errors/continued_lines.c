#pragma autotune kernel param(X: 1, 2) \
    in(a[0:n]) /* a comment */ \
    frob(3)
void f(int n, const double *a)
{
  double t[X];
}
