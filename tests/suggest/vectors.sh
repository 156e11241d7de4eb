# SPDX-License-Identifier: Apache-2.0
# autotune suggest and `autotune cc --auto` with std::vector, std::array, std::span, references and lambdas: a stencil in a
# class's member function, and what stays as it is.
. "$(dirname "$0")/../e2e/cc_lib.sh"

cat > heat.cpp << 'EOF'
#include <array>
#include <cstddef>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>
using field = std::vector<double>;
class heat {
  field u, v;
  std::size_t rows, columns;
public:
  heat(std::size_t n, std::size_t m) : u(n * m), v(n * m), rows(n), columns(m)
  {
    for (std::size_t i = 0; i < u.size(); i++)
      u[i] = v[i] = i % 7;
  }
  void step(double c)
  {
    for (std::size_t i = 1; i < rows - 1; i++)
      for (std::size_t j = 1; j < columns - 1; j++)
        v[i * columns + j] = u[i * columns + j] + c * (u[(i - 1) * columns + j] + u[(i + 1) * columns + j] - 2 * u[i * columns + j]);
    std::swap(u, v);
  }
  double value(std::size_t i) const { return u[i]; }
};
void smooth(const int &n, const field &x, field &y, double &sum, const double &factor)
{
  for (int i = 1; i < n; i++) {
    y[i] = factor * x[i - 1];
    sum += y[i];
  }
}
void scaled(std::span<float> x, const std::array<float, 4> &weights)
{
  auto by = [&](float f) {
    for (std::size_t i = 0; i < x.size(); i++)
      x[i] = x[i] * f + weights[2];
  };
  by(2);
  by(0.5f);
}
static double twice(double x) { return 2 * x; }
void left(std::vector<field> &grid, field &x, field &y)
{
  for (std::size_t i = 0; i < grid.size(); i++)
    grid[i][0] = 1;
  for (std::size_t i = 0; i < x.size(); i++)
    x.at(i) = 1;
  for (std::size_t i = 0; i < 4; i++)
    y.push_back(x[i]);
  for (std::size_t i = 0; i < x.size(); i++)
    x[i] = twice(y[0]);
}
int main()
{
  heat h(300, 400);
  for (int t = 0; t < 12; t++)
    h.step(0.1);
  field x(50000, 1.5), y(50000);
  double sum = 0;
  for (int t = 0; t < 20; t++)
    smooth(50000, x, y, sum, 0.5);
#ifndef APART
  smooth(50000, x, x, sum, 0.5);
  smooth(50000, x, y, sum, y[7]);
  smooth(50000, x, y, y[20], 0.5);
#endif
  std::vector<float> f(40000, 2);
  for (int t = 0; t < 20; t++)
    scaled(f, { 1, 2, 3, 4 });
  std::vector<field> g(4, field(3));
  left(g, x, y);
  printf("%.12g %.12g %.12g %.12g %.12g %g %zu\n", h.value(4321), sum, x[49], y[20], y[21], f[11], y.size());
}
EOF
check "suggest" autotune suggest heat.cpp -- -std=c++20 > patch 2> notes
has "members that are vectors" patch '^+ *in(u\[0:.*inout(v\[0:'
has "the number of elements" patch '^+ *out(u\[0:u.size()\], v\[0:u.size()\])'
has "references" patch '^+ *in(factor, x\[0:(long long)n - 1\]) inout(y\[0:n\], sum)'
has "a sum in a reference" patch 'reduction(+: sum)'
has "a loop in a lambda, a span, an array" patch '^+ *in(weights\[0:3\]) inout(x\[0:x.size()\])'
has "what references may overlap" notes "assumed: no other array overlaps 'y', 'factor', 'x', 'sum'"
hasnt "members own their memory" notes "overlaps '[uv]'"
has "a vector of vectors" notes "loop in line 45 of 'left' is left as it is: 'grid' is of type 'std::vector<field>'"
has "at()" notes "loop in line 47 of 'left' is left as it is: it uses more of 'x' than x\[i\], x.data() and x.size()"
has "push_back()" notes "loop in line 49 of 'left' is left as it is: it uses more of 'y' than"
has "a call" notes "loop in line 51 of 'left' is left as it is: a function that it calls may change 'x'"
mkdir patched && cp heat.cpp patched
check "patch" patch -s -p1 -d patched -i ../patch
check "check" autotune check patched/heat.cpp -- -std=c++20 > list 2> messages
is "no kernel is refused" "$(cat messages)" ""

for cc in g++ clang++-22; do
  command -v $cc > /dev/null || continue
  check "$cc plain" $cc -std=c++20 -O2 heat.cpp -o plain
  expected=$(./plain)
  check "$cc --auto" autotune cc --auto $cc -std=c++20 -O2 -Wall -Wextra -Werror heat.cpp -o auto
  check "$cc --auto: kernels" grep -q autotune_begin auto
  is "$cc --auto, untuned" "$(AUTOTUNE_MODE=off ./auto)" "$expected"
  is "$cc --auto, tuned" "$(AUTOTUNE_MODE=first AUTOTUNE_BUDGET=2 AUTOTUNE_CACHE=$work/auto-$cc ./auto)" "$expected"
  check "$cc with pragmas" autotune cc $cc -std=c++20 -O2 -w -DAPART patched/heat.cpp -o tuned
  expected=$(AUTOTUNE_MODE=off ./tuned)
  is "$cc: answer while it is tuned" \
    "$(AUTOTUNE_MODE=first AUTOTUNE_BUDGET=2 AUTOTUNE_LOG=info AUTOTUNE_CACHE=$work/$cc ./tuned 2> log)" "$expected"
  for kernel in step smooth scaled; do
    has "$cc: $kernel is tuned" log "${kernel}_[0-9a-f]*: \(tuned\|default: none of\)"
  done
  is "$cc: tuned answer" "$(AUTOTUNE_MODE=first AUTOTUNE_CACHE=$work/$cc ./tuned)" "$expected"
done
finish
