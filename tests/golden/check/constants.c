#pragma autotune kernel param(X: 1, 2) constant(n)
void some(int n, int m, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = m * X;
}
#pragma autotune kernel param(X: 1, 2) constant()
void none(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = X;
}
/* It calls itself, with other values. */
#pragma autotune kernel param(X: 1, 2)
int itself(int n)
{
  return n < X ? 1 : n * itself(n - 1);
}
#pragma autotune kernel param(X: 1, 2) key(n / 64, k, x[0]) constant(n, k, m)
void classes(int n, int m, long k, int *x)
{
  for (int i = 0; i < n; i++)
    x[i] = m + X * k;
}
