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

void run(float *a, int n) { fences<<<(n + 127) / 128, 128>>>(a, n); }
