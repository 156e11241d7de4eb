/* No other order of loops below this directive: the threads would share j. */
void columns_shared(int n, int m, double *restrict x)
{
  int i, j;
#pragma omp parallel for private(i)
  for (j = 0; j < m; j++)
    for (i = 0; i < n; i++)
      x[i * m + j] *= 2;
}

/* Here each thread has its own variables. */
void columns(int n, int m, double *restrict x)
{
#pragma omp parallel for
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      x[i * m + j] *= 2;
}

/* Not where the other loop's iterations depend on each other. */
void chains(int n, int m, double *restrict x)
{
#pragma omp parallel for
  for (int j = 0; j < m; j++)
    for (int i = 1; i < n; i++)
      x[i * m + j] += x[i * m - m + j];
}

/* Nor where the order is good. */
void by_rows(int n, int m, double **x)
{
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      x[i][j] *= 2;
}

/* Nor where a sum changes its order. */
double sum(int n, int m, double **x)
{
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      s += x[i][j];
  return s;
}

/* Nor where a jump leaves a loop. */
void leaves(int n, int m, double *restrict x)
{
#pragma omp parallel for
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) {
      x[i * m + j] *= 2;
      if (n > 1000)
        break;
    }
}
