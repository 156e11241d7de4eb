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

/* The pragma can stand neither between the lines of the block nor after them: left as it is. */
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
