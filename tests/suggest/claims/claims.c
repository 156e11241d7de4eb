// SPDX-License-Identifier: Apache-2.0
// Loops whose iterations look independent and are not; then loops whose iterations are, though they do not look so.
// claims.sh says how many loops of each function threads may share.
#include "claims.h"

#define PREVIOUS x[i - 1]
#define HALF 0.5
#define SIZE 4096
#define SQUARE(v) ((v) * (v))
#define WHOLE(v) v##l
enum { THREADS = 3 };

void kept(int n, double *x)
{
  for (int i = 0; i < n; i++) {
    static double last;
    x[i] += last;
    last = x[i];
  }
}

void prefix(int n, double *x)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    x[i] = s += x[i];
}

void hidden(int n, double *x)
{
  for (int i = 1; i < n; i++)
    x[i] = PREVIOUS + 1;
}

void halves(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[(int)(i * HALF)] = i;
}

int rounded(int n, const double *x)
{
  int s = 0;
  for (int i = 0; i < n; i++)
    s += x[i];
  return s;
}

void watched(int n, volatile double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = i;
}

double last(int n, double *x)
{
  double t = 0;
  for (int i = 0; i < n; i++) {
    t = 2 * x[i];
    x[i] = t;
  }
  return t;
}

void left(int n, double *x)
{
  double t = 0;
  for (int i = 0; i < n; i++) {
    if (x[i] > 0)
      t = x[i];
    x[i] = t;
  }
}

void again(int n, double *x)
{
  double t = 0;
  for (int k = 0; k < 3; k++) {
    x[0] += t;
    for (int i = 1; i < n; i++) {
      t = x[i];
      x[i] = t + 1;
    }
  }
}

int behind(int n, int m, double (*x)[SIZE])
{
  int i, j = 0;
  for (i = 0; i < n; i++) {
    int last = SIZE - 1;
    x[i][last] = 0;
    for (j = 0; j < m; j++) x[i][j] = 1;
  }
  return j;
}

void shadow(int n, double *x, double *y)
{
  {
    int k = 0;
    y[0] = k;
  }
  for (int i = 0; i < n; i++)
    x[i + k] = x[i];
}

void temporary(int n, double *restrict x)
{
  int i, j;
  double t, u;
  for (i = 0; i < n; i++) {
    t = 2 * x[i];
    if (t > 1) {
      u = t;
    } else {
      u = -t;
    }
    for (j = 0; j < 3; j++)
      u += j;
    x[i] = SQUARE(u);
  }
}

void expanded(double matrix(x, SIZE), double factor)
{
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++)
      x[i][j] *= SQUARE(factor);
}

long counted(int n, const int *restrict x)
{
  long s = 0;
  for (int i = 0; i < n; i++)
    s += SQUARE(x[i]) + WHOLE(3);
  return s;
}

void steady(double (*restrict x)[SIZE])
{
  for (int i = 0; i < sizes[0]; i++)
    for (int j = 0; j < k; j++)
      x[i][j] = 0;
}

void unsteady(double (*restrict x)[SIZE])
{
  for (int i = 0; i < k; i++) {
    x[i][0] = 0;
    k = sizes[1];
  }
}

void pointed(int n, int *restrict sums, double *restrict x)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k; j++)
      sums[i] += x[2 * i] > 0;
}

void stale(double *restrict x)
{
  int m = k;
  change();
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < k; j++)
      x[i * m + j] = i;
}

// The bounds of k do not depend on i, but they are written so.
void written(int n, double (*restrict x)[SIZE])
{
  double s = 0;
  for (int i = n; i >= 0; i--)
    for (int k = i; k <= i + 1; k += 2)
      for (int l = 0; l < n; l++)
        s += x[l][l];
  x[0][1] = s;
}

// Parentheses around conditions and steps.
void bracketed(int n, double (*restrict x)[SIZE])
{
  int i, j;
  for (i = 0; (i < n); (i++))
    for (j = 0; ((j) < SIZE); j = (j + 1))
      x[i][j] += 1;
}

enum { ROWS = THREADS * 100, COLUMNS };
static const int LAST = ROWS - 1, NONE = THREADS - 3;
static const unsigned SOME = 7;

