// Loops that the threads of a region share: their schedules vary where no thread may run ahead.
void steps(int n, const int *restrict row, double *restrict x, double *restrict y)
{
  #pragma omp parallel
  {
    #pragma omp for
    for (int i = 0; i < n; i++)
      for (int k = row[i]; k < row[i + 1]; k++)
        y[k] += x[k];
    #pragma omp for simd
    for (int i = 0; i < n; i++)
      x[i] = 2 * y[i];
  }
}

void ahead(int n, const int *restrict row, double *restrict x, double *restrict y)
{
  #pragma omp parallel
  {
    #pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++)
      for (int k = row[i]; k < row[i + 1]; k++)
        y[k] += x[k];
    #pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      x[i] = 2 * y[row[i]];
  }
}

void apart(int n, const int *restrict row, double *restrict x, double *restrict y)
{
  #pragma omp parallel
  {
    #pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++)
      x[i] *= 2;
    #pragma omp master
    y[0] = 0;
    #pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      for (int k = row[i]; k < row[i + 1]; k++)
        y[k] += x[i];
    #pragma omp for
    for (int i = 0; i < n; i++)
      for (int k = row[i]; k < row[i + 1]; k++)
        y[k] *= x[k];
  }
}

// Which iterations a thread has decides where it adds.
int omp_get_thread_num(void);
void parts(int n, const double *restrict x, double *restrict sums)
{
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      sums[omp_get_thread_num()] += x[i] * x[j];
}
