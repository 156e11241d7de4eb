// Arguments that the host makes for each variant: a struct with an address, a struct made from itself, a number in a
// template, and a tensor map. A kernel whose argument is not of its own variant writes -1.
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>

#include <autotune.h>

#include "../../examples/cuda/hopper.h"

#define W 32
#define H 4

// Slow as written, so that another variant wins on a busy machine too.
#define SLOW (W == 32 ? 1000 : 0)

static int made; // how often the host has made a tile

struct Tile {
  const float *from;
  int width;
};

static Tile tile_of(const float *a, int width)
{
  made++;
  return Tile{ a, width };
}

// The address is in an argument of its own.
#pragma autotune kernel param(W: 16, 32, 64, 128) constraint(W < 128 || n > 1000000) \
  prepare(tile = tile_of(a, W)) in(a[0:n]) out(b[0:n]) key(n)
__global__ void named(const __grid_constant__ Tile tile, const float *a, float *b, int n)
{
  (void)a;
  for (volatile int k = 0; k < SLOW; k++)
    ;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    b[i] = tile.width == W ? 2 * tile.from[i] : -1;
}

struct Both {
  float *data;
  int width, n;
};

static Both both_of(Both b, long long width)
{
  b.width = (int)width;
  return b;
}

namespace parts {
// The address is nowhere else, and nothing says what is written.
#pragma autotune kernel param(W: 16, 32, 64) prepare(both = both_of(both, W))
__global__ void alone(Both both)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < both.n)
    both.data[i] = both.width == W ? both.data[i] + 1 : -1;
}
}

static int tiles(int n, int width) { return (n + width - 1) / width; }
#define TILES tiles(n, W) // and the build defines ROWS as N * H

#pragma autotune kernel param(W: 16, 32) param(H: 1, 4) \
  prepare(count = TILES * int(sizeof(T)), rows = ROWS) out(a[0:n]) key(n)
template <class T, int N> __global__ void counted(T *a, int n, int count, int rows)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = count == (n + W - 1) / W * int(sizeof(T)) && rows == N * H ? T(i % 100) : T(-1);
}

static bool refused; // no more maps are made

// A box of W numbers by H rows, of a tensor with 128 numbers in a row, and STRIDE from row to row.
static CUtensorMap map_of(const float *a, int n, int width, int height, int stride = 128)
{
  alignas(128) CUtensorMap map = {};
  if (refused)
    return map;
  cuuint64_t dims[] = { 128, (cuuint64_t)n / 128 }, strides[] = { stride * sizeof(float) };
  cuuint32_t box[] = { (cuuint32_t)width, (cuuint32_t)height }, steps[] = { 1, 1 };
  CUresult e = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)a, dims, strides, box, steps,
                                      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (e != CUDA_SUCCESS)
    printf("a tensor map of %d x %d: %d\n", width, height, (int)e);
  return map;
}

#define MAP(width) map_of(a, n, width, H)

#pragma autotune kernel param(W: 16, 32, 64) param(H: 2, 4) prepare(map = MAP(W)) \
  shared(W * H * sizeof(float) + 8) in(a[0:n]) out(b[0:n]) key(n)
__global__ void mapped(const __grid_constant__ CUtensorMap map, const float *a, float *b, int n)
{
  extern __shared__ __align__(128) float tile[]; // a box, then a barrier
  unsigned at = shared_address(tile + W * H), parity = 0;
  (void)a;
  for (volatile int k = 0; k < SLOW; k++)
    ;
  if (threadIdx.x == 0) {
    mbarrier_init(at, 1);
    mbarrier_init_fence();
  }
  __syncthreads();
  for (int box = blockIdx.x; box < n / (W * H); box += gridDim.x, parity ^= 1) {
    int x = box % (128 / W) * W, y = box / (128 / W) * H;
    if (threadIdx.x == 0) {
      mbarrier_expect(at, W * H * sizeof *tile);
      tensor_load(shared_address(tile), (const tensor_map *)&map, x, y, at);
    }
    mbarrier_wait(at, parity);
    for (int i = threadIdx.x; i < W * H; i += blockDim.x)
      b[(y + i / W) * 128 + x + i % W] = 3 * tile[i];
    __syncthreads();
  }
}

