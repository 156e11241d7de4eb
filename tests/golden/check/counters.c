// Variables that threads share, declared before the loop: those of inner loops, if somebody reads them later, and others,
// each with what to do. The others of these loops are private, as are those of nested loops, whatever reads them.
#pragma autotune kernel inout(g[0:n*n])
double wrong(int n, double *g)
{
  int i, j, k;
  double t, sum = 0, product = 1, before = 0;
  #pragma autotune parallel for
  for (i = 0; i < n; i++) {
    for (j = 0; j < n && g[j] > 0; j++)
      g[i * n + j] += 1;
    for (k = 0; k < n; k++)
      if (g[i * n + k] < 0)
        break;
    t = g[i * n];
    sum += t * j;
    product = product * t;
    g[i * n] = before;
    before = t;
  }
  #pragma autotune simd
  for (i = 0; i < n; i++)
    sum += g[i];
  return sum + product + k;
}

#pragma autotune kernel inout(g[0:n*n])
double right(int n, double *g)
{
  int i, j, k;
  double t, sum = 0;
  #pragma autotune parallel for
  for (i = 0; i < n; i++) {
    for (k = 0; k < n; k++)
      g[i * n + k] *= 2;
    for (k = n - 1; k >= 0; k--)
      g[i * n + k] += 1;
  }
  #pragma autotune parallel for private(t) reduction(+: sum)
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      t = g[i * n + j];
      sum += t;
    }
  #pragma autotune simd reduction(+: sum)
  for (i = 0; i < n; i++)
    sum += g[i];
  #pragma autotune simd
  for (i = 0; i < n; i++)
    t = g[i] *= 2;
  return sum + j + t;
}
