// The author's collapse stays; so does the order of an ordered loop.
void matrix(int n, int m, const int *restrict length, double *restrict y)
{
  #pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < length[i]; k++)
        y[i * m + j] += k;
}

void sorted(int n, const int *restrict length, double *restrict y, double *restrict sum)
{
  #pragma omp parallel for ordered
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < length[i]; k++)
      y[i] += k;
    #pragma omp ordered
    *sum += y[i];
  }
}
