// Directives that concern more than a loop.
void parts(int n, double *restrict x, double *restrict y)
{
  #pragma omp parallel sections
  {
    #pragma omp section
    for (int i = 0; i < n; i++)
      x[i] *= 2;
    #pragma omp section
    for (int i = 0; i < n; i++)
      y[i] *= 2;
  }
}

void within(int n, double *restrict x)
{
  #pragma omp parallel
  {
    #pragma omp sections
    {
      #pragma omp section
      for (int i = 0; i < n; i++)
        x[i] *= 2;
    }
  }
}

void tasks(int n, int m, double *restrict x)
{
  #pragma omp parallel
  #pragma omp single
  for (int i = 0; i < n; i++) {
    #pragma omp task
    for (int j = 0; j < m; j++)
      x[i * m + j] *= 2;
  }
}

void chunks(int n, double *restrict x)
{
  #pragma omp taskloop grainsize(100)
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}

void device(int n, double *restrict x)
{
  #pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}

// An update that threads take turns in is no obstacle.
void count(int n, const int *restrict row, const int *restrict value, int *restrict bins)
{
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = row[i]; k < row[i + 1]; k++) {
      #pragma omp atomic
      bins[value[k]]++;
    }
}

// Threads may race where elements are found by data, or for a variable that they share: the schedule stays.
void scatter(int n, const int *restrict row, const int *restrict at, double *restrict y)
{
  #pragma omp parallel for shared(y)
  for (int i = 0; i < n; i++)
    for (int k = row[i]; k < row[i + 1]; k++)
      y[at[i]] += k;
}

int last(int n, const int *restrict row, const double *restrict x)
{
  int i, k, seen = -1;
  #pragma omp parallel for shared(seen) private(k) schedule(static)
  for (i = 0; i < n; i++)
    for (k = row[i]; k < row[i + 1]; k++)
      if (x[k] > 0)
        seen = i;
  return seen;
}

// These have variables of their own.
void sums(int n, const int *restrict row, const double *restrict x, double *restrict y)
{
  int i, k;
  double s;
  #pragma omp parallel for private(k, s)
  for (i = 0; i < n; i++) {
    s = 0;
    for (k = row[i]; k < row[i + 1]; k++)
      s += x[k];
    y[i] = s;
  }
}
