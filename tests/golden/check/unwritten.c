// Outputs that the kernel never writes.
void fill(int n, double *y);
#define HALF(y) y[i] *= 0.5
double table[8];

#pragma autotune kernel param(W: 1, 2) in(x[0:n]) out(y[0:n]) inout(z[0:n], *sum)
void wrong(int n, const double *x, double *y, double *z, double *w, double *sum)
{
  for (int i = 0; i < n; i++)
    z[i] = x[i] * y[i] * W;
}

#pragma autotune kernel param(V: 1, 2) in(x[0:n]) out(y[0:n]) inout(table)
void typed(int n, const double *x, double *y, double *z)
{
  for (int i = 0; i < n; i++)
    z[i] = x[i] * V + table[i % 8];
}

// Somebody may write these: a call, another name, a macro; or other variants do.
#pragma autotune kernel param(U: 1, 2) inout(x[0:n], y[0:n], z[0:n], *sum, table)
void right(int n, double *x, double *y, double *z, double *sum)
{
  double *p = z;
  fill(n * U, x);
  for (int i = 0; i < n; i++) {
    HALF(y);
    *p++ = y[i];
    table[i % 8] += 1;
    *sum += y[i];
  }
}

#pragma autotune kernel param(S: 1, 2) inout(x[0:n]) out(y[0:n])
void branches(int n, double *x, double *y)
{
#if S == 2
  y[0] = 1;
#endif
  for (int i = 0; i < n; i++)
    x[i] += 1;
}
