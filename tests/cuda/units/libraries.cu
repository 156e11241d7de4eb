// Libraries of the toolkit by their namespaces: headers that are not reached are not
// included.
#include <cub/cub.cuh>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <curand_kernel.h>
#include <cooperative_groups.h>
#include <thrust/device_vector.h>

#pragma nv_diag_suppress static_var_with_dynamic_init
namespace cg = cooperative_groups;

#pragma autotune kernel param(THREADS: 128, 256)
__global__ void summed(const float *in, float *out, int n)
{
  using Reduce = cub::BlockReduce<float, THREADS>;
  __shared__ typename Reduce::TempStorage storage;
  float x = threadIdx.x < n ? in[threadIdx.x] : 0;
  float sum = Reduce(storage).Sum(x);
  if (threadIdx.x == 0)
    *out = sum;
}

#pragma autotune kernel block(32)
__global__ void staged(const float *in, float *out)
{
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ float tile[1024];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0)
    init(&barrier, block.size());
  block.sync();
  tile[threadIdx.x] = in[threadIdx.x];
  barrier.arrive_and_wait();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

#pragma autotune kernel block(32)
__global__ void noise(float *out, unsigned long long seed)
{
  curandStatePhilox4_32_10_t state;
  curand_init(seed, threadIdx.x, 0, &state);
  out[threadIdx.x] = curand_uniform(&state);
}

void run(float *a, float *b)
{
  thrust::device_vector<float> v(3);
  summed<<<1, 128>>>(a, b, 3);
  staged<<<1, 32>>>(a, b);
  noise<<<1, 32>>>(a, 7);
}
