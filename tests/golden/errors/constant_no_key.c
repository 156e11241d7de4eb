#pragma autotune kernel param(X: 1, 2) key(n / 64, k, x[0]) constant(n, k, m)
void f(int n, int m, long k, int *x)
{
  for (int i = 0; i < n; i++)
    x[i] = m + X * k;
}