enum { N = 4096, MORE = 512 };

static int wrong(const float *device, float by, const float *x, int stride = 128)
{
  static float got[N];
  int n = 0;
  cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++)
    n += got[i] != by * x[i / 128 * stride + i % 128];
  return n;
}

int main()
{
  static float x[N];
  float *a, *b, *c;
  int bad = 0;
  for (int i = 0; i < N; i++)
    x[i] = (float)(i % 100);
  cudaMalloc(&a, sizeof x + MORE * sizeof *x);
  cudaMalloc(&b, sizeof x);
  cudaMalloc(&c, sizeof x);
  cudaMemcpy(a, x, sizeof x, cudaMemcpyHostToDevice);
  for (int k = 0; k < 3; k++) {
    named<<<8, 64>>>(tile_of(a, W), a, b, N);
    bad += wrong(b, 2, x);
    autotune_wait(120); // in the background
  }
  int before = made;
  for (int k = 0; k < 10; k++)
    named<<<8, 64>>>(Tile{ a, W }, a, b, N); // made once, and kept
  printf("made again for known arguments: %d\n", made - before);
  for (int i = 0; i < N; i++)
    x[i]++;
  cudaMemcpy(c, x, sizeof x, cudaMemcpyHostToDevice);
  before = made;
  for (int k = 0; k < 10; k++)
    named<<<8, 64>>>(Tile{ c, W }, c, b, N); // another address: made again, once
  bad += wrong(b, 2, x);
  for (int i = 0; i < N; i++)
    x[i]--;
  printf("made for another address: %d\n", made - before);
  before = made;
  for (int k = 0; k < 1000; k++) // more than are kept
    named<<<8, 64>>>(Tile{ a + k % 500, W }, a + k % 500, b, N);
  named<<<8, 64>>>(Tile{ a, W }, a, b, N);
  bad += wrong(b, 2, x);
  printf("made for 500 addresses: %s\n", made - before >= 500 ? "yes" : "no");

  cudaMemset(b, 0, sizeof x);
  for (int k = 0; k < 3; k++) {
    parts::alone<<<N / 64, 64>>>(Both{ a, W, N });
    autotune_wait(120);
  }
  static float got[N];
  cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++)
    bad += got[i] != x[i] + 3;
  cudaMemcpy(a, x, sizeof x, cudaMemcpyHostToDevice);

  for (int k = 0; k < 2; k++) {
    counted<float, 3><<<N / 64, 64>>>(b, N, tiles(N, W) * 4, 3 * H);
    bad += wrong(b, 1, x);
    autotune_wait(120);
  }
  for (int k = 0; k < 3; k++) {
    mapped<<<8, 64, W * H * sizeof(float) + 8>>>(map_of(a, N, W, H), a, b, N);
    bad += wrong(b, 3, x);
    autotune_wait(120);
  }
  static float y[2 * N];
  for (int i = 0; i < 2 * N; i++)
    y[i] = (float)(i % 77);
  cudaFree(c);
  cudaMalloc(&c, sizeof y);
  cudaMemcpy(c, y, sizeof y, cudaMemcpyHostToDevice);
  mapped<<<8, 64, W * H * sizeof(float) + 8>>>(map_of(c, N, W, H), c, b, N);
  bad += wrong(b, 3, y);
  // Maps that are not those of the default's params, or are not made: the kernel runs as written.
  mapped<<<8, 64, W * H * sizeof(float) + 8>>>(map_of(c, N, W, H, 256), c, b, N);
  bad += wrong(b, 3, y, 256);
  cudaMemcpy(a, y, sizeof x + MORE * sizeof *x, cudaMemcpyHostToDevice);
  CUtensorMap map = map_of(a + 256, N, W, H);
  refused = true;
  mapped<<<8, 64, W * H * sizeof(float) + 8>>>(map, a + 256, b, N);
  bad += wrong(b, 3, y + 256);
  printf("%s: %d wrong\n", cudaGetErrorName(cudaDeviceSynchronize()), bad);
}
