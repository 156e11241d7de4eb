// Directives that need another order than the loops have, and variables that threads share.

// An interchange of a nest whose dependence goes forward and back
#pragma autotune kernel
void o1(int n, double (*g)[n])
{
  #pragma autotune interchange
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n - 1; j++)
      g[i][j] += g[i - 1][j + 1];
}

// A tile of the same
#pragma autotune kernel
void o2(int n, double (*g)[n])
{
  #pragma autotune tile sizes({16, 32}, 64)
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n - 1; j++)
      g[i][j] += g[i - 1][j + 1];
}

// A recurrence from its end
#pragma autotune kernel
void o3(int n, double *x)
{
  #pragma autotune reverse
  for (int i = 1; i < n; i++)
    x[i] = x[i - 1] * 0.5;
}

// A recurrence in a vector
#pragma autotune kernel
void o4(int n, double *x)
{
  #pragma autotune simd
  for (int i = 1; i < n; i++)
    x[i] = x[i - 1] * 0.5;
}

// A sum in a vector
#pragma autotune kernel
double o5(int n, const double *x)
{
  double s = 0;
  #pragma autotune simd
  for (int i = 0; i < n; i++)
    s += x[i];
  return s;
}

// A loop that reads what the other one is to write later
#pragma autotune kernel
void o6(int n, double *restrict x, double *restrict y)
{
  #pragma autotune fuse
  {
    for (int i = 0; i < n; i++)
      x[i] = i;
    for (int i = 0; i < n - 1; i++)
      y[i] = x[i + 1];
  }
}

// An inner loop's variable that is read later
#pragma autotune kernel
int o7(int n, double *x)
{
  int j;
  #pragma autotune parallel for
  for (int i = 0; i < n; i++) {
    x[i] += 1;
    for (j = 0; j < 8; j++)
      x[i] *= j;
  }
  return j;
}

// An output that nothing writes
#pragma autotune kernel param(T: 1, 2) in(x[0:n]) out(y[0:n]) inout(z[0:n])
void o8(int n, const double *x, double *y, double *z)
{
  for (int i = 0; i < n; i++)
    z[i] += T * x[i];
}

// A constraint that leaves one value
#pragma autotune kernel param(T: 1, 2) constraint(T < 2) inout(x[0:n])
void o9(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] += T;
}
