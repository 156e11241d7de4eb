// Containers of which a kernel uses the elements and their number alone: it gets the pointer to the elements. Others, and
// containers of which more is used, are passed by reference, as is everything in a kernel that calls other functions.
#include <array>
#include <cmath>
#include <vector>
using field = std::vector<double>;
struct cell { double mass, speed; };
template <typename T> struct grid {
  std::vector<T> u, v;
  static std::vector<double> shared;
  void step(T by)
  {
    #pragma autotune kernel inout(u[0:v.size()], this->v.data()[0:this->v.size()])
    for (std::size_t i = 0; i < u.size(); i++)
      this->u[i] += by * v[i];
  }
  T total() const
  {
    T sum = 0;
    #pragma autotune kernel param(B: 2, 4) in(u[0:u.size()])
    for (std::size_t i = 0; i < u.size(); i += B)
      sum += u.data()[i] / B;
    #pragma autotune kernel inout(shared[0:u.size()])
    for (std::size_t i = 0; i < u.size(); i++)
      shared[i] += 1;
    return sum;
  }
};
double free_ones(const field &x, field &y, std::vector<cell> &cells, std::vector<int> &counts, std::array<float, 8> a, double &sum)
{
  #pragma autotune kernel in(x.data()[1:x.size() - 2]) inout(y[0:y.size()])
  for (std::size_t i = 1; i + 1 < x.size(); i++) {
    y[i] = std::sqrt(x[i - 1]) + a[i % a.size()] + double(i);
    sum += y[i];
  }
  #pragma autotune kernel
  for (auto i = 0u; i < cells.size(); i++)
    cells[i].mass += counts[i];
  return sum;
}
double others(field &x, field &y, std::vector<field> &rows, int n)
{
  #pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = y.at(i);
  #pragma autotune kernel
  for (auto &e : x)
    e += y[0];
  #pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = rows[i][0];
  #pragma autotune kernel inout(x)
  for (int i = 0; i < n; i++)
    x[i] = n;
  #pragma autotune parallel for num_threads({1, 2}) if (x.size() > 100)
  for (int i = 0; i < n; i++)
    x[i] = n;
  #pragma autotune kernel
  for (int i = 0; i < n; i++) {
    x[i] = y[i];
    if (i > 5)
      y.push_back(x[i]);
  }
  return x[0];
}
void lambdas(int n, field &x, double scale)
{
  double sum = 0, copied[4] = { 1, 2, 3, 4 };
  auto add = [&](double by, int from) {
    #pragma autotune kernel
    for (int i = from; i < n; i++) {
      x[i] += by * scale;
      sum += x[i];
    }
  };
  auto read = [=, &x]() {
    #pragma autotune kernel
    for (int i = 0; i < n; i++)
      x[i] += copied[i % 4] * sum;
  };
  auto taken = [begin = x.data(), n]() {
    #pragma autotune kernel
    for (int i = 0; i < n; i++)
      begin[i] = 0;
  };
  add(1, 2);
  read();
  taken();
}
