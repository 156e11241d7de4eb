// Free functions: in a namespace, with C linkage, with references and default arguments.
#include <cmath>
#include <cstddef>
#include <vector>

namespace lab {
inline double twice(double x)
{
  return 2 * x;
}
#define STEP 1
#pragma autotune kernel param(STEP: 1, 2, 4) in(x[0:n]) inout(y[0:n])
void axpy(std::size_t n, double a, const double *x, double *y)
{
  for (std::size_t i = 0; i < n; i += STEP)
    for (std::size_t j = i; j < n && j < i + STEP; j++)
      y[j] += std::sqrt(a) * twice(x[j]);
}
} // namespace lab

#pragma autotune kernel in(a.data()[0:a.size()]) out(b.data()[0:b.size()])
void copy(const std::vector<double> &a, std::vector<double> &b, int last = 0)
{
  #pragma autotune unroll partial({2, 4})
  for (std::size_t i = 0; i < a.size() - last; i++)
    b[i] = a[i];
}

#pragma autotune kernel inout(y[0:n])
extern "C" int shift(int n, int *y)
{
  for (int i = 0; i < n; i++)
    y[i] <<= 1;
  return n;
}

#define SIDE 4
#define CORNERS (2 * SIDE)

#pragma autotune kernel param(WIDE: 1, 2)
void corners(int n, float x[CORNERS])
{
  for (int i = 0; i < n; i++)
    x[i % CORNERS] += WIDE;
}
