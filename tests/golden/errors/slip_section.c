// c[0,n] is c[n] to C.
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0,n])
void comma(int n, const double *a, double *c)
{
  for (int i = 0; i < n; i++)
    c[i] = T * a[i];
}
#pragma autotune kernel param(T: 1, 2) in(a[0:n] b[0:n]) out(c[0:n])
void missing_comma(int n, const double *a, const double *b, double *c)
{
  for (int i = 0; i < n; i++)
    c[i] = T * a[i] + b[i];
}
#pragma autotune kernel param(T: 1, 2) in(a[0:n]) out(c[0:n -])
void unfinished(int n, const double *a, double *c)
{
  for (int i = 0; i < n; i++)
    c[i] = T * a[i];
}
