int fill(void);

void types(int n, double *x)
{
  typedef double real;
  enum { FOUR = 4 };
  struct pair { double a, b; };
  struct { int step; } own = { 2 };
  extern double outside[];
  double helper(double);
  __typeof__(n) same = 3;
  real y = 2;
  struct pair p = { 1, 2 };
  int m = n;
  double rows[n][m];
  static const double open[] = { 1, 2, 3 };
  m = 7;
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = y;
#pragma autotune kernel
  for (int i = 0; i < FOUR; i++)
    x[i] = 1;
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = p.a;
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = ((struct pair *)x)[i].b;
#pragma autotune kernel
  for (int i = 0; i < n; i += own.step)
    x[i] = 1;
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = outside[i];
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = helper(x[i]);
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = same;
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = rows[i][0];
#pragma autotune kernel
  for (int i = 0; i < (int)(sizeof open / 8); i++)
    x[i] = open[i];
  int total = 0;
#pragma autotune kernel
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; i++)
    total += __builtin_popcountl((unsigned long)&total) + i;
  double mine[4] = { 1 };
#pragma autotune kernel
#pragma omp parallel for firstprivate(mine)
  for (int i = 0; i < n; i++)
    x[i] = mine[i & 3];
#pragma autotune kernel
  {
    mine[0] = 3;
#pragma omp parallel for private(mine)
    for (int i = 0; i < n; i++)
      x[i] = mine[0] = i;
  }
}

void macros(int n, double *x)
{
#define STEP 2
#pragma autotune kernel
  for (int i = 0; i < n; i += STEP)
    x[i] = 1;
}

typedef double triple[3];
void hidden(int n, double *x)
{
  triple each = { 1 };
#pragma autotune kernel
#pragma omp parallel for firstprivate(each)
  for (int i = 0; i < n; i++)
    x[i] = each[i % 3];
}
