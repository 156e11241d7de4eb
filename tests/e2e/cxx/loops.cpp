// SPDX-License-Identifier: Apache-2.0
// Kernels of C++ that are loops and blocks: in main, in members, in a template, with vectors and references, one of
// which cannot be tuned. Of the two ways, way 1 is fast.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cmath>
#ifndef WAY
#define WAY 0
#endif
typedef double real;
namespace {
void spend(int way) { volatile int turns = way == 0 ? 60000 : 6000; while (turns > 0) turns = turns - 1; }
}
static double half(double x) { return x / 2; }
struct Point { double x, y; };
namespace lab {
template <typename T, int N> T total(const std::vector<T> &v, T scale)
{
  T sum = 0;
  auto n = v.size();
#pragma autotune kernel param(WAY: 0, 1) in(v.data()[0:v.size()])
  for (std::size_t i = 0; i < n; i++) {
    if (i == 0) spend(WAY);
    sum += v[i] * scale + N;
  }
  return sum;
}
class Solver {
  std::vector<double> u;
  double *raw;
  int n;
  double energy;
public:
  explicit Solver(int n_) : u(n_, 1.0), raw(u.data()), n(n_), energy(0) {}
  void step(double dt) {
#pragma autotune kernel param(WAY: 0, 1)
    for (int i = 0; i < n; i++) {
      if (i == 0) spend(WAY);
      u[i] += dt * i;
      this->energy += raw[i];
    }
  }
  void again(double dt);
  template <class F> double folded(F f)
  {
    double all = 0;
    const auto &values = u;
#pragma autotune kernel param(WAY: 0, 1)
    for (int i = 0; i < n; i++) {
      if (i == 0) spend(WAY);
      all += values[i];
    }
    return f(all);
  }
  double value() const { return energy + u[3]; }
};
void Solver::again(double dt)
{
  const int limit = 8;
#pragma autotune kernel param(WAY: 0, 1) key(n) inout(raw[0:n], this->energy)
  for (int i = 0; i < n; i++) {
    double part[limit] = { 0 };
    if (i == 0) spend(WAY);
    part[i % limit] = dt;
    raw[i] += part[i % limit];
    energy += std::sqrt(raw[i]);
  }
}
}
int main(int argc, char **argv)
{
  using namespace std;
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  vector<double> v(n), w(n, 2.0);
  Point p = { 1, 2 };
  real sum = 0;
  auto count = 0;
  double hist[8] = { 0 };
  for (auto &e : v)
    e = 1.5;
  for (int t = 0; t < 4; t++) {
#pragma autotune kernel param(WAY: 0, 1) inout(v.data()[0:n], hist[0:8])
    for (int i = 0; i < n; i++) {
      if (i == 0) spend(WAY);
      v[i] = v[i] * 0.5 + w[i];
      p.x += v[i];
      sum += sqrt(v[i]);
      hist[i % 8] += 1;
      count++;
    }
#pragma autotune parallel for num_threads({1, 2})
    for (int i = 0; i < n; i++)
      w[i] += p.y;
  }
#pragma omp parallel
  {
#pragma omp master
    sum += 1;
  }
#pragma autotune kernel param(WAY: 0, 1) inout(w.data()[0:n])
  {
    spend(WAY);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
      sum += w[i] = w[i] > 5 ? w[i] : 5;
  }
#pragma autotune kernel
  for (int i = 0; i < n; i++)
    if (w[i] < 0)
      throw i;
  lab::Solver s(n);
  for (int t = 0; t < 3; t++) {
    s.step(0.5);
    s.again(0.25);
  }
  std::vector<float> f(n, 2.0f);
  printf("%.10g %.10g %d %g %.10g %.10g\n", p.x, sum, count, hist[3], s.value(), w[5]);
  printf("%.10g %g\n", lab::total<double, 3>(v, 2.0), lab::total<float, 1>(f, 0.5f));
  printf("%.10g\n", s.folded(half));
}
