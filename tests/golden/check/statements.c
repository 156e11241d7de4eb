#define N 100
#define IDX(i, j) ((i) * n + (j))
#define NEXT(k) ((k) += 1)
struct point { double x, y; };
static double state[N];
double table[N][N];
int scanf(const char *format, ...);
void start(int *n, double (*call)(double));

/* What is passed how. */
int main(int argc, char **argv)
{
  int n = argc, i, steps = 0, hidden = 4;
  double x[N], sum = 0, most = 0, *walk = x, later;
  struct point p = { 1, 2 };
  static int calls;
  volatile int flag = 0;
  scanf("%d", &n);
#pragma autotune kernel key(n) in(x[0:n]) inout(p)
  for (i = 0; i < n; i++) {
    sum += x[i] * state[i] + table[i][0];
    p.x += sum;
    NEXT(steps);
    calls++;
  }
  for (i = 0; i < n; i++)
#pragma autotune tile sizes({4, 8}, {4, 8})
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        table[j][k] += x[IDX(j, k) % N];
#pragma autotune kernel
  {
    double local = 0;
    for (i = 0; i < n; i++) {
      later = x[i];
      local += later * later;
      *walk++ = local + flag + argv[0][0] + hidden;
    }
    for (i = 0; i < n; i++)
      most = x[i] > most ? x[i] : most;
  }
  return (int)(sum + p.x + p.y + most) + steps;
}

/* Variables in OpenMP's clauses whose type is a typedef or a macro: they are no arrays. */
typedef double real_t;
#define word unsigned
void reduced(int n, const double *x, double *out)
{
  real_t sum = 0, scale;
  word odd = 0;
#pragma autotune kernel in(x[0:n])
#pragma omp parallel for reduction(+ : sum, odd) firstprivate(scale)
  for (int i = 0; i < n; i++) {
    sum += x[i];
    odd += i & 1;
  }
  *out = sum + odd;
}

/* Structs whose members are written before they are read, and one that is not. */
struct point centre(const struct point *p);
void members(int n, const struct point *p, double *out)
{
  struct point own, rest = { 3, 4 }, whole, kept = { 0, 0 };
  for (int k = 0; k < 3; k++)
#pragma autotune kernel in(p[0:n]) inout(out[0:n])
    for (int i = 0; i < n; i++) {
      own.x = p[i].x - k;
      own.y = p[i].y - own.x;
      rest.x = own.y;
      whole.x = own.x;
      whole.y = own.y;
      kept.x = kept.y + own.y;
      kept.y = own.x;
      out[i] += centre(&p[i]).x + whole.x * whole.y;
      whole = rest;
    }
}

/* Two equal ones have different names. */
void equal(int n, double *x, double (*f)(double))
{
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = f(x[i]);
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = f(x[i]);
#ifdef NEVER
#pragma autotune kernel
  for (int i = 0; i < never; i++)
    x[i] = 1;
#endif
}

/* The lines after an #if that is left out are those of the file. */
void after_one_left_out(int n, double *x)
{
#pragma autotune kernel inout(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 2;
}

/* The arguments of a head in the style before C89; 'n' and 'm' have no type, so they are
 * ints. */
double old_style(x, n, y, m)
double *x, y[];
{
  double sum = 0;
#pragma autotune kernel in(x[0:n], y[0:m])
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i % m];
  return sum;
}

/* A pragma that only some builds have. */
void with_threads(int n, double *x)
{
  int i;
#pragma autotune kernel inout(x[0:n])
#ifdef _OPENMP
#pragma omp parallel for private(i)
#else
#pragma message("without threads")
#endif
  for (i = 0; i < n; i++)
    x[i] = x[i] * 2;
}

/* Attributes after names and brackets, which the grammar does not know. */
void aligned(int n, float *a)
{
  int unused __attribute__((unused)) = 3;
#pragma autotune kernel
  for (int i = 0; i < n; i++) {
    float part[16] __attribute__ ((aligned (64))), *to __attribute__((unused)) = a;
    for (int j = 0; j < 16; j++)
      part[j] = a[i * 16 + j];
    for (int j = 0; j < 16; j++)
      a[i * 16 + j] = part[15 - j];
  }
}
