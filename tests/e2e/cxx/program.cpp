// SPDX-License-Identifier: Apache-2.0
// A program of C++ whose kernels are free functions, a static member function and a
// template, with plain data, vectors and the program's own variables and functions.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#define STEP 1
#define B 8

int calls = 0;
extern "C" double outside(double x); // elsewhere in the program

namespace lab {
namespace {
double weight = 2.0;
}
const int offset = 3;
inline double twice(double x) {
  return 2 * x;
}
#pragma autotune kernel param(STEP : 1, 2, 4) in(x[0:n]) inout(y[0:n])
void axpy(std::size_t n, double a, const double *x, double *y) {
  for (std::size_t i = 0; i < n; i += STEP)
    for (std::size_t j = i; j < n && j < i + STEP; j++)
      y[j] += a * std::sqrt(x[j]) * weight + twice(a) * offset;
}
} // namespace lab

struct Cell {
  double mass;
  double speed[3];
};

class Grid {
  int hidden = 3;

  static double half() {
    return 0.5;
  }
  static double other(int n) {
    return n;
  }

public:
#pragma autotune kernel param(STEP : 1, 2) in(x[0:n]) out(y[0:n])
  static double smooth(int n, const double *x, double *y, double factor = half()) {
    double s = 0;
    for (int i = 0; i < n; i += STEP)
      for (int j = i; j < n && j < i + STEP; j++) {
        y[j] = factor * (x[j] + x[std::max(j - 1, 0)]);
        s = std::max(s, y[j]);
      }
    return s + other(0);
  }
  int get() const {
    return hidden;
  }
};

#pragma autotune kernel param(B : 8, 32) in(a.data()[0:a.size()]) \
    out(b.data()[0:b.size()])
template <typename T, int N>
void scale(const std::vector<T> &a, std::vector<T> &b, T f = T(2)) {
  for (std::size_t i = 0; i < a.size(); i += B)
    for (std::size_t j = i; j < std::min<std::size_t>(a.size(), i + B); j++)
      b[j] = f * a[j] + N;
}

extern "C" {
#pragma autotune kernel compiler(clang, gcc) in(x[0:n]) inout(y[0:n])
void matrix(int n, const double *x, double *y) {
#pragma autotune tile sizes({8, 16}) optional
  for (int i = 0; i < n; i++)
    y[i] += x[i] * outside(x[i]);
}
}

#pragma autotune kernel compiler(clang, gcc) inout(c[0:n], calls)
static int count(int n, Cell *c) {
  int k = 0;
#pragma autotune unroll partial({2, 4})
  for (int i = 0; i < n; i++) {
    c[i].mass = c[i].mass * 3 + c[i].speed[1] * 0.1;
    k += c[i].mass > 20;
  }
  calls++;
  return k;
}

#pragma autotune kernel out(*to, sum)
static void spread(const std::array<double, 16> &from, std::array<double, 16> *to,
                   double &sum) {
  double s = 0;
#pragma autotune unroll partial({2, 4}) optional
  for (int i = 0; i < 16; i++) {
    (*to)[i] = from[i] + 1;
    s += (*to)[i];
  }
  sum = s;
}

int main() {
  std::vector<double> x(5000), y(5000);
  std::vector<float> fx(3000), fy(3000);
  std::vector<Cell> cells(1000);
  std::array<double, 16> from{}, to{};
  double s = 0, sum = 0;
  int k = 0;
  for (std::size_t i = 0; i < x.size(); i++)
    x[i] = static_cast<double>(i) * 0.37;
  for (std::size_t i = 0; i < fx.size(); i++)
    fx[i] = static_cast<float>(i) * 0.5F;
  for (std::size_t i = 0; i < cells.size(); i++) {
    cells[i].mass = static_cast<double>(i % 7);
    cells[i].speed[1] = static_cast<double>(i % 11);
  }
  for (int r = 0; r < 4; r++) {
    lab::axpy(x.size(), 0.5, x.data(), y.data());
    s = Grid::smooth(5000, x.data(), y.data());
    scale<double, 3>(x, y);
    scale<float, 4>(fx, fy, 3.0F);
    matrix(5000, x.data(), y.data());
    k = count(1000, cells.data());
    spread(from, &to, sum);
  }
  std::printf("%.6g %.6g %.6g %d %d %g %d\n", s, y[100], static_cast<double>(fy[100]), k,
              calls, sum, Grid().get());
  std::string name("end");
  std::cout << name << std::endl;
}
