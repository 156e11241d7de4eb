// A dynamic schedule would make sums that differ from run to run.
double pairs(int n, const double *restrict x)
{
  double s = 0;
  #pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      s += x[i] * x[j];
  return s;
}
