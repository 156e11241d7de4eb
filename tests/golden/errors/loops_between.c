// Between loops that a directive needs there are declarations that cannot move.
double sum_of(const double *a);
double next(void);
void change(double *a);
struct sums {
  double sum[100];
};
static double table[100][100];
#define AT(i, j) a[(i) * n + (j)]
#define NEXT NEXT2
#define NEXT2 next()
#define CELL a[i * n]
#define BUMP a[i * n] += 1
struct matrix {
  double *flat, **rows;
};
struct view {
  double *data;
};
static double *at;
#pragma autotune kernel
void changed(int n, double *a)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = 0; // the inner loop changes it
    for (int j = 0; j < n; j++)
      s += a[i * n + j];
  }
}
#pragma autotune kernel
void read(int n, double *a)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = a[i]; // the inner loop changes what it reads
    for (int j = 0; j < n; j++)
      a[j] += s;
  }
}
#pragma autotune kernel
void read_by_pointer(int n, double *a)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double *row = a + i;
    double s = a[i];
    for (int j = 0; j < n; j++)
      row[j] += s;
  }
}
#pragma autotune kernel
void bound(int n, double *a, const int *length)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    int m = length[i];
    for (int j = 0; j < m; j++)
      a[i * n + j] += 1;
  }
}
#pragma autotune kernel
void triangle(int n, double *a, const double *w)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = w[i];
    for (int j = i; j < n; j++)
      a[i * n + j] += s;
  }
}
#pragma autotune kernel
void call(int n, double *a)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = sum_of(a);
    for (int j = 0; j < n; j++)
      a[i * n + j] += s;
  }
}
#pragma autotune kernel
void left(int n, double *a, const double *w)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = w[i];
    for (int j = 0; j < n; j++) {
      if (a[j] > s)
        break;
      a[i * n + j] += s;
    }
  }
}
#pragma autotune kernel
void kept(int n, double *a, const double *w)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    static double s = 1;
    for (int j = 0; j < n; j++)
      a[i * n + j] += s;
  }
}
#pragma autotune kernel
void deeper_bound(int n, double *a, const double *b)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    int m = n - i; // the head of a deeper loop names it
    for (int j = 0; j < n; j++)
      for (int k = 0; k < m; k++)
        a[i * n + j] += b[k * n + j];
  }
}
#pragma autotune kernel
void arrow(int n, struct sums *m, const double *w)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = m->sum[i]; // the inner loop changes what it reads
    for (int j = 0; j < n; j++)
      m->sum[i] += s * w[j];
  }
}
#pragma autotune kernel
void sum_of_pointers(int n, double *a)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = *(a + i * n); // likewise
    for (int j = 0; j < n; j++)
      *(a + i * n + j) += s;
  }
}
#pragma autotune kernel
void pointer_inside(int n, double *a)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = a[i * n]; // likewise
    for (int j = 0; j < n; j++) {
      double *at = a + i * n + j;
      *at += s;
    }
  }
}
#pragma autotune kernel
void pointer_of_pointer(int n, double *a)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double *row = a + i * n, *other = row;
    double s = a[i * n]; // likewise
    for (int j = 0; j < n; j++)
      other[j] += s;
  }
}
#pragma autotune kernel
void row_of_file(int n)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double *row = table[i];
    double s = table[i][0]; // likewise
    for (int j = 0; j < n; j++)
      row[j] += s;
  }
}
#pragma autotune kernel
void called(int n, double *a, double *c)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = a[i]; // it is not known what this call changes
    for (int j = 0; j < n; j++) {
      c[j] += s;
      change(a + i);
    }
  }
}
#pragma autotune kernel
void macro_target(int n, double *a)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = a[i]; // nor what this macro stands for
    for (int j = 0; j < n; j++)
      AT(i, j) += s;
  }
}
#pragma autotune kernel
void address(int n, double *a)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = 0, *p = &s; // a pointer leads to it
    for (int j = 0; j < n; j++) {
      *p += a[i * n + j];
      a[i * n + j] = *p;
    }
  }
}
#pragma autotune kernel
void macro_value(int n, double *a)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = NEXT; // this is a call
    for (int j = 0; j < n; j++)
      a[i * n + j] += s;
  }
}
#pragma autotune kernel
void shadowed(int n, double *a, const double *w)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double t = w[i]; // another variable has its name
    for (int j = 0; j < n; j++) {
      double t = w[j];
      a[i * n + j] += t;
    }
  }
}
#pragma autotune kernel
void macro_cell(int n, double *a)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = a[i * n]; // a macro changes it
    for (int j = 0; j < n; j++)
      CELL += s;
  }
}
#pragma autotune kernel
void macro_statement(int n, double *a, double *b)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = a[i * n]; // likewise
    for (int j = 0; j < n; j++) {
      b[i * n + j] += s;
      BUMP;
    }
  }
}
#pragma autotune kernel
void macro_read(int n, double *a)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = CELL; // it is read by a macro
    for (int j = 0; j < n; j++)
      a[i * n + j] += s;
  }
}
#pragma autotune kernel
void members(int n, struct matrix *m, const double *w)
{
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = m->flat[i * n]; // both may lead to the same memory
    for (int j = 0; j < n; j++)
      m->rows[i][j] += s * w[j];
  }
}
#pragma autotune kernel
void view(int n, double *a, const int *index)
{
  struct view v = { a };
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = a[i]; // it is not known where a member leads
    for (int j = 0; j < n; j++)
      *(v.data + index[j]) += s;
  }
}
#pragma autotune kernel
void rows_of_four(int n, double *a)
{
  double(*rows)[4] = (double(*)[4])a;
  #pragma autotune tile sizes(8, 4)
  for (int i = 0; i < n; i++) {
    double s = a[i * 4]; // another view of the same memory
    for (int j = 0; j < 4; j++)
      rows[i][j] += s;
  }
}
#pragma autotune kernel
void flat(int n)
{
  double *numbers = (double *)table;
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = table[i][0]; // likewise
    for (int j = 0; j < n; j++)
      numbers[i * 100 + j] += s;
  }
}
#pragma autotune kernel
void pointer_of_file(int n, double *a)
{
  at = a;
  #pragma autotune tile sizes(8, 8)
  for (int i = 0; i < n; i++) {
    double s = a[i]; // another pointer to it
    for (int j = 0; j < n; j++)
      at[j] += s;
  }
}
