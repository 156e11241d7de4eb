// SPDX-License-Identifier: Apache-2.0
#include <string>

#pragma autotune kernel block(64, 128) grid(ceil)
__global__ void scale(float *a, size_t n, float2 shift)
{
  const char *text = R"(" a raw string, in which copy<<<1, 1>>>( is text
#pragma autotune kernel
")";
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  auto f = [&](float x) { return x * 2 + shift.x + text[0]; };
  if constexpr (sizeof(size_t) == 8)
    for (int j : { 0, 1 })
      if (i + j < n)
        a[i + j] = f(a[i + j]);
}

template <class F>
class runner {
public:
  explicit runner(F f) : f_(f) {}
  void operator()(float *a, size_t n) { scale<<<f_(n), 64>>>(a, n, make_float2(1'000, 2)); }
private:
  F f_;
};

int main()
{
  std::string s = R"x(scale<<<1, 1>>>()x";
  runner r([](size_t n) { return unsigned(n / 64); });
  r(nullptr, s.size());
}
