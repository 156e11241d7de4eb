// A static member function, and templates: each instance is tuned alone.
#define B 8
class Grid {
  #pragma autotune kernel param(B: 8, 16) in(x[0:n]) out(y[0:n])
  static void smooth(int n, const double *x, double *y)
  {
    for (int i = 0; i < n; i += B)
      for (int j = i; j < n && j < i + B; j++)
        y[j] = x[j] / 2;
  }
};

#pragma autotune kernel param(B: 8, 16) inout(x[0:n])
template <typename T, int N = 2> void scale(T *x, int n)
{
  for (int i = 0; i < n; i += B)
    for (int j = i; j < n && j < i + B; j++)
      x[j] *= N;
}
void use(float *x, int n)
{
  scale(x, n);
}
