// Sections that end before what is certainly written are warned of.
#include <stddef.h>
#pragma autotune kernel param(T: 8, 16) in(a[0:n*n], b[0:n*n]) out(c[0:n])
void product(int n, const double *a, const double *b, double *c)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = T - T;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

#pragma autotune kernel param(T: 8, 16) inout(x[1:n]) out(y[0:(size_t)(n - 1)])
void ends(long n, double *x, double *y)
{
  for (long i = 0; i <= n; i++)
    x[i] *= T / T;
  for (long i = 0; i < n; i++)
    y[i] = 2;
}

#pragma autotune kernel param(T: 8, 16) out(g[0:8][0:m])
void rows(int m, double (*g)[m])
{
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < m; j++)
      g[i][j] = T / T;
}

// These are as large as what is written, or it is not certain that they are not.
#pragma autotune kernel param(T: 8, 16) in(k[0:n]) out(a[0:n*m], b[0:m], c[0:n], d[0:n], e[0:4]) inout(f[0:n], f[n:n]) scratch(w[0:n])
void fine(int n, int m, const int *k, double *a, double *b, double *c, double *d, double *e, double *f, double *w)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * m + j] = T / T;
  for (int i = 0; i < n; i++)
    b[i] = 1;
  for (int i = 0; i < n; i++)
    c[k[i]] = 1;
  for (int i = 0; i < 2 * n; i++)
    if (i < n)
      d[i] = 1;
  for (int i = 0; i < 4; i++)
    e[i] = 1;
  for (int i = 0; i < 2 * n; i++)
    f[i] = w[2 * i] = 1;
}
