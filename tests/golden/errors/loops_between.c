// Between loops that a directive needs there are declarations that cannot move.
double sum_of(const double *a);
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
