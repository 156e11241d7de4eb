// Iterations of different length: inner loops whose bounds depend on the iteration, a search, a part that
// few run.
void rows(int n, const int *restrict row, const int *restrict col, const double *restrict a,
          const double *restrict x, double *restrict y)
{
  #pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) {
    double s = 0;
    int first = row[i], last = row[i + 1];
    for (int k = first; k < last; k++)
      s += a[k] * x[col[k]];
    y[i] = s;
  }
}

static int find(const double *x, double value, int n)
{
  for (int i = 0; i < n; i++)
    if (x[i] >= value)
      return i;
  return n;
}

void lookup(int n, const double *restrict x, const double *restrict u, int *restrict where)
{
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    where[i] = find(x, u[i], n);
}

void rare(int n, const double *restrict x, double *restrict y)
{
  int i, j;
  #pragma omp parallel for private(j)
  for (i = 0; i < n; i++)
    if (x[i] > 0)
      for (j = 0; j < n; j++)
        y[i * n + j] += x[i] * x[j];
}

// Its author has chosen a schedule already.
void chosen(int n, const double *restrict x, double *restrict y)
{
  #pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[i * n + j] += x[i] * x[j];
}

// All iterations are alike: the clauses stay.
void even(int n, const double *restrict x, double *restrict y)
{
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[i * n + j] += x[i] * x[j];
}
