// Loops and blocks that cannot be kernels of their own: one warning each, and they stay as written.
struct shape {
  virtual double area(double x) const { return x; }
};
struct grid {
  double *u;
  int n;
  unsigned flag : 1;
  double scale(double x) { return x * 2; }
  void step(const shape &s)
  {
    #pragma autotune kernel
    for (int i = 0; i < n; i++)
      u[i] = scale(u[i]);
    #pragma autotune kernel
    for (int i = 0; i < n; i++)
      this->scale(u[i]);
    #pragma autotune kernel
    for (int i = 0; i < n; i++)
      u[i] = flag;
    #pragma autotune kernel
    for (int i = 0; i < n; i++)
      u[i] = s.area(u[i]);
    #pragma autotune kernel
    for (int i = 0; i < n; i++) {
      double u = this->u[i];
      u += 1;
    }
  }
  void own(grid *(*f)(grid *))
  {
    #pragma autotune kernel
    for (int i = 0; i < n; i++)
      f(this);
  }
};
int leave(int n, double *x)
{
  #pragma autotune kernel
  for (int i = 0; i < n; i++)
    if (x[i] < 0)
      return i;
  #pragma autotune kernel
  for (int i = 0; i < n; i++)
    if (x[i] < 0)
      break;
  #pragma autotune unroll partial({2, 4})
  for (int i = 0; i < n; i++)
    if (x[i] < 0)
      throw i;
  return 0;
}
void closures(int n, double *x)
{
  auto each = [&](double f) {
    #pragma autotune kernel
    for (int i = 0; i < n; i++)
      x[i] *= f;
  };
  each(2);
  #pragma autotune kernel
  for (int i = 0; i < n; i++) {
    auto twice = [](double y) { return 2 * y; };
    x[i] = twice(x[i]);
  }
}
void types(int n, double *x)
{
  struct pair { double a, b; } p = { 1, 2 };
  double rows[n][n], line[n];
  #pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = p.a;
  #pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = rows[i][i];
  #pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = sizeof line;
  struct local {
    void f(double *y)
    {
      #pragma autotune kernel
      for (int i = 0; i < 8; i++)
        y[i] = 1;
    }
  };
}
template <int... N> void pack(int n, double *x)
{
  #pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = sizeof...(N);
}
#define MINUS -
void hidden(int n, double *x)
{
  #pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] = n MINUS x[i];
}
extern "C" {
void linked(int n, double *x)
{
  auto f = n * 2;
  #pragma autotune kernel
  for (int i = 0; i < n; i++)
    x[i] *= f;
}
}
