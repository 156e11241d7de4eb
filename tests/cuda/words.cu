// SPDX-License-Identifier: Apache-2.0
// Macros with the names of words in generated text. The kernel, its clauses and its
// launch use them.
#include <cuda_runtime.h>

#define argument n
#define asked 1
#define cold 2
#define end 4
#define fit 5
#define grid 6
#define held 7
#define instance 8
#define keys 9
#define kind 10
#define launch 11
#define lines 12
#define locate 13
#define name 14
#define noinline 15
#define set_size 16
#define size (n * 2)
#define text 18
#define threads (asked + 255)
#define type_of 19
#define unused 20
#define value 21
#define x_ 22
#define TILE 2

__constant__ int factors[4];

#pragma autotune kernel param(TILE: 1, 2, 4) constraint(TILE < held && threads > kind) block(32 * TILE) \
  grid((argument + 32 * TILE * asked - 1) / (32 * TILE)) shared(TILE * fit) key(argument, size) \
  inout(a[0:size]) flops(1.0 * size)
template <typename T> __global__ void scale(T *a, int n, int more = launch)
{
  extern __shared__ T memory[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  memory[threadIdx.x % TILE] = 1;
  if (i < size)
    a[i] = a[i] * memory[0] + cold + end + grid + instance + keys + lines + locate + name + noinline +
           set_size + text + type_of + unused + value + x_ + factors[i & 3] + more;
}

int main()
{
  float *a = nullptr;
  scale<<<dim3(asked), dim3(threads), fit * TILE>>>(a, kind);
  return cudaGetLastError() != cudaSuccess;
}
