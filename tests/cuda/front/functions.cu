// SPDX-License-Identifier: Apache-2.0
// Functions as arguments of a template.
#include <cstdio>
typedef float (*function)(float);
namespace m { __device__ float twice(float x) { return 2 * x; } }
#pragma autotune kernel block(64, 128) grid(ceil)
template <function F, class T> __global__ void apply(T *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = F(a[i] + 1); }
static __device__ float thrice(float x) { return 3 * x; } // after the kernel
template <function F> void run(float *a, int n) { apply<F><<<4, 256>>>(a, n); }
int main()
{
  int n = 1000; float *x; cudaMalloc(&x, n * sizeof *x); cudaMemset(x, 0, n * sizeof *x);
  run<m::twice>(x, n); run<thrice>(x, n);
  float y[1000]; cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost);
  bool right = y[0] == 9 && y[999] == 9;
  puts(right ? "right" : "wrong"); return !right;
}
