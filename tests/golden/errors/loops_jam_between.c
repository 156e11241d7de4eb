#pragma autotune kernel out(y[0:n]) in(A[0:n*n], x[0:n])
void mv(int n, const double *A, const double *x, double *y)
{
  #pragma autotune unroll_and_jam partial({2, 4})
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      s += A[i * n + j] * x[j];
    y[i] = s;
  }
}
