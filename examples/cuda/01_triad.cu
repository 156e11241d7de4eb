// SPDX-License-Identifier: Apache-2.0
// 01_triad.cu: a = b + s c, STREAM's triad (McCalpin 1995): as fast as memory can be.
//
// Lesson: one line, then a little more. `triad` is a kernel as anyone would write it, and
// the pragma before it is the shortest of all: block(...) lists how many threads a
// block may have. The launch further down stays as it is; each size listed is launched
// with as many blocks as make the same number of threads, and as the kernel checks the
// bounds itself, grid(ceil) says that a few more threads than were asked for do no harm.
//
// `triad_wide` is the same with numbers of its own to choose: how many floats a thread
// moves by one instruction, and how many such accesses it has in flight. The blocks are
// now fewer than the launch asked for, so grid(...) says how many there are, in terms of
// the parameters. That `in` and `out` are named keeps trials from saving more than `a`.
//
//   nvcc -O3 -arch=native 01_triad.cu && ./a.out
//   autotune cc nvcc -O3 -arch=native 01_triad.cu && ./a.out
#include <cuda_runtime.h>

#define BLOCK 256 // threads of a block
#define VEC 4     // floats of one access
#define PER 1     // accesses of a thread to each array

struct alignas(4 * VEC) floats {
  float at[VEC];
};

#pragma autotune kernel block(64, 128, 256, 512, 1024) grid(ceil) \
    in(b[0:n], c[0:n]) out(a[0:n]) bytes(12.0 * n)
__global__ void triad(int n, float s, const float *b, const float *c, float *a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = b[i] + s * c[i];
}

// The arrays begin at multiples of 16 bytes, as cudaMalloc makes them.
#pragma autotune kernel param(VEC: 1, 2, 4) param(PER: 1, 2, 4, 8) \
    param(BLOCK: 64, 128, 256, 512, 1024) block(BLOCK) \
    grid((n + BLOCK * VEC * PER - 1) / (BLOCK * VEC * PER)) \
    in(b[0:n], c[0:n]) out(a[0:n]) bytes(12.0 * n)
__global__ void __launch_bounds__(BLOCK)
    triad_wide(int n, float s, const float *__restrict__ b, const float *__restrict__ c,
               float *__restrict__ a)
{
  int first = blockIdx.x * (BLOCK * VEC * PER) + threadIdx.x * VEC;
  floats x[PER], y[PER];
  if (first + (PER - 1) * BLOCK * VEC + VEC > n) { // near the end: one by one
    for (int p = 0; p < PER; p++)
      for (int i = first + p * BLOCK * VEC, v = 0; v < VEC && i + v < n; v++)
        a[i + v] = b[i + v] + s * c[i + v];
    return;
  }
#pragma unroll
  for (int p = 0; p < PER; p++) { // all are asked for before the first is used
    x[p] = *(const floats *)(b + first + p * BLOCK * VEC);
    y[p] = *(const floats *)(c + first + p * BLOCK * VEC);
  }
#pragma unroll
  for (int p = 0; p < PER; p++) {
#pragma unroll
    for (int v = 0; v < VEC; v++)
      x[p].at[v] += s * y[p].at[v];
    *(floats *)(a + first + p * BLOCK * VEC) = x[p];
  }
}

static void launch_triad(int n, float s, const float *b, const float *c, float *a)
{
  triad<<<(n + 255) / 256, 256>>>(n, s, b, c, a);
}

static void launch_triad_wide(int n, float s, const float *b, const float *c, float *a)
{
  triad_wide<<<(n + BLOCK * VEC * PER - 1) / (BLOCK * VEC * PER), BLOCK>>>(n, s, b, c, a);
}

#ifndef AUTOTUNE_EXAMPLE_KERNEL_ONLY // benchmarks bring a main of their own
#include "lesson.h"

static bool right(int n, float s, const float *b, const float *c, const float *a)
{
  for (int i = 0; i < n; i++)
    if (!(fabsf(b[i] + s * c[i] - a[i]) <= 1e-5f))
      return printf("  WRONG ANSWER: a[%d] = %g\n", i, a[i]), false;
  return true;
}

int main(int argc, char **argv)
{
  int n = argument(argc, argv, 1, 1 << 28, 50000);
  array<float> b(n), c(n);
  bool good = true;
  for (int i = 0; i < n; i++)
    b[i] = i % 101 - 50, c[i] = i % 17;
  b.to_device(), c.to_device();

  for (int wide = 0; wide < 2; wide++) {
    array<float> a(n);
    auto launch = wide ? launch_triad_wide : launch_triad;
    printf("%s n=%d\n", wide ? "triad_wide" : "triad", n);
    measure([&] { launch(n, 3, b.device, c.device, a.device); }, 12.0 * n);
    a.to_host();
    good &= right(n, 3, b.host, c.host, a.host);
  }
  return finish(good);
}
#endif
