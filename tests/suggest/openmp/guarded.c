/* Directives that only some builds see. */
#include <math.h>
#define N 100000
static double x[N], y[N], z[N];

void guarded(double c)
{
  int i;
#ifdef _OPENMP
#pragma omp parallel for private(i)
#endif
  for (i = 0; i < N; i++)
    y[i] = sqrt(x[i]) * c + y[i];
}

/* The pragma can stand before the block: all of its branches hold only pragmas. */
void mixed(double c)
{
  int i;
#ifdef _OPENMP
#pragma omp parallel for private(i)
#else
#pragma GCC ivdep
#endif
  for (i = 0; i < N; i++)
    z[i] = sqrt(x[i]) * c + z[i];
}

/* Other code in the block: the pragma ends the #if, which begins again after it. */
void limits(int threads);
void after_code(double c, int threads)
{
  int i;
#ifdef _OPENMP
#ifndef ALONE
  limits(threads);
#endif
#pragma omp parallel for private(i)
#endif
  /* a comment */
  for (i = 0; i < N; i++)
    y[i] = sqrt(x[i]) * c + y[i];
}

/* The same in the last of several branches. */
void in_another(double c, int threads)
{
  int i;
#ifndef _OPENMP
  c *= 2;
#elif defined(ALONE)
  c *= 3;
#else
  limits(threads);
#pragma omp parallel for private(i)
#endif
  for (i = 0; i < N; i++)
    z[i] = sqrt(x[i]) * c + z[i];
}

/* Other builds would have code between the pragma and the loop: left as it is. */
void before_code(double c, int threads)
{
  int i;
#ifdef _OPENMP
#pragma omp parallel for private(i)
#else
  limits(threads);
#endif
  for (i = 0; i < N; i++)
    z[i] = sqrt(x[i]) * c + z[i];
}

/* A proof would hold for this build alone: outside the inner loop only flags vary. */
void within(int n, double a[restrict n][n])
{
  for (int i = 1; i < n; i++) {
#ifdef DEPENDS
    a[i][0] += a[i - 1][0];
#endif
    for (int j = 0; j < n; j++)
      a[i][j] = sqrt(a[i][j]);
  }
}

/* Not so where the #if is before the loop. */
void above(int n, double *restrict a)
{
#ifdef DEPENDS
  n = 2 * n;
#endif
  for (int i = 0; i < n; i++)
    a[i] = sqrt(a[i]);
}

/* A build without OpenMP is not read: another one may have it. */
#undef PLAIN
void plain(double c)
{
  int i;
#ifdef PLAIN
#pragma omp parallel for private(i)
#endif
  for (i = 0; i < N; i++)
    y[i] = sqrt(x[i]) * c + y[i];
}

/* The pragma can stand neither within the block nor after it: the loop is left. */
void plain_after_code(double c)
{
  int i;
#ifdef PLAIN
  limits(2);
#pragma omp parallel for private(i)
#endif
  for (i = 0; i < N; i++)
    y[i] = sqrt(x[i]) * c + y[i];
}

/* A comment between the block and its loop. */
void commented(double c)
{
  int i, j;
#ifdef _OPENMP
#pragma omp parallel for private(j)
#endif
  /* rows */
  for (i = 0; i < N; i++)
    for (j = 0; j < i; j++)
      y[i] += c * z[j];
}
