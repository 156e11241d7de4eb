// Loops whose iterations certainly depend on each other, given to threads, are warned of.
#pragma autotune kernel inout(b[0:n])
void flow(int n, double *b)
{
  #pragma autotune parallel for num_threads({1, 2})
  for (int i = 1; i < n; i++)
    b[i] = b[i] + b[i - 1];
}

#pragma autotune kernel in(a[0:n*m]) inout(c[0:m])
void sums(int n, int m, const double *a, double *c)
{
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      c[j] += a[i * m + j];
}

#define AT(i, j) g[i][j]
#pragma autotune kernel inout(g[0:n][0:n])
void sweep(int n, double (*g)[n])
{
  for (int t = 0; t < 3; t++)
    #pragma autotune parallel for
    #pragma autotune tile sizes({8, 16})
    for (int i = 1; i < n - 1; i++)
      for (int j = n - 2; j > 0; j--)
        AT(i, j) = AT(i + 1, j - 1) + AT(i, j);
}

#pragma autotune kernel inout(g[0:n][0:n])
void transposed(int n, double (*g)[n])
{
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      g[i][j] = g[j][i];
}

#pragma autotune kernel inout(x[0:2*n]) out(last[0:1])
void strided(int n, double *x, double *last)
{
  #pragma autotune parallel for
  for (int i = 0; i < n; i += 2)
    x[i] = x[i + 4];
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    last[0] = x[i];
}

struct pair { double x, y; };
#define TWO 2
_Atomic int total[4];

// No two iterations of these meet, or it is not certain that they do, or threads take turns.
#pragma autotune kernel in(a[0:n*n], at[0:n]) inout(c[0:n*n], b[0:n], p[0:n], q[0:n]) inout(total)
void apart(int n, int m, const int *at, const double *a, double *c, double *b, struct pair *p, _Atomic int *q)
{
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c[i * n + j] += a[j * n + i];
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      c[i * n + j] = a[j];
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    b[at[i]] += 1;
  #pragma autotune parallel for
  for (int i = 0; i < n - m; i++)
    b[i] = b[i + m];
  #pragma autotune parallel for
  for (int i = 0; i < 2; i++)
    b[i] = b[i + 2];
  #pragma autotune parallel for
  for (int i = 0; i < TWO; i++)
    b[i] = b[i + 2];
  #pragma autotune parallel for
  for (int i = 0; i < n; i += 2)
    b[i] = b[i + 1];
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    if (i == 0)
      b[0] = n;
  #pragma autotune parallel for reduction(+: b[0:n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[j] += a[i * n + j];
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      #pragma omp atomic
      b[j] += a[i * n + j];
    }
  #pragma autotune parallel for
  for (int i = 1; i < n; i++)
    p[i].x = p[i - 1].y;
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    q[0] += at[i];
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    total[0] += at[i];
  #pragma autotune parallel for
  for (int i = 0; i < n; i++) {
    double own[2];
    own[0] = a[i];
    own[1] = own[0];
    c[i] = own[1];
  }
  for (int k = 0; k < n; k++)
    #pragma autotune parallel for
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++)
        c[i * n + j] -= c[i * n + k] * c[k * n + j];
  #pragma autotune parallel for
  #pragma autotune interchange permutation({(2, 1)})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[j] += a[i * n + j];
}
