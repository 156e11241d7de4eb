# SPDX-License-Identifier: Apache-2.0
# autotune suggest and `autotune cc --auto` in C++: what reads as C gets kernels, with sections and the same answers;
# all else is left as it is, with its reason.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/cc_lib.sh"

cat > blur.cpp << 'EOF'
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>
typedef float real;
#define N 200
static double table[N][N];
namespace lab {
void blur(int n, const double *x, double *y)
{
  for (int t = 0; t < n; t++)
    for (int i = 1; i < n - 1; i++)
      y[t * n + i] = x[t * n + i - 1] + x[t * n + i] + x[t * n + i + 1];
}
}
void product(int n, real *__restrict c, const real *a, const real *b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      real s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sqrtf(s);
    }
}
template <typename T> void clear(int n, T *x)
{
  for (int i = 0; i < n; i++)
    x[i] = 0;
}
template <typename T> void twice(int n, T *x)
{
  for (int i = 0; i < n; i++)
    x[i] = x[i] + x[i];
}
template <typename T, int WIDTH> T length_of(const T *x, int rows)
{
  T s = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < WIDTH; j++)
      s += x[i * WIDTH + j] * x[i * WIDTH + j];
  return std::sqrt(s);
}
template <typename T> class field {
public:
  field(int n, T *u) : n(n), u(u) {}
  void decay(T by)
  {
    const T half = T(0.5);
    for (int i = 0; i < n; i++)
      u[i] -= half * by * u[i];
  }

private:
  int n;
  T *u;
};
struct vec {
  double x, y;
  vec operator+(const vec &o) const { return { x + o.x, y + o.y }; }
};
void add(int n, vec *a, const vec *b)
{
  for (int i = 0; i < n; i++)
    a[i] = a[i] + b[i];
}
void fill(int n, std::vector<double> &v)
{
  for (int i = 0; i < n; i++)
    v[i] = 1;
}
void show(int n, double *x)
{
  for (int i = 0; i < n; i++) {
    x[i] = 2 * x[i];
    std::ostream &cerr = std::cout;
    cerr << x[i];
  }
}
using std::cout;
void tell(int n, double *x)
{
  for (int i = 0; i < n; i++) {
    x[i] = 2 * x[i];
    cout << x[i];
  }
}
static const double weights[3] = { 1, 2, 3 };
static inline double weigh(int i) { return weights[i % 3] / (1 + i); }
void weighted(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] += weigh(i) * weights[0];
}
static int calls;
static double round(double *x) { calls++; return *x; }
void own(int n, double **rows, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = round(rows[i]);
}
typedef struct {
  float weight;
  float *coord;
} point;
static float distance_of(point p, point q, int dim)
{
  int i;
  float result = 0;
  for (i = 0; i < dim; i++)
    result += (p.coord[i] - q.coord[i]) * (p.coord[i] - q.coord[i]);
  return result;
}
struct plane {
  int rows, columns;
  double *u, *v;
};
static void advance(plane *g)
{
  for (int i = 1; i < g->rows; i++)
    for (int j = 1; j < g->columns; j++)
      g->v[i * g->columns + j] = g->u[(i - 1) * g->columns + j - 1];
}
enum { ROWS = 40, COLUMNS };
class grid {
public:
  grid() : rows(ROWS), columns(COLUMNS), sum(0) {
    for (std::size_t i = 0; i < rows * columns; i++)
      u[i] = v[i] = double(i % 7) / static_cast<double>(rows);
  }
  static void set(int n, double *u)
  {
    for (int i = 0; i < n; i++)
      u[i] = std::sqrt(double(i));
  }
  void step()
  {
    for (std::size_t i = 1; i < rows; i++)
      for (std::size_t j = 1; j < columns; j++)
        v[i * columns + j] = u[i * columns + j - 1] + std::fabs(u[(i - 1) * columns + j]);
  }
  double add(double factor);
  double norm(const std::vector<double> &w) const
  {
    double s = 0;
    for (std::size_t i = 0; i < rows; i++)
      s += w[i] * u[i];
    return s;
  }

private:
  std::size_t rows, columns;
  double u[1640], v[1640], sum;
};
double grid::add(double factor)
{
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      this->sum += factor * u[i * COLUMNS + j] * v[i * COLUMNS + j];
  return sum;
}
int main(int argc, char **argv)
{
  int n = argc > 1 ? std::atoi(argv[1]) : N;
  std::vector<double> v(n * n), w(n * n + n);
  std::vector<real> a(n * n, 0.5f), b(n * n, 2.0f), c(n * n);
  double *x = v.data(), *y = w.data(), sum = 0;
  for (int i = 0; i < n * n; i++)
    x[i] = i % 7;
  for (int t = 0; t < 30; t++) {
    lab::blur(n, x, y);
    lab::blur(n - 1, y, y + 1);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        table[i][j] = table[i][j] * 0.5 + x[i * N + j];
  }
  product(n, c.data(), a.data(), b.data());
  for (int t = 0; t < 3; t++) {
    sum += length_of<double, 8>(y, n / 8) + length_of<real, 5>(a.data(), n / 5);
    field<double>(n, y).decay(0.25);
    field<real>(n, a.data()).decay(0.25f);
  }
  vec p[2] = { { 1, 2 }, { 3, 4 } };
  add(1, p, p + 1);
  twice(1, p);
  twice(n, y);
  own(1, &x, y);
  grid::set(1, y);
  grid g;
  g.step();
  sum += g.add(2) + g.norm(w);
  plane flat = { n, n, x, y };
  advance(&flat);
  point one = { 1, a.data() }, two = { 1, b.data() };
  for (int t = 0; t < 3; t++)
    sum += distance_of(one, two, n);
  fill(1, v);
  weighted(n, y);
  if (argc > 2) {
    show(1, x);
    tell(1, x);
  }
  for (int i = 0; i < n * n; i++)
    sum += y[i] * (i % 13) + c[i];
  std::printf("%.17g %g %g %d %d\n", sum, p[0].x, table[3][5], calls, __LINE__);
}
EOF
check "suggest" autotune suggest blur.cpp > patch 2> notes
has "a function in a namespace" patch '^+ *in(x\[0:(long long)n \* n\]) inout(y\[0:(long long)n \* n - 1\])'
has "a typedef of a number" patch '^+ *in(a\[0:(long long)n \* n\], b\[0:(long long)n \* n\]) out(c\[0:(long long)n \* n\])'
has "a loop of main" patch '^+ *in(x\[0:(long long)N \* (long long)N\])'
has "an array of the file" patch '^+ *inout(table\['
has "a loop of a constructor" patch '^+ *out(u\[0:columns \* rows\], v'
has "a loop of a member function" patch '^+ *in(u\[.*inout(v\['
has "a loop of a member function outside of its class" patch 'reduction(+: sum)'
has "members of structs by value" patch '^+ *in(p.coord\[0:dim\], q.coord\[0:dim\])'
has "the key of a struct" patch '^+ *key(g->rows, g->columns) \\$'
has "members of a struct" patch '^+ *in(g->u\[0:(long long)g->columns \* (long long)g->rows - '
has "a template" patch '^+ *in(x\[0:(long long)WIDTH \* rows\])'
has "a loop of a class template" patch '^+ *inout(u\[0:n\])'
is "kernels" "$(grep -c '^+ *#pragma autotune kernel' patch)" 14
has "a vector in a member function" patch '^+ *in(w\[0:rows\], u\[0:rows\])'
has "flags alone where a function of the file is called" notes "of 'weighted' only compilers and flags vary"
while read -r name why; do
  is "$name: why, once" "$(grep "'$name'" notes | grep -c "$why")" 1
