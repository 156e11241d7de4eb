#pragma autotune kernel
void f(int n, const double *a, double *c)
{
#pragma autotune tile sizes({8, 16})
  while (n--)
    c[n] = a[n];
}
