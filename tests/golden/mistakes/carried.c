// Loops that cannot be parallel: each iteration needs another.

// A recurrence
#pragma autotune kernel
void f1(int n, double *x)
{
  #pragma autotune parallel for
  for (int i = 1; i < n; i++)
    x[i] = x[i - 1] * 0.5;
}

// A sum without a reduction
#pragma autotune kernel
double f2(int n, const double *x)
{
  double s = 0;
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    s += x[i];
  return s;
}

// One element that all iterations write
#pragma autotune kernel
void f3(int n, const double *x, double *y)
{
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    y[0] += x[i];
}

// A neighbour that a later iteration changes
#pragma autotune kernel
void f4(int n, double *x)
{
  #pragma autotune parallel for
  for (int i = 0; i < n - 1; i++)
    x[i] = x[i + 1] * 0.5;
}

// Iterations that count
#pragma autotune kernel
int f10(int n, const double *x, double *y)
{
  int m = 0;
  #pragma autotune parallel for
  for (int i = 0; i < n; i++)
    if (x[i] > 0)
      y[m++] = x[i];
  return m;
}
