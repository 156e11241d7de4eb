// SPDX-License-Identifier: Apache-2.0
// Launches in each of their forms: all are tuned, and right.
#include <cstdio>
#include <vector>

#include "kernels.cuh"

#define TILE 4
#define CHECK(call)                 \
  do {                              \
    if ((call) != cudaSuccess)      \
      puts(#call);                  \
  } while (0)

namespace ops {
namespace {

#pragma autotune kernel block(64, 128) param(TILE: 4, 8) grid(ceil) in(a[0:n]) out(b[0:n])
template <typename T, int N = 2>
__global__ void __launch_bounds__(256) scale(const T *__restrict__ a, T *b, unsigned n, T by = 2)
{
  #pragma autotune unroll partial({1, 2}) optional
  for (int j = 0; j < TILE; j++) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x + j * gridDim.x * blockDim.x;
    if (i < n)
      b[i] = a[i] * by * N;
  }
}

#pragma autotune alternative(scale)
template <typename T, int N>
__global__ void scale_plain(const T *__restrict__ x, T *y, unsigned count, T by)
{
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    y[i] = x[i] * by * N;
}

} // namespace

template <typename T, int N>
struct scaler {
  int scale = 4; // another thing of the kernel's name
  int blocks() const { return scale; }
  void operator()(const T *a, T *b, unsigned n) { ops::scale<T, N><<<blocks(), 64>>>(a, b, n); }
};

} // namespace ops

namespace o = ops;

static bool all_are(const float *device, unsigned n, float factor, float more)
{
  std::vector<float> host(n);
  bool right = true;
  CHECK(cudaMemcpy(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < n; i++)
    right = right && host[i] == factor * i + more;
  return right;
}

// Kernels of one name in three namespaces, with and without a pragma.
namespace twin {
#pragma autotune kernel block(64, 128) grid(ceil)
__global__ void bump(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 4;
}
}
namespace plain {
__global__ void bump(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 6;
}
}
namespace other {
#pragma autotune kernel block(64, 128) grid(ceil)
template <typename T> __global__ void bump(T *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 7;
}
void both(float *a, int n)
{
  bump<<<4, 256>>>(a, n);
  twin::bump<<<4, 256>>>(a, n);
}
}

int main()
{
  const unsigned n = 1000;
  std::vector<float> host(n);
  for (unsigned i = 0; i < n; i++)
    host[i] = i;
  float *a, *b;
  CHECK(cudaMalloc((void **)&a, n * sizeof(float)));
  CHECK(cudaMalloc((void **)&b, n * sizeof(float)));
  CHECK(cudaMemcpy(a, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  o::scale<float><<<4, 64>>>(a, b, n);
  bool right = all_are(b, n, 4, 0);
  using ops::scale;
  auto launch = [&](int grid) { scale<float, 3><<<grid, dim3(64, 1)>>>(a, b, n, 1.f); };
  launch(4);
  right = all_are(b, n, 3, 0) && right;
  ops::scaler<float, 5>()(a, b, n);
  right = all_are(b, n, 10, 0) && right;
  float by = 0.5f;
  unsigned count = n;
  void *args[] = { &a, &b, &count, &by };
  CHECK(cudaLaunchKernel((const void *)ops::scale<float, 2>, dim3(4), dim3(64), args, 0, 0));
  right = all_are(b, n, 1, 0) && right;
  add_one<<<4, 256>>>(b, n);
  right = all_are(b, n, 1, 1) && right;
  CHECK(cudaMemset(b, 0, n * sizeof(float)));
  twin::bump<<<4, 256>>>(b, n);
  other::both(b, n);
  plain::bump<<<4, 256>>>(b, n);
  right = all_are(b, n, 0, 21) && right; // 4 twice, 7, 6
  puts(right ? "right" : "wrong");
  return !right;
}
