// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cuda_runtime.h>

#define CHECK(call)                                                     \
  do {                                                                  \
    cudaError_t e = (call);                                             \
    if (e != cudaSuccess)                                               \
      printf("%s: %s\n", #call, cudaGetErrorString(e));                 \
  } while (0)
#define TIMES(n, statement) for (int t = 0; t < (n); t++) { statement; }
#define HALF(kernel) sizeof #kernel // its own `kernel`

extern "C" __global__ void copy(float *to, const float *from, int n);

#pragma autotune kernel block(128, 256) grid(ceil) in(from[0:n]) out(to[0:n])
extern "C" __global__ void copy(float *to, const float *from, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = from[i];
}

__global__ void other(float *to)
{
  to[threadIdx.x] = 0;
}

struct copier {
  int copy = 1;
  int twice() const { return copy + copy; }
  void run(float *a, float *b, int n) { ::copy<<<n / 128, 128>>>(a, b, n); }
};

static int named_like_it(int copy)
{
  return copy + 1;
}

int main()
{
  float *a = nullptr, *b = nullptr;
  int n = 1 << 20;
  cudaStream_t stream = nullptr;
  void *args[] = { &a, &b, &n };
  CHECK(cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
  CHECK(cudaLaunchKernel((const void *)copy, dim3(n / 256), dim3(256), args, 0, stream));
  CHECK(cudaLaunchKernel(reinterpret_cast<void *>(&copy), n / 256, 256, args, 0, nullptr));
  TIMES(3, (copy<<<n / 256, 256>>>(a, b, n)));
  auto later = [=](int blocks) { copy<<<blocks, 256, 0, stream>>>(a, b, [] { return 4; }()); };
  later(named_like_it(3));
  if (n > 3)
    copy<<<(n + 255) / 256, 256>>>(a, b, n); // the last
  else
    other<<<1, 32>>>(a);
  // copy<<<1, 1>>>(a, b, n);
  puts("copy<<<1, 1>>>(a, b, n)");
}
