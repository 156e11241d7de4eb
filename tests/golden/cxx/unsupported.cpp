// What is not tuned yet: one warning each, at the pragma or at the name, and the program builds as without.
#include <stdexcept>
#include <vector>

struct Shape {
  virtual double area(double x) const;
};
#pragma autotune kernel inout(x[0:n])
void measure(int n, double *x, const Shape *s)
{
  for (int i = 0; i < n; i++)
    x[i] = s->area(x[i]);
}

static double checked(double x)
{
  if (x < 0)
    throw std::domain_error("negative");
  return x / 2;
}
#pragma autotune kernel inout(x[0:n])
void halve(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = checked(x[i]);
}

struct Field {
  std::vector<double> values;
  #pragma autotune kernel inout(values.data()[0:values.size()])
  void clear()
  {
    for (double &x : values)
      x = 0;
  }
};

static thread_local int where;
#pragma autotune kernel out(x[0:n])
void fill(int n, int *x)
{
  for (int i = 0; i < n; i++)
    x[i] = where;
}

#pragma autotune kernel inout(x[0:n])
constexpr int sum(int n, int *x)
{
  return n ? x[0] : 0;
}

#pragma autotune kernel inout(x[0:n])
template <typename... A> void all(int n, double *x, A... a)
{
  x[0] = n + sizeof...(a);
}

namespace far {
void away(int n, double *x);
}
#pragma autotune kernel inout(x[0:n])
void far::away(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = 1;
}

#pragma autotune kernel inout(x.data()[0:x.size()])
void take(std::vector<double> &&x)
{
  x[0] = 1;
}

struct Table {
  int n;
  Table(int m) : n(m * 2) {}
  ~Table() {}
};
static const Table table = Table(3);
#pragma autotune kernel out(x[0:n])
void look(int n, int *x)
{
  for (int i = 0; i < n; i++)
    x[i] = table.n;
}
