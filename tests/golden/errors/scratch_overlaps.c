#pragma autotune kernel out(c[4:4]) in(a[0:n]) \
    scratch(c[0:4], c[7:9], a[0:4], t, c[8:n])
void f(int n, const double *a, double *c, double *t)
{
  for (int i = 0; i < n; i++)
    c[i] = a[i];
}
#pragma autotune kernel inout(c[n:n]) scratch(c[n:1], c[2 * n:1])
void g(int n, double *c)
{
  for (int i = 0; i < n; i++)
    c[i] = 0;
}
