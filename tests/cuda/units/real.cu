// SPDX-License-Identifier: Apache-2.0
// What programs have that were not written for this: headers of libraries for the host, members for the host alone, GNU C,
// namespaces that macros of the toolkit open, #ifs within declarations, pasted names.
#include <cooperative_groups.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cufft.h>
#include <cusparse.h>
#include <iostream>
#include <string>
#include <vector>

#include "headers/forked.h"

using namespace cooperative_groups;

#define JOIN(a, b) a##b
#define VERSION_15 15
#define VERSION(x) JOIN(VERSION_, x)
#if VERSION(15) >= 14
#define NEW_ONE 1
#else
#error the macro that is put together is not here
#endif

struct Sample {
  float x, y;
  __host__ __device__ Sample(float a, float b) : x(a), y(b) {}
  __host__ void print() const { std::cout << x << y; }
  __host__ Sample(const std::vector<float> &v);
  std::string text() const { return std::to_string(x); }
  __device__ float sum() const { return x + y; }
  struct Part {
    int n;
    __host__ friend bool less(const Part &a, const Part &b) { std::cerr << "no"; return a.n < b.n; }
  };
  friend std::ostream &operator<<(std::ostream &o, const Sample &s) { return o << s.x; }
};

#if defined(__CUDACC__) || defined(__HIPCC__)
__host__ __device__
#endif
inline float halved(float x);
__host__ __device__ inline float halved(float x) { return x / 2; }

__constant__
#ifdef USE_DOUBLE
double
#else
float
#endif
factors[4];
#define SHARED_WITH_HOST __device__ __managed__
SHARED_WITH_HOST int counted;

const float scale = 1.5f, more = 2;
static const float inverse = 1.0 / scale;

// GNU C that nvcc takes.
#define LARGER(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
struct Pair { int first; float second; };
__device__ float gnu(int n, float x)
{
  register Pair p = { .first = n, .second = x };
  Pair q = (Pair){ n, ({ float y = x; for (int i = 0; i < n; i++) y *= 2; y; }) };
  return LARGER(LARGER(p.second, q.second), 1.0f) + UINT64_C(3);
}

// Classes that only a host can have; the kernel's names mean nothing of them.
struct h {
  std::vector<int> all;
};
template <class T> struct i;
template <> struct i<std::string> { static std::string twice(const std::string &s) { return s + s; } };
inline int on_host(int n) { return n + 1; }
struct Counter {
  int n;
  Counter(int from) : n(on_host(from)) {}
  __device__ int get() const { return n; }
};

#pragma autotune kernel block(64, 128)
__global__ void __launch_bounds__(256, 4)
streamed(const float *const __restrict a, float *const __restrict__ b, cufftComplex *z, __half *h, Sample *s,
         const int *, CUtexObject)
{
  thread_block group = this_thread_block();
  unsigned i = group.group_index().x * group.size() + group.thread_rank();
  b[i] = halved(__ldcs(&a[i])) * factors[NEW_ONE] + s[i].sum();
  z[i] = cuCmulf(z[i], z[i]);
  b[i] += gnu(counted, b[i]) * inverse * more + reinterpret_cast<const Counter *>(a)->get();
  h[i] = __float2half(b[i]);
}

void run(float *a, float *b, cufftComplex *z, __half *h, Sample *s) { streamed<<<1, 64>>>(a, b, z, h, s, nullptr, 0); }