// Bounds are enumerators and constants, with a pointer through which integers are written.
void constants(int *restrict sums, double (*restrict x)[COLUMNS], double *restrict y)
{
  for (int i = 0; i <= LAST; i++)
    for (int j = 0; j < COLUMNS; j++) {
      sums[i * COLUMNS + j] = j;
      x[i][j] += y[j + NONE + ROWS];
    }
}

void few(double *restrict x)
{
  for (int i = 0; i < THREADS; i++)
    for (int j = 0; j < THREADS; j++)
      x[i * THREADS + j] *= 2;
}

void unsigned_constant(double *restrict x)
{
  for (int i = 0; i < 3000; i++)
    x[i - SOME] = i;
}

void shadowed(double *restrict x)
{
  int COLUMNS = x[0];
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      x[i * ROWS + j] = 0;
      COLUMNS = x[j];
    }
}

struct row {
  int n, *places;
  double *x, *y, scale;
};

void of_struct(struct row *r, struct row other)
{
  for (int i = 0; i < r->n; i++)
    r->x[i] = r->scale * other.y[i];
}

void moved(struct row *r)
{
  for (int i = 0; i < r->n; i++) {
    r->x[i] = i;
    r->x++;
  }
}

void renewed(struct row *r, struct row *other)
{
  for (int i = 0; i < r->n; i++) {
    r->x[i] = i;
    other->n = i;
  }
}

void placed(struct row *r)
{
  for (int i = 0; i < 4000; i++)
    r->x[r->places[i]] = i;
}

void copied(int n, double *to, const double *from)
{
  for (int i = 0; i < n; i++)
    *to++ = *from++;
}

void cleared(int n, double *to, const int *at)
{
  for (int i = 0; i < n; i++)
    to[at[i]] = 0;
}

void added(int n, double *to, const double *from)
{
  for (int i = 0; i < n; i++)
    *to++ += *from++;
}

int packed(int n, double *to, const double *from)
{
  int k = 0;
  change();
  for (int i = 0; i < n; i++)
    if (from[i] > 0)
      to[k++] = 2 * from[i];
  return k;
}

void row_product(int n, double **a, double **b, double **c)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

void row_wave(int n, int m, double **x)
{
  for (int i = 1; i < n; i++)
    for (int j = 1; j < m; j++)
      x[i][j] = x[i - 1][j - 1] + x[i][j - 1];
}

void row_pointers(int n, double **x)
{
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++) {
      x[i] = x[i - 1];
      x[i][j] *= 2;
    }
}

void row_shared(int n, double **x, const int *at)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[at[i]][j] *= 2;
}

void row_block(int low, int high, int n, float ***x)
{
  for (int i = low; i <= high; i++)
    for (int j = 0; j < n; j++)
      for (int k = -2; k < n; k++)
        x[i][j][k] = 2 * x[i][j][k] + 1;
}

void strided(int n, int m, int ld, double *x)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      x[i * ld + j] *= 2;
}

void strided_block(int n, int m, int from, int ld, double *x)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      x[i * ld + from + j] *= 2;
}

void strided_beyond(int n, int m, double *x)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n + m; j++)
      x[i * n + j] = x[i * n + j] * 2 + 1;
}

void strided_once(int n, int ld, double *x)
{
  for (int i = 1; i < n; i++)
    x[i * ld] += x[ld];
}

void row_alias(int n, int m, double **a, const double *b)
{
  double *c;
  for (int j = 1; j < n; j++) {
    c = a[j];
    const double *d = a[0];
    for (int i = 0; i < m; i++)
      c[i] -= b[i] * d[i];
  }
}

void row_alias_chain(int n, int m, double **a)
{
  for (int j = 1; j < n; j++) {
    double *c = a[j], *d = a[j - 1];
    for (int i = 1; i < m; i++)
      c[i] = c[i - 1] + d[i];
  }
}

void row_alias_moved(int n, int m, double **a)
{
  for (int j = 1; j < n; j++) {
    double *c = a[j];
    for (int i = 0; i < m; i++, c++)
      c[i] *= 2;
  }
}

void row_alias_twice(int n, int m, double **a)
{
  for (int j = 1; j < n; j++) {
    double *c = a[j];
    if (m > 5)
      c = a[0];
    for (int i = 0; i < m; i++)
      c[i] *= 2;
  }
}

