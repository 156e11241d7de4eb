// Variables that threads share: one by mistake, the others not.
#pragma autotune kernel in(A[0:n*n]) out(C[0:n*n])
double scale(int n, double w, const double *A, double *C)
{
  int i, j;
  double t, u, sum = 0, last;
  static int calls;
  #pragma autotune parallel for num_threads({1, 2}) private(u) reduction(+: sum) lastprivate(last)
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      double own = A[i * n + j];
      t = own;
      u = 2 * t;
      sum += u;
      last = w = u;
      own++;
      C[i * n + j] = u + own;
    }
  #pragma autotune parallel for num_threads({1, 2})
  for (i = 0; i < n; i++) {
    #pragma omp atomic
    calls++;
    #pragma omp critical
    t = i;
  }
  return sum + last + t + w;
}
