// Arguments that macros make: names in clauses are looked for in the kernel's head.
#define ARRAY_2D(x, d1, d2) x[d1][d2]
#define N 100
static void other(int n, double ARRAY_2D(data, N, N))
{
  data[0][0] = n;
}

#pragma autotune kernel param(U: 1, 2) in(data[0:n]) out(sums[0:n])
void sums_of(int n, double ARRAY_2D(data, N, N), double sums[n])
{
  other(n, data);
  for (int i = 0; i < n; i++) {
    sums[i] = 0;
    for (int j = 0; j < N * U / U; j++)
      sums[i] += data[i][j];
  }
}
