/* Directives that explore clauses of the author's own pragma of OpenMP, which is the default. */
#pragma autotune kernel param(TEAM: 4, 2, 1) key(n) in(x[0:n*n]) inout(y[0:n*n])
void f(int n, const double *x, double *y)
{
  int i, j;
  #pragma omp parallel for private(j) schedule(static)
  #pragma autotune parallel for schedule({dynamic, guided}, {1, 16}) num_threads(TEAM) collapse({1, 2})
  #pragma autotune interchange permutation({(1,2), (2,1)})
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      y[i * n + j] += x[j * n + i];
}

#pragma autotune kernel inout(y[0:n])
void g(int n, double *y)
{
  double s = 0;
  #pragma omp parallel for reduction(+ : s) if (n > 100)
  #pragma autotune parallel for simd schedule({dynamic, guided}, {64, 256}) if({0, 1}) optional
  for (int i = 0; i < n; i++)
    s += y[i];
  #pragma omp parallel
  {
    int t = 0; /* an array index that all of them have */
    #pragma omp for firstprivate(t)
    #pragma autotune for schedule({static, dynamic}, {64, 256})
    for (int i = 0; i < n; i++)
      y[i + t] += s;
    #pragma omp for simd safelen(16) nowait
    #pragma autotune for simd simdlen({4, 8, 16}) optional
    for (int i = 0; i < n; i++)
      y[i] += s;
  }
}

/* In no kernel: the loop becomes one, with its pragma. */
void h(int n, double *y)
{
  #pragma omp taskloop grainsize(100)
  #pragma autotune taskloop num_tasks({8, 32})
  for (int i = 0; i < n; i++)
    y[i]++;
}
