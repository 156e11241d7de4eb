// Kernels that are loops and blocks: what they take from the function, its templates and its class.
#include <stddef.h>
typedef double real;
struct point { double x, y; };
template <typename T> struct list {
  T *items;
  size_t n;
  size_t size() const { return n; }
  T &operator[](size_t i) { return items[i]; }
};
void f(int n, double *x, const point &p, real &sum)
{
  const int limit = 8;
  double part[limit], last = 0;
  #pragma autotune kernel inout(x[0:n], part[0:8])
  for (int i = 0; i < n; i++) {
    double own[limit] __attribute__((aligned(64))) = { 0 };
    own[i % limit] = p.x;
    part[i % limit] += own[i % limit];
    last = x[i] *= 2;
    sum += last;
  }
  part[0] = last;
  #pragma autotune unroll partial({2, 4})
  for (int i = 0; i < n; i++)
    x[i] += 2;
}
namespace lab {
template <typename T, int N = 4> T total(list<T> v)
{
  T sum = 0;
  auto n = v.size();
  #pragma autotune kernel
  for (size_t i = 0; i < n; i++)
    sum += v[i] * N;
  return sum;
}
class solver {
  double *u;
  int n;
  void step(double dt)
  {
    #pragma autotune kernel inout(u[0:n])
    for (int i = 0; i < n; i++)
      this->u[i] += dt;
  }
  void again();
};
void solver::again()
{
  #pragma autotune kernel param(B: 4, 8) key(n) inout(this->u[0:n])
  {
    for (int i = 0; i < n; i += B)
      u[i] += B;
  }
}
}
