#pragma autotune kernel 
void f(int n, int m, double *restrict x)
{
#pragma autotune simd safelen(x)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      x[i * m + j] *= 2;
}
