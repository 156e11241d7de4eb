// The elements of a vector of bool have no addresses. A template may stand for it, so templates in this file pass all vectors
// by reference.
#include <vector>
template <typename T> long count(const std::vector<T> &x)
{
  long n = 0;
  #pragma autotune kernel
  for (std::size_t i = 0; i < x.size(); i++)
    n += x[i] ? 1 : 0;
  return n;
}
long both(const std::vector<bool> &marks, const std::vector<int> &values)
{
  long sum = 0;
  #pragma autotune kernel
  for (std::size_t i = 0; i < values.size(); i++)
    sum += values[i];
  #pragma autotune kernel
  for (std::size_t i = 0; i < values.size(); i++)
    sum += marks[i] ? values[i] : 0;
  return sum + count(marks) + count(values);
}
