// Macros that nvcc and the host's compiler define by themselves: NVRTC must see the same branches.
#ifdef __NVCC__
#define ROUTE 1
#else
#error "nvcc is not seen"
#endif
#include <cuda_fp16.h>

#if defined(__GNUC__) && __GNUC__ >= 8
#define ALIGNED(n) __attribute__((aligned(n)))
#elif defined(_MSC_VER)
#define ALIGNED(n) __declspec(align(n))
#else
#error "no compiler is known"
#endif
#if !defined(__linux__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || __SIZEOF_POINTER__ != 8
#error "the host is not seen"
#endif

#ifdef __SIZEOF_INT128__
__device__ int high(long long a, long long b) { return (int)(((__int128)a * b) >> 64); }
#endif

struct ALIGNED(16) Four { float x, y, z, w; };

#pragma autotune kernel block(64, 128)
__global__ void four(Four *a, __half *b, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(__NVCC__) && ROUTE && __INT_MAX__ > 32767
  if (i < n) {
    a[i].x += __FLT_EPSILON__ + high(n, i);
    b[i] = __float2half(a[i].x);
  }
#else
#error "nvcc is not seen in the body"
#endif
#if __CUDACC_VER_MAJOR__ < 11 || __CUDA_ARCH__ < 500 || !defined(__CUDACC__)
#ifdef __CUDA_ARCH__
#error "the version is not seen"
#endif
#endif
}

void run(Four *a, __half *b, int n) { four<<<(n + 63) / 64, 64>>>(a, b, n); }
