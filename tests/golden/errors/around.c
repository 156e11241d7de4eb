#pragma autotune kernel inout(a[0:n*n])
void words(int n, double *a)
{
  #pragma omp parallel for
  #pragma autotune simd
  for (int i = 0; i < n; i++)
    a[i] = 0;
}

#pragma autotune kernel inout(a[0:n*n])
void less(int n, double *a)
{
  #pragma omp parallel for simd safelen(8)
  #pragma autotune parallel for schedule({static, dynamic})
  for (int i = 0; i < n; i++)
    a[i] = 0;
}

#pragma autotune kernel inout(a[0:n*n])
void clauses(int n, double *a)
{
  int j;
  #pragma omp parallel for
  #pragma autotune parallel for schedule({static, dynamic}) private(j)
  for (int i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      a[i * n + j] = 0;
}

#pragma autotune kernel inout(a[0:n*n])
void depth(int n, double *a)
{
  #pragma omp parallel for schedule(static)
  #pragma autotune parallel for collapse({1, 3})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = 0;
}

#pragma autotune kernel inout(a[0:n*n])
void triangle(int n, double *a)
{
  #pragma omp parallel for
  #pragma autotune parallel for collapse({1, 2})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i / 2; j++)
      a[i * n + j] = 0;
}

#pragma autotune kernel inout(a[0:n*n])
void ordered(int n, double *a)
{
  #pragma omp parallel for ordered
  #pragma autotune parallel for collapse({1, 2})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = 0;
}

#pragma autotune kernel inout(a[0:n*n])
void lanes(int n, double *a)
{
  #pragma omp simd safelen(8)
  #pragma autotune simd simdlen({4, 8, 16})
  for (int i = 8; i < n; i++)
    a[i] += a[i - 8];
}

#pragma autotune kernel inout(a[0:n*n])
void word(int n, double *a)
{
  #pragma omp parallel for
  #pragma autotune parallel for schedule({static, dynmic})
  for (int i = 0; i < n; i++)
    a[i] = 0;
}

#pragma autotune kernel inout(a[0:n*n])
void author(int n, double *a)
{
  #pragma omp parallel for schedule(statc)
  #pragma autotune parallel for num_threads({1, 2})
  for (int i = 0; i < n; i++)
    a[i] = 0;
}

#pragma autotune kernel inout(a[0:n*n])
void order(int n, double *a)
{
  #pragma omp parallel for
  #pragma autotune tile sizes(8)
  #pragma autotune parallel for schedule({static, dynamic})
  for (int i = 0; i < n; i++)
    a[i] = 0;
}

#pragma autotune kernel inout(a[0:n*n])
void twice(int n, double *a)
{
  #pragma omp parallel for
  #pragma autotune parallel for schedule({static, dynamic})
  #pragma autotune parallel for num_threads({1, 2})
  for (int i = 0; i < n; i++)
    a[i] = 0;
}

#pragma autotune kernel inout(a[0:n*n])
void above(int n, double *a)
{
  #pragma autotune parallel for schedule({static, dynamic})
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
