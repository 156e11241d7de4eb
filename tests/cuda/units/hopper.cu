// Instructions that only Hopper's own architecture has: sm_90a, not sm_90.
#if __CUDA_ARCH__ >= 900 && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define BRANCH unknown
#else
#define BRANCH 2.0f
#endif

#pragma autotune kernel block(128, 256)
__global__ void fences(float *a, int n)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= BRANCH;
}

// The address of a __grid_constant__ argument is that of the kernel's parameter, so a unit must not copy it. Older
// devices have no clusters.
struct alignas(128) map { unsigned long long word[16]; };
template <class T> struct reference { static const bool value = false; };
template <class T> struct reference<T &> { static const bool value = true; };

#pragma autotune kernel block(128, 256)
__global__ void __cluster_dims__(2, 1, 1) clustered(const __grid_constant__ map m, float *a, int n)
{
#ifdef __CUDACC_RTC__
  static_assert(!reference<decltype(m)>::value, "decltype is that of the kernel's parameter");
#endif
#if __CUDA_ARCH__ >= 900
  asm volatile("prefetch.tensormap [%0];" : : "l"(&m) : "memory");
#endif
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += (float)m.word[0];
}

void run(float *a, int n, map m)
{
  fences<<<(n + 127) / 128, 128>>>(a, n);
  clustered<<<(n + 255) / 256 * 2, 128>>>(m, a, n);
}
