#define T 1
#pragma autotune kernel param(T: 1, 2) in(a[0:n][0:m], p[0:n]) out(return[0:n])
double *rows(int n, int m, double **a, const double *p)
{
  return a[0] + T;
}
