// Warnings of loops that depend on themselves and of short sections, in C++. Atomic objects are no cause.
#include <atomic>
#include <cstddef>

#pragma autotune kernel in(a[0:n]) out(b[0:n])
void prefix(int n, const double *a, double *b)
{
  b[0] = 0;
  #pragma autotune parallel for num_threads({1, 2})
  for (int i = 1; i < n; i++)
    b[i] = b[i - 1] + a[i];
}

#pragma autotune kernel
void count(int n, const int *a, std::atomic<int> *total)
{
  #pragma autotune parallel for num_threads({1, 2})
  for (int i = 0; i < n; i++)
    total[0] += a[i];
}

#pragma autotune kernel in(a[0:n]) out(b[0:n])
template <typename T>
void past(int n, const T *a, T *b)
{
  #pragma autotune unroll partial({1, 2, 4})
  for (int i = 0; i <= n; i++)
    b[i] = a[i];
}
template void past<double>(int, const double *, double *);

namespace grids {
#pragma autotune kernel in(a[0:n]) inout(b[0:n]) out(c[0:n])
template <typename T>
void sweep(int n, const T *a, T *b, T *c)
{
  int j;
  #pragma autotune reverse
  for (int i = 1; i < n; i++)
    b[i] = b[i - 1] + a[i];
  #pragma autotune parallel for
  for (int i = 1; i < n; i++) {
    for (j = 0; j < 8; j++)
      b[i] += a[j];
    for (j = 0; a[j] > 0; j++)
      b[i] *= 2;
  }
  #pragma autotune simd safelen(8)
  for (int i = 4; i < n; i++)
    b[i] = b[i - 4] + j;
}
template void sweep<double>(int, const double *, double *, double *);
}