done << 'EOF'
clear the file does not instantiate it
twice it is instantiated with more than numbers
add only numbers, arrays and structs of them are followed in C++
own it is not known what this call does
show only numbers, arrays and structs of them are followed in C++
tell only numbers, arrays and structs of them are followed in C++
EOF
mkdir patched && cp blur.cpp patched
check "patch" patch -s -p1 -d patched -i ../patch
check "check" autotune check patched/blur.cpp > list 2> messages
is "no kernel is refused" "$(cat messages)" ""

for cc in g++ clang++-22; do
  command -v $cc > /dev/null || continue
  check "$cc plain" $cc -std=c++11 -O2 blur.cpp -o plain
  check "$cc --auto" autotune cc --auto $cc -std=c++11 -O2 -Wall -Wextra -Werror -pedantic -c blur.cpp
  check "$cc kernels" grep -q autotune_begin blur.o
  check "$cc linked without autotune" $cc blur.o -o without
  check "$cc linked" autotune cc --auto $cc blur.o -o with
  expected=$(./plain)
  is "$cc without libautotune" "$(./without)" "$expected"
  is "$cc untuned" "$(AUTOTUNE_MODE=off ./with)" "$expected"
  is "$cc tuned" "$(AUTOTUNE_MODE=first AUTOTUNE_CACHE=$work/cache-$cc ./with)" "$expected"
  check "$cc without types at run time" autotune cc --auto $cc -O2 -fno-rtti -c blur.cpp
  check "$cc has no kernel then" not grep -q autotune_begin blur.o
done

# The results of kernels in namespaces, of templates and of loops in members are found by their names.
check "tuned for results" autotune cc g++ -O1 -w patched/blur.cpp -o results
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=2 AUTOTUNE_CACHE=$work/results-cache ./results > out 2> err
autotune suggest --from-profile --cache "$work/results-cache" blur.cpp 2> log > out
for kernel in "'blur'" "'twice'\|'length_of'" "the loop in line [0-9]* of 'step'" "the loop in line [0-9]* of 'grid::add'"; do
  check "a result of $kernel" grep -q "note: \($kernel\) \(won:\|is left out: no variant of\)" log
done
finish
