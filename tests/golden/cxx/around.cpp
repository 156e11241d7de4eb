/* args: -fopenmp */
// Clauses of the author's own pragma of OpenMP vary, in templates too.
#include <vector>

template <typename T> T sum(const std::vector<T> &x)
{
  T s = 0;
  #pragma autotune kernel verify(off)
  #pragma omp parallel for reduction(+ : s) schedule(static)
  #pragma autotune parallel for schedule({static, dynamic}, {16, 64}) optional
  for (int i = 0; i < (int)x.size(); i++)
    s += x[i];
  return s;
}

#pragma autotune kernel inout(y[0:n])
void scale(int n, double *y)
{
  #pragma omp parallel for
  #pragma autotune parallel for num_threads({1, 2}) schedule(dynamic, {16, 64})
  for (int i = 0; i < n; i++)
    y[i] *= 2;
}

double use(std::vector<double> &v)
{
  scale((int)v.size(), v.data());
  return sum(v);
}
