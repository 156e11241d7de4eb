// Each kernel's variants must give what the kernel as written gives: variables of the device by address,
// instances of templates, alternatives, unrolled loops, launches with geometry of their own. Prints what was wrong.
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <autotune.h>

#define WEIGHTS 5

namespace filter {
__constant__ float weights[WEIGHTS];
__device__ unsigned long long launches;
namespace {
__device__ float bias_that_is_added_to_every_sum_of_weighted_neighbours_in_each_output = 2;
struct Offset { int by; };
}

// Constants and variables by address; atomics on one.
#pragma autotune kernel block(32, 64, 128) grid(ceil) verify(exact)
extern "C" __global__ void smooth(const float *in, float *out, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    atomicAdd(&launches, 1ull);
  if (i >= n)
    return;
  float sum = bias_that_is_added_to_every_sum_of_weighted_neighbours_in_each_output;
  #pragma autotune unroll partial({1, 5})
  for (int k = 0; k < WEIGHTS; k++)
    sum += weights[k] * in[i + k];
  out[i] = sum;
}
}

enum class Order { Up, Down };

// Each instance alone; a class as an argument; half of the threads where a thread does two.
#pragma autotune kernel param(EACH: 1, 2, 4) grid(gridDim.x / EACH) constraint(EACH < 4 || sizeof(T) < 8)
template <class T, Order ORDER, class By>
__global__ void shifted(const T *__restrict__ in, T *__restrict__ out, By offset)
{
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
  for (int k = 0; k < EACH; k++) {
    int i = ORDER == Order::Up ? first + k : gridDim.x * blockDim.x * EACH - 1 - first - k;
    out[i] = in[first + k] + T(offset.by);
  }
}
// Dynamic shared memory as large as the block; another way to do the same.
#pragma autotune kernel block(32, 64) shared(blockDim.x * sizeof(float))
__global__ void reversed(float *data)
{
  extern __shared__ float memory[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  memory[threadIdx.x] = data[i];
  __syncthreads();
  data[i] = memory[threadIdx.x] * 2;
}

#pragma autotune alternative(reversed)
__global__ void doubled(float *data)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] += data[i];
}

// By cudaLaunchKernel.
#pragma autotune kernel block(32, 64) grid(ceil) key(n)
template <class T> __global__ void filled(T *out, T value, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = value;
}

// A class that only the instantiation names.
struct Scale {
  float by;
  __device__ float operator()(float x) const { return by * x; }
};
#pragma autotune kernel block(32, 64) grid(ceil)
template <class F> __global__ void mapped(float *a, const __grid_constant__ F f)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = f(a[i]);
}
// Arguments that stay where they are, with commas in their types, without a name and with a default.
template <class A, class B> struct Pair {
  A a;
  B b;
  enum { COUNT = 2 };
};
#pragma autotune kernel block(32, 64) grid(ceil)
__global__ void paired(const __grid_constant__ Pair<float, int> p, float *out, int n,
                       const __grid_constant__ Pair<int, float>,
                       const __grid_constant__ Pair<int, int> q = Pair<int, int>{ 3, 4 }, int more = 5)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = p.a + p.b + q.b + more + decltype(p)::COUNT;
}

template <class F> static void map_all(float *a, F f) { mapped<<<8, 64>>>(a, f); }

enum { N = 1024 };
static int wrong;

static void expect(const char *what, const float *got, float (*value)(int), int n)
{
  for (int i = 0; i < n; i++)
    if (got[i] != value(i) && wrong++ < 10)
      printf("%s: [%d] is %g, not %g\n", what, i, got[i], value(i));
}

int main()
{
  static float host[N + WEIGHTS];
  float *in, *out, w[WEIGHTS] = { 1, 0, 2, 0, 1 };
  unsigned long long launches = 0;
  cudaMalloc((void **)&in, sizeof host);
  cudaMalloc((void **)&out, sizeof host);
  for (int i = 0; i < N + WEIGHTS; i++)
    host[i] = float(i);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(filter::weights, w, sizeof w);

  for (int round = 0; round < 3; round++)
    filter::smooth<<<(N - 24 + 63) / 64, 64>>>(in, out, N - 24);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  expect("smooth", host, [](int i) { return 2 + 4 * float(i) + 8; }, N - 24);
  cudaMemcpyFromSymbol(&launches, filter::launches, sizeof launches);
  if (launches != 3 && ++wrong)
    printf("smooth: ran %llu times\n", launches);

  w[0] = 2; // constants may change between launches
  cudaMemcpyToSymbol(filter::weights, w, sizeof w);
  filter::smooth<<<(N - 24 + 63) / 64, 64>>>(in, out, N - 24);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  expect("smooth again", host, [](int i) { return 2 + 5 * float(i) + 8; }, N - 24);

  for (int round = 0; round < 2; round++)
    shifted<float, Order::Down><<<N / 64, 64>>>(in, out, filter::Offset{ 3 });
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  expect("shifted<float>", host, [](int i) { return float(N - 1 - i) + 3; }, N);
  shifted<int, Order::Up><<<N / 128, 64>>>((const int *)in, (int *)out, filter::Offset{ 0 });
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  expect("shifted<int>", host, [](int i) { return float(i); }, N / 2);

  cudaMemcpy(out, in, N * sizeof(float), cudaMemcpyDeviceToDevice);
  for (int round = 0; round < 2; round++)
    reversed<<<N / 64, 64, 64 * sizeof(float)>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  expect("reversed", host, [](int i) { return 4 * float(i); }, N);

  float two = 2;
  int some = 512;
  void *args[] = { &out, &two, &some };
  if (cudaLaunchKernel((void *)filled<float>, dim3(4), dim3(128), args) != cudaSuccess)
    wrong++;
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  expect("filled", host, [](int) { return 2.0f; }, some);

  map_all(out, Scale{ 3 });
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  expect("mapped", host, [](int) { return 6.0f; }, some);

  paired<<<8, 64>>>(Pair<float, int>{ 1, 2 }, out, 512, Pair<int, float>{});
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  expect("paired", host, [](int) { return 14.0f; }, some);

  struct Local { int by; } local = { 1 };
  shifted<float, Order::Up><<<N / 64, 64>>>(in, out, local);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  expect("shifted by a local class", host, [](int i) { return float(i) + 1; }, N);

  static const char *const names[] = { "smooth", "reversed", "shifted<float, 1, filter::Offset>",
                                       "shifted<int, 0, filter::Offset>", "filled<float>",
                                       "mapped<Scale>", "paired" };
  for (const char *name : names) {
    char *why = nullptr;
    if (autotune_why(name, nullptr, &why) != AUTOTUNE_OK || !strstr(why, "variants"))
      wrong++, printf("%s: %s\n", name, why ? why : "unknown");
  }
  printf("%s: %d wrong\n", cudaGetErrorName(cudaGetLastError()), wrong);
  return wrong != 0;
}
