// SPDX-License-Identifier: Apache-2.0
// Launches that find their kernel by its address: through pointers, in macros, with an #if in them. All are tuned, and right.
#include <cstdio>
#include <vector>

// Its first argument has the kernel's name, its second none.
#pragma autotune kernel block(64, 128) grid(ceil)
__global__ void by_pointer(float *__restrict__ by_pointer, int, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    by_pointer[i] += 1;
}
#pragma autotune kernel block(64, 128) grid(ceil)
__global__ void by_table(float *a, int, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 2;
}
__global__ void plain(float *a, int, int n) // without a pragma
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 3;
}
namespace ops {
#pragma autotune kernel block(64, 128) grid(ceil)
template <typename T, int N = 1> __global__ void by_instance(T *a, int, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += N;
}
}
#pragma autotune kernel block(64, 128) grid(ceil)
__global__ void in_macro(float *a, int, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 8;
}
#pragma autotune kernel block(64, 128) grid(ceil)
__global__ void handed(float *a, int, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 9;
}
#pragma autotune kernel block(64, 128) grid(ceil)
__global__ void conditional(float *a, int, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 10;
}

#define RUN(a, n) in_macro<<<4, 256>>>(a, 0, n)
#define ALIAS in_macro
#define LAUNCH_ON(kernel, blocks, ...) kernel<<<blocks, 256, 0>>>(__VA_ARGS__)
#define LAUNCH(kernel, ...) LAUNCH_ON(kernel, 4, __VA_ARGS__)

typedef void (*function)(float *, int, int);
template <class K, class... A> void bench(K kernel, A... a) { kernel<<<4, 256>>>(a...); }
template <function K> void bench_constant(float *a, int n) { K<<<4, 256>>>(a, 0, n); }

int main()
{
  const int n = 1000;
  float *a;
  cudaMalloc((void **)&a, n * sizeof *a);
  cudaMemset(a, 0, n * sizeof *a);

  function pointer = &by_pointer;
  pointer<<<4, 256>>>(a, 0, n);             // 1
  function table[] = { by_table, plain };
  for (function f : table)
    f<<<dim3(4), 256, 0, 0>>>(a, 0, n);     // 6
  table[1]<<<4, 256>>>(a, 0, n);            // 9
  auto instance = ops::by_instance<float, 4>;
  int zero = 0, size = n;
  void *args[] = { &a, &zero, &size };
  instance<<<4, 256>>>(a, 0, n);            // 13
  cudaLaunchKernel((const void *)instance, dim3(4), dim3(256), args, 0, 0); // 17
  using ops::by_instance;
  bench(by_instance<float>, a, 0, n);       // 18
  RUN(a, n);                                // 26
  ALIAS<<<4, 256>>>(a, 0, n);               // 34
  LAUNCH(handed, a, 0, n);                  // 43
  LAUNCH(plain, a, 0, n);                   // 46
  bench(handed, a, 0, n);                   // 55
  bench_constant<handed>(a, n);             // 64
  conditional<<<4, 256>>>(a,
#ifdef HALF
                          0, n / 2
#else
                          0, n
#endif
  ); // 74

  std::vector<float> host(n);
  bool right = cudaMemcpy(host.data(), a, n * sizeof *a, cudaMemcpyDeviceToHost) == cudaSuccess;
  for (float x : host)
    right = right && x == 74;
  puts(right ? "right" : "wrong");
  return !right;
}
