// Templates: types and constants, helpers, specialisations, functors, an enumeration, a lambda.
#include <cstdio>
#include <type_traits>
#include <vector>

namespace app {
enum class Mode : int { Plain, Scaled };

template <class T> struct Traits { static constexpr int width = 1; };
template <> struct Traits<float> { static constexpr int width = 4; };

struct Add {
  template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct Host { std::vector<int> list; };

__device__ constexpr int powers[] = { 1, 2, 4, 8 };

template <class T> __device__ __forceinline__ T clamp_to(T x, T low, T high)
{
  return x < low ? low : x > high ? high : x;
}

#pragma autotune kernel block(32x8, 64x4) grid(ceil)
template <class T, int N, Mode M, class Op>
__global__ void __launch_bounds__(256) combine(const T *__restrict__ a, T *__restrict__ b, int n, Op op)
{
  auto at = [=] (int i) { return i * N + powers[N % 4]; };
  T sum = T(0);
  #pragma autotune unroll partial({1, 4})
  for (int i = threadIdx.x; i < n; i += Traits<T>::width)
    sum = op(sum, clamp_to(a[at(i)], T(-1), T(1)));
  if constexpr (std::is_same<T, float>::value && M == Mode::Scaled)
    sum *= 2;
  b[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// instance: float, 3, app::Mode::Scaled, app::Add

void host(Host *h, const float *a, float *b)
{
  std::printf("%zu\n", h->list.size());
  combine<float, 3, Mode::Scaled><<<16, dim3(32, 8)>>>(a, b, 100, Add());
}
}

int main() { app::Host h; app::host(&h, nullptr, nullptr); }
