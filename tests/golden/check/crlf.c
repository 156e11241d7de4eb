#pragma autotune kernel param(X: 1, \
    2) \
  in(a[0:n])
void f(int n, const int *a)
{
  g(a[X]);
}