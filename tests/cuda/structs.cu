// SPDX-License-Identifier: Apache-2.0
// Structs of nothing but floating-point numbers are compared as such: the variant with another order of additions is
// right. Prints how elements of other types are compared.
#include <autotune_abi.h>
#include <autotune_cuda.h>
#include <cstdio>
#include <cuda_runtime.h>

struct number {
  float re, im;
};
struct nested {
  number z[3];
  float w;
  __host__ __device__ float sum() const { return z[0].re + w; }
};
typedef struct {
  double x[3];
} real3;
struct derived : number {
  float more;
};
struct mixed {
  float a;
  int b;
};
struct padded {
  double a;
  float b;
};
struct made {
  float a, b;
  made() : a(1), b(2) {}
};
struct pointers {
  double *p;
};
struct none {};
struct large {
  float x[65];
};
union either {
  float f;
  int i;
};

template <class T> static void show(const char *name) {
  autotune::element e = autotune::element_type<T>();
  printf("%s %d %zu\n", name, static_cast<int>(e.kind), e.size);
}
#define SHOW(type) show<type>(#type)

#ifndef W
#define W 1
#endif
#pragma autotune kernel param(W: 1, 2) in(a[0:n]) inout(y[0:n])
__global__ void rotate(int n, const number *a, number *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (W == 1)
    y[i].re = y[i].re + (a[i].re * 0.1f + a[i].im * 0.3f);
  else
    y[i].re = (y[i].re + a[i].re * 0.1f) + a[i].im * 0.3f;
  y[i].im = a[i].re - a[i].im;
}

int main() {
  SHOW(number);
  SHOW(nested);
  SHOW(real3);
  SHOW(derived);
  SHOW(mixed);
  SHOW(padded);
  SHOW(made);
  SHOW(pointers);
  SHOW(none);
  SHOW(large);
  SHOW(either);
  SHOW(float4);
  SHOW(int);
  enum { N = 1000 };
  number *a, *y;
  if (cudaMallocManaged(&a, N * sizeof *a) || cudaMallocManaged(&y, N * sizeof *y))
    return 1;
  for (int i = 0; i < N; i++)
    a[i].re = i % 7 / 3.f, a[i].im = i % 11 / 7.f, y[i].re = i % 13 / 11.f, y[i].im = 0;
  rotate<<<8, 128>>>(N, a, y);
  return cudaDeviceSynchronize();
}
