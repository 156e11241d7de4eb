// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

namespace ops {
namespace detail {

#pragma autotune kernel block(64, 128, 256) grid(ceil) inout(a[0:n]) verify(rtol: 1e-3)
template <typename T, int N = 4, bool ODD = (N > 3)>
static __global__ void __launch_bounds__(256, 2) scale(T *__restrict__ a, const unsigned int n, T factor = T(2))
{
  #pragma autotune unroll partial({1, 2, 4})
  for (int j = 0; j < N; j++) {
    unsigned int i = (blockIdx.x * blockDim.x + threadIdx.x) * N + j;
    if (i < n)
      a[i] = a[i] * factor;
  }
}

#pragma autotune alternative(scale)
template <typename T, int N, bool ODD>
static __global__ void scale_simple(T *__restrict__ b, const unsigned int count, T factor)
{
  for (unsigned int i = blockIdx.x * blockDim.x * N + threadIdx.x; i < count; i += blockDim.x)
    b[i] *= factor;
}

} // namespace detail

template <typename T>
void run(T *a, unsigned n, cudaStream_t stream)
{
  detail::scale<T><<<(n + 1023) / 1024, dim3(256, 1, 1), 0, stream>>>(a, n);
}
} // namespace ops

namespace d = ops::detail;

template __global__ void ops::detail::scale<float>(float *, const unsigned int, float);

void all(float *a, __half *h, unsigned n)
{
  d::scale<float, 8><<<n, 256>>>(a, n);
  using ops::detail::scale;
  scale<__half, 2, (3 > 2)><<<n / 2, 256>>>(h, n, __half(3));
  ::ops::detail::scale<<<n, 256>>>(a, n, 1.5f);
}
