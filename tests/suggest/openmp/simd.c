// `for simd` is explored like `for`; `simd` has no schedule and no team.
void triangle(int n, const double *restrict x, double *restrict y)
{
  #pragma omp parallel
  {
    #pragma omp for simd schedule(static)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++)
        y[i] += x[j];
  }
}

void both(int n, const double *restrict x, double *restrict y)
{
  #pragma omp parallel for simd safelen(16) schedule(guided)
  for (int i = 0; i < n; i++)
    y[i] += x[i];
}

void alone(int n, int m, const double *restrict x, double *restrict y)
{
  for (int j = 0; j < m; j++)
    #pragma omp simd
    for (int i = 0; i < n; i++)
      y[j * n + i] += x[i];
}