void row_alias_late(int n, double **a)
{
  double *c;
  for (int j = 1; j < n; j++) {
    c[j] *= 2;
    c = a[j];
  }
}

void row_alias_some(int n, int m, double **a)
{
  double *c;
  for (int j = 1; j < n; j++) {
    if (j > m)
      c = a[j];
    c[j] *= 2;
  }
}

void row_alias_at(int n, double **a, const int *at)
{
  int l = 0;
  for (int j = 1; j < n; j++) {
    double *c = a[l];
    l = at[j];
    c[0] *= 2;
  }
}

void row_alias_bytes(int n, int m, void **a)
{
  for (int j = 0; j < n; j++) {
    double *c = a[j];
    unsigned char *b = a[j];
    b[m] = c[0] > 0;
  }
}

void row_alias_other(int n, int m, double **a)
{
  for (int j = 0; j < n; j++) {
    long *b = a[j];
    b[m] *= 2;
  }
}

void row_alias_const(int n, int m, double **a, double *restrict x)
{
  for (int j = 0; j < n; j++) {
    const double *c = a[j];
    for (int i = 0; i < m; i++)
      x[j] += c[i];
  }
}

void kept_in(int n, int m, int plane, const double *restrict x, double *restrict y)
{
  for (int k = 0; k < n; k++)
    for (int j = 0; j < m; j++) {
      y[k * m + j] = x[k * plane + j];
      if (k + 1 < n)
        y[k * m + j] += x[(k + 1) * plane + j];
    }
}

void kept_in_row(int n, int m, double **restrict a)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      a[i][j] *= 2;
      if (j > 0)
        a[i][j - 1] += 1;
    }
}

void chosen_in_row(int n, int m, double **restrict a, const double *restrict x)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      a[i][0] += x[j];
      if (x[j] > 0)
        a[i][j + 1] *= 2;
      if (j > 0)
        a[i][0] += x[j];
    }
}

void columns(int n, int m, const double a[restrict n][m], const double *restrict x, double *restrict y)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[j] = y[j] + a[i][j] * x[i];
}

void rows_and_columns(int n, int m, const double a[restrict n][m], const double *restrict x, const double *restrict y,
                      double *restrict s, double *restrict q)
{
  for (int i = 0; i < n; i++) {
    q[i] = 0;
    for (int j = 0; j < m; j++) {
      s[j] = x[i] * a[i][j] + s[j];
      q[i] = q[i] + a[i][j] * y[j];
    }
  }
}

void sums_read(int n, int m, const double a[restrict n][m], double *restrict s, double *restrict q)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      s[j] += a[i][j];
    q[i] = s[0];
  }
}

void sums_of_two_kinds(int n, int m, const double a[restrict n][m], double *restrict s)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      s[j] += a[i][j];
    for (int j = 0; j < m; j++)
      s[j] *= a[i][j];
  }
}

void sums_moved(int n, int m, const double a[restrict n][m], double *restrict s)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      s[i + j] += a[i][j];
    for (int j = 0; j < m; j++)
      s[i + j] += 2 * a[i][j];
  }
}

void pointer_moves(int n, int m, const double a[restrict n][m], const double *x, const double *other, double *restrict y)
{
  for (int i = 0; i < n; i++) {
    if (a[i][0] > 5)
      x = other;
    for (int j = 0; j < m; j++)
      y[i * m + j] = a[i][j] * x[j];
  }
}

void sums_converted(int n, int m, const int a[restrict n][m], int *restrict s)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      s[j] += (double)a[i][j] / 2;
    for (int j = 0; j < m; j++)
      s[j] += (double)a[i][j] / 4;
  }
}

double columns_of_file[1000];
void sums_of_file(int n, const double a[restrict n][1000])
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 1000; j++)
      columns_of_file[j] += a[i][j];
    for (int j = 0; j < 1000; j++)
      columns_of_file[j] += 2 * a[i][j];
  }
}

void truths(int n, int m, const int a[restrict n][m], _Bool *restrict s)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      s[j] += a[i][j];
    for (int j = 0; j < m; j++)
      s[j] += 2 * a[i][j];
  }
}
