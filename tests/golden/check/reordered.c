// Directives that run certain dependences in another order, or at the same time in a vector, are warned of.
#pragma autotune kernel inout(g[0:n][0:n], x[0:n], z[0:n], c[0:1]) in(y[0:n])
void wrong(int n, double (*g)[n], double *restrict x, const double *restrict y, double *restrict z, double *c)
{
  #pragma autotune interchange
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n - 1; j++)
      g[i][j] += g[i - 1][j + 1];
  #pragma autotune interchange permutation({(1,3,2), (3,1,2)})
  for (int t = 0; t < 9; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        g[i][j] = 0.25 * (g[i - 1][j] + g[i + 1][j] + g[i][j - 1] + g[i][j + 1]);
  #pragma autotune tile sizes({16, 32}, {16, 64})
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n - 1; j++)
      g[i][j] += 0.5 * g[i - 1][j + 1];
  #pragma autotune stripe sizes(8)
  for (int i = 2; i < n; i++)
    x[i] = x[i] + 0.5 * x[i - 2];
  #pragma autotune unroll_and_jam partial({2, 4})
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n - 1; j++)
      g[i][j] = 2 * g[i - 1][j + 1];
  #pragma autotune reverse
  for (int i = 1; i < n; i++)
    x[i] = x[i - 1] + y[i];
  #pragma autotune fuse
  {
    for (int i = 0; i < n - 1; i++)
      x[i] = 2 * y[i];
    for (int i = 0; i < n - 1; i++)
      z[i] = x[i + 1] + x[i];
  }
  #pragma autotune simd
  for (int i = 1; i < n; i++)
    x[i] = x[i - 1] + y[i];
  #pragma autotune simd safelen({4, 8})
  for (int i = 4; i < n; i++)
    x[i] = x[i - 4] + y[i];
  #pragma autotune simd
  for (int i = 0; i < n; i++)
    c[0] += y[i];
  #pragma autotune simd
  for (int i = 0; i < n - 1; i++) {
    x[i] = y[i];
    z[i] = x[i + 1];
  }
  #pragma autotune parallel for
  #pragma autotune interchange
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      g[i][j] += g[i][j - 1];
  #pragma autotune reverse
  #pragma autotune tile sizes(4, 4)
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      g[i][j] += g[i - 1][j];
}

// These orders keep all dependences, or it is not certain that they break one.
#pragma autotune kernel inout(g[0:n][0:n], x[0:n], y[0:n], z[0:n]) scratch(buf[0:n])
void right(int n, int m, double (*g)[n], double *restrict x, double *restrict y, double *restrict z, double *buf)
{
  double row[64];
  #pragma autotune interchange
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      g[i][j] += g[i - 1][j - 1] + g[i][j - 1] + g[i - 1][j];
  #pragma autotune tile sizes({16, 32}, {16, 64})
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      g[i][j] = 0.5 * (g[i - 1][j] + g[i][j - 1]);
  #pragma autotune unroll_and_jam partial({2, 4}, {1, 2})
  #pragma autotune tile sizes({16, 32}, {16, 64}, 64)
  #pragma autotune interchange permutation(any)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < 8; k++)
        g[i][j] += x[k] * y[k];
  #pragma autotune reverse
  for (int i = 0; i < n; i++)
    x[i] = x[i] + y[i];
  #pragma autotune reverse
  for (int i = 0; i < n; i++) { // a workspace
    for (int k = 0; k < 8; k++)
      buf[k] = x[i] * k;
    for (int k = 0; k < 7; k++)
      z[i] += buf[k] + buf[k + 1];
  }
  #pragma autotune reverse
  for (int i = 0; i < 64; i++) { // another
    row[0] = 0;
    for (int k = 1; k < 64; k++)
      row[k] = row[k - 1] + x[k];
    y[i] = row[63];
  }
  #pragma autotune reverse
  for (int i = 0; i < n; i++) // a sum that is begun anew
    for (int j = 0; j < n; j++) {
      buf[0] = 0;
      for (int k = 0; k < 8; k++)
        buf[0] += x[k];
      g[i][j] = buf[0];
    }
  #pragma autotune interchange
  #pragma autotune reverse
  for (int i = 1; i < n; i++)
    #pragma autotune reverse
    for (int j = 0; j < n - 1; j++)
      y[i] += g[i][j];
  #pragma autotune reverse
  for (int i = 0; i < n - 1; i++)
    x[i] = x[i + m];
  #pragma autotune stripe sizes(2)
  for (int i = 2; i < n; i++)
    x[i] = x[i] + 0.5 * x[i - 2];
  #pragma autotune fuse
  {
    for (int i = 1; i < n; i++)
      x[i] = 2 * y[i];
    for (int i = 1; i < n; i++)
      z[i] = x[i - 1] + x[i];
  }
  #pragma autotune simd
  for (int i = 0; i < n - 1; i++)
    x[i] = x[i + 1] + y[i];
  #pragma autotune simd safelen({2, 4})
  for (int i = 4; i < n; i++)
    x[i] = x[i - 4] + y[i];
  #pragma autotune simd simdlen(4)
  for (int i = 4; i < n; i++)
    x[i] = x[i - 4] + y[i];
  #pragma autotune simd
  for (int i = 0; i < n - 1; i++) {
    z[i] = x[i + 1];
    x[i] = y[i];
  }
  #pragma autotune simd reduction(+: row[0:1])
  for (int i = 0; i < n; i++)
    row[0] += y[i];
  #pragma autotune tile sizes(64, 64)
  for (int i = 1; i < n; i++)
    for (int j = 0; j < 32; j++) // one block
      g[i][j] += 0.5 * g[i - 1][j + 1];
  for (int i = 1; i < n; i++)
    #pragma autotune simd
    for (int j = 0; j < n; j++)
      g[i][j] = g[i - 1][j] + 1;
}
