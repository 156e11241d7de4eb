// Launches wherever they stand. What a user wrote keeps its line.
#include <cuda_runtime.h>

#define THREADS 128
#define CHECK(call) do { call; if (cudaGetLastError() != cudaSuccess) return 1; } while (0)

// Declared in front of its definition, with what only the declaration says.
__global__ void early(float *a, int n = 4);

int before(float *a)
{
  early<<<1, 32>>>(a);
  return 0;
}

#pragma autotune kernel block(32, 64, 128) grid(ceil)
__global__ void early(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 1;
}

namespace inner {
template <class T> struct Box { T value; };

#pragma autotune kernel block(16x16, 32x8) key(n)
template <typename T, int N = 4>
__global__ void __launch_bounds__(256) generic(T *__restrict__ a, const T b, int n)
{
  a[threadIdx.x] = b;
}
}

extern "C" {
#pragma autotune kernel param(STEP: 1, 2, 4) flags("-maxrregcount=32", "-maxrregcount=64") \
  shared(sizeof(float) * 2 * STEP) grid(gridDim.x / STEP) \
  constraint(STEP * 4 <= AUTOTUNE_WARP && STEP * THREADS < 1000)
__global__ void plain(float a[], const float *const *b, long long n)
{
  extern __shared__ float memory[];
  for (int i = 0; i < STEP; i++)
    memory[i] = a[i];
}
}

#pragma autotune kernel block(64)
static __global__ void empty(void) {}

struct Runner {
  cudaStream_t stream;
  int go(float *a, double *d) const
  {
    dim3 grid(4, 2), block(16, 16);
    auto later = [=] { inner::generic<float><<<grid, block, 0, stream>>>(a, 2.0f, 3); };
    later();
    CHECK((early<<<dim3(1, 1), 32>>>(a, 7)));
    inner::generic<double, 1 << 2> <<<
      grid, // blocks
      block,
      sizeof(double) * 2
    >>> (
      d, 1,
      9);
    inner::generic<<<1, 2>>>(d, 1.0, 2), inner::generic<<<1, 2>>>(a, 1.0f, 2);
    ::inner::generic<inner::Box<float>><<<1, dim3(16, 16)>>>(nullptr, inner::Box<float>{ 1 }, 2);
    plain<<<1, 1, 4, 0>>>(a, nullptr, 3);
    empty<<<2, 64>>>();
    int n = 3;
    float b = 1;
    void *args[] = { &a, &b, &n };
    if (cudaLaunchKernel((const void *)inner::generic<float, 4>, grid, block, args, 0,
                         stream) != cudaSuccess)
      return 1;
    return cudaLaunchKernel((void *)early, dim3(1), dim3(32), args + 1) != cudaSuccess;
  }
};

int main()
{
  return Runner{ nullptr }.go(nullptr, nullptr) + before(nullptr);
}
