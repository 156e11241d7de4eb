// What stands in a unit: the kernel as a function, what it reaches, variables as pointers; nothing else.
#include <stdint.h>
#include <stdio.h>
#include <vector>

#define SCALE 3
#define UNUSED 4
namespace a {
namespace {
enum Kind { Sum, Product };
}
struct Pair { float x; int32_t y; };
__constant__ float factors[SCALE];
__device__ int done, unreached;
static std::vector<Pair> pairs;

// Only by its operator.
__device__ Pair operator+(Pair p, float x) { return Pair{ p.x + x, p.y }; }
template <class T> __device__ T apply(Kind kind, T a, T b);
template <class T> __device__ T apply(Kind kind, T a, T b) { return kind == Sum ? a + b : a * b; }
template <> __device__ float apply<float>(Kind, float a, float b) { return a - b; }
float apply_on_host(float a) { return a; }
__device__ float unused_helper(float a) { return a; }

#if TILE > 8
#define LARGE 1
#else
#define LARGE 0
#endif

#pragma autotune kernel block(64, 128) param(TILE: 8, 16) key(n)
template <class T, Kind KIND>
__global__ void __launch_bounds__(128, 2) fold(const T *__restrict__ in, Pair *out, int n)
{
  T sum = 0;
  #pragma autotune unroll partial({2, 4})
  for (int i = 0; i < TILE; i++)
    sum = apply<T>(KIND, sum, in[i] * a::factors[i % SCALE]);
#if LARGE
  out->y = done;
#endif
  out[threadIdx.x] = *out + sum;
}

#pragma autotune alternative(fold)
template <class T, Kind KIND>
__global__ void fold_once(const T *__restrict__ in, Pair *out, int n)
{
  out[threadIdx.x] = *out + in[n];
}

void run(const float *in, Pair *out, int n)
{
  pairs.resize(n);
  fold<float, Product><<<1, 64>>>(in, out, n);
}
}
