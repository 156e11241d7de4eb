// SPDX-License-Identifier: Apache-2.0
// Overloads, twins in another branch of an #if, one with a pragma, kernels defined outside of their namespace,
// #ifs among parameters.
#include <cstdio>
__global__ void add(double *a, int n);
#pragma autotune kernel block(64, 128) grid(ceil)
__global__ void add(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += 1;
}
__global__ void add(double *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += 2;
}
template <class T, int N> __global__ void add(T *a, int n, T more)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += N * more;
}
#ifdef NEW_ONE
template <class T> __global__ void twin(T *a, int n, int more) { if (threadIdx.x < n) a[threadIdx.x] += 100; }
#else
#pragma autotune kernel block(64, 128) grid(ceil)
__global__ void twin(float *a, int n, int more)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += more;
}
#endif
// Defined outside of their namespaces.
namespace a {
namespace b {
struct size { int n; };
__device__ int twice(int x) { return 2 * x; }
__global__ void outside(float *x, size s);
template <class T> __global__ void outside_too(T *x, size s);
}
}
#pragma autotune kernel block(64, 128) grid(ceil)
__global__ void a::b::outside(float *x, size s)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < s.n) x[i] += twice(2);
}
#pragma autotune kernel block(64, 128) grid(ceil)
template <class T> __global__ void a::b::outside_too(T *x, size s)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < s.n) x[i] += twice(3);
}

// #ifs among the parameters.
#define WITH_MORE 2
#pragma autotune kernel block(64, 128) grid(ceil)
__global__ void chosen(float *x,
#ifdef UNHEARD_OF
                       short *unheard,
#endif
#if defined(WITH_MORE) && WITH_MORE > 1
                       float more,
#else
                       double more, double most,
#endif
                       int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += more;
}

int main()
{
  int n = 1000;
  float *a; double *d;
  cudaMalloc(&a, n * sizeof *a); cudaMalloc(&d, n * sizeof *d);
  cudaMemset(a, 0, n * sizeof *a); cudaMemset(d, 0, n * sizeof *d);
  add<<<4, 256>>>(a, n); add<<<4, 256>>>(d, n); add<int, 2><<<4, 256>>>((int *)d, 0, 1); add<float, 2><<<4, 256>>>(a, n, 3.f);
  twin<<<4, 256>>>(a, n, 5);
  ::a::b::outside<<<4, 256>>>(a, ::a::b::size{ n });
  ::a::b::outside_too<float><<<4, 256>>>(a, { n });
  chosen<<<4, 256>>>(a,
#if WITH_MORE
                     10.f,
#endif
                     n);
  float x[1000]; double y[1000];
  cudaMemcpy(x, a, sizeof x, cudaMemcpyDeviceToHost); cudaMemcpy(y, d, sizeof y, cudaMemcpyDeviceToHost);
  bool right = x[0] == 32 && x[999] == 32 && y[0] == 2 && y[999] == 2;
  puts(right ? "right" : "wrong");
  return !right;
}
