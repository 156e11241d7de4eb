#ifndef VECTOR_CUH
#define VECTOR_CUH
#include "config.h"
#include <string>
#ifndef WIDTH
#define WIDTH 4
#endif
namespace vec {
template <class T, int N> struct Vec {
  T data[N];
  HD T &operator[](int i) { return data[i]; }
  HD T operator[](int i) const { return data[i]; }
};
template <class T, int N> HD Vec<T, N> operator+(Vec<T, N> a, const Vec<T, N> &b)
{
  for (int i = 0; i < N; i++)
    a[i] += b[i];
  return a;
}
namespace detail {
template <class T> HD T square(T x) { return x * x; }
}
template <class T, int N> HD T length(const Vec<T, N> &a);
template <class T, int N> HD T length(const Vec<T, N> &a)
{
  T sum = 0;
  for (int i = 0; i < N; i++)
    sum += detail::square(a[i]);
  return sqrtf(sum);
}
inline std::string name() { return "vec"; }
}
#endif
