// Small teams, short loops, loops with few iterations.
void two(int n, const double *restrict x, double *restrict y)
{
  #pragma omp parallel for num_threads(1)
  for (int i = 0; i < n; i++)
    y[i] += 2 * x[i];
}

void brief(const double *restrict x, double *restrict y)
{
  #pragma omp parallel for
  for (int i = 0; i < 10000; i++)
    y[i] += 2 * x[i];
}

void few(int n, const double (*restrict x)[3][5000], double (*restrict y)[3][5000])
{
  #pragma omp parallel for
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 5000; j++)
      for (int k = 0; k < 5000; k++)
        y[0][i][j] += 2 * x[k][i][j];
}
