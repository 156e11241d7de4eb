#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# emulate_libraries.sh BUILD: programs with CUDA's C++ libraries (Thrust, CUB), cuRAND's generators and cuComplex.h, emulated by the
# toolkit's own headers: algorithms of the device, collectives in a tuned kernel, memory that copies and tunings find.
set -u
build=$(cd "$1" && pwd)
toolkit=${CUDA_PATH:-/usr/local/cuda}
[ -e "$toolkit/include/cccl/cub/cub.cuh" ] || { echo "no CCCL in $toolkit"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_EMULATE
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=20s,4 AUTOTUNE_LOG=info CUDA_PATH=$toolkit
cd "$work" || exit 1
failures=0
check() { # WHAT COMMAND…
  "${@:2}" > out 2>&1 && return
  echo "FAILED: $1"
  tail -n 20 out
  failures=$((failures + 1))
}

# Thrust's memory is the device's. Its algorithms see what kernels wrote before, in whatever stream.
cat > thrust.cu <<'END'
#include <cuComplex.h>
#include <curand_kernel.h>
#include <thrust/copy.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <cstdio>

__global__ void add(int *x, int by) { x[blockIdx.x * blockDim.x + threadIdx.x] += by; }
__global__ void draw(float *x, cuFloatComplex *z)
{
  curandStatePhilox4_32_10_t s;
  curand_init(42, threadIdx.x, 0, &s);
  x[threadIdx.x] = curand_uniform(&s);
  z[threadIdx.x] = cuCmulf(make_cuFloatComplex(0, 1), make_cuFloatComplex(0, (float)threadIdx.x));
}
static bool on_device(const void *p)
{
  cudaPointerAttributes a;
  return cudaPointerGetAttributes(&a, p) == cudaSuccess && a.type == cudaMemoryTypeDevice;
}

int main()
{
  thrust::host_vector<int> h(256);
  for (int i = 0; i < 256; i++)
    h[i] = 255 - i;
  thrust::device_vector<int> d = h;
  cudaStream_t s;
  cudaStreamCreate(&s);
  add<<<4, 64, 0, s>>>(thrust::raw_pointer_cast(d.data()), 1);
  thrust::sort(thrust::cuda::par.on(s), d.begin(), d.end());
  add<<<4, 64, 0, s>>>(thrust::raw_pointer_cast(d.data()), -1);
  thrust::inclusive_scan(thrust::cuda::par_nosync.on(s), d.begin(), d.end(), d.begin());
  thrust::device_ptr<int> more = thrust::device_malloc<int>(256);
  thrust::copy(d.begin(), d.end(), more);
  int last, sum = thrust::reduce(thrust::device, more, more + 256);
  if (cudaMemcpy(&last, more.get() + 255, sizeof last, cudaMemcpyDeviceToHost) != cudaSuccess)
    return printf("the copy\n"), 1;
  if (!on_device(thrust::raw_pointer_cast(d.data())) || !on_device(more.get()))
    return printf("the memory\n"), 1;
  thrust::device_free(more);
  if (d[1] != 1 || last != 32640 || sum != 2796160)
    return printf("%d %d %d\n", (int)d[1], last, sum), 1;
  thrust::device_vector<float> x(64);
  thrust::device_vector<cuFloatComplex> z(64);
  draw<<<1, 64>>>(thrust::raw_pointer_cast(x.data()), thrust::raw_pointer_cast(z.data()));
  float mean = thrust::reduce(x.begin(), x.end()) / 64;
  cuFloatComplex i = z[3];
  return mean < 0.3f || mean > 0.7f || i.x != -3 ? printf("%g %g\n", mean, i.x), 1 : 0;
}
END
check "Thrust: it builds" "$build/bin/autotune" cc --emulate nvcc -std=c++17 -O1 -I"$toolkit/include" thrust.cu -o thrust
check "Thrust: it runs" ./thrust

# CUB's kernels are launched as the program's. A tuned kernel's variants have its collectives, too.
cat > cub.cu <<'END'
#include <cub/cub.cuh>
#include <cstdio>

template <int B>
#pragma autotune kernel block(64, 128, 256)
__global__ void times(int *x, int n, int by) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= by; }

#pragma autotune kernel param(ITEMS: 1, 2)
__global__ void sums(const int *x, int *out, int n)
{
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage room;
  int sum = 0;
  for (int i = 0; i < 2; i += ITEMS)
    for (int k = i; k < i + ITEMS; k++)
      sum += x[(blockIdx.x * 2 + k) * 128 + threadIdx.x];
  sum = Reduce(room).Sum(sum);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}
__global__ void collectives(const int *x, int *sorted, int *before, unsigned *same)
{
  using Sort = cub::BlockRadixSort<int, 128, 2>;
  using Scan = cub::BlockScan<int, 128>;
  using Warp = cub::WarpReduce<int, 16>;
  __shared__ union { typename Sort::TempStorage sort; typename Scan::TempStorage scan; typename Warp::TempStorage warp[8]; } room;
  int keys[2] = { x[2 * threadIdx.x], x[2 * threadIdx.x + 1] }, n = threadIdx.x;
  Sort(room.sort).Sort(keys);
  sorted[2 * threadIdx.x] = keys[0];
  sorted[2 * threadIdx.x + 1] = keys[1];
  __syncthreads();
  Scan(room.scan).ExclusiveSum(n, before[threadIdx.x]);
  __syncthreads();
  int sum = Warp(room.warp[threadIdx.x / 16]).Sum(n);
  if (threadIdx.x % 16 == 0)
    before[128 + threadIdx.x / 16] = sum;
  same[threadIdx.x] = cub::MatchAny<2>(threadIdx.x);
}
#define BAD(what) (printf("%s: %s\n", what, cudaGetErrorString(cudaGetLastError())), 1)

int main()
{
  const int N = 8192;
  static int host[N], got[N];
  int *x, *y, *z;
  void *room = nullptr;
  size_t bytes = 0, most = 0;
  for (int i = 0; i < N; i++)
    host[i] = i * 7919 % N;
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&y, sizeof host);
  cudaMalloc(&z, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cub::DeviceRadixSort::SortKeys(nullptr, most, x, y, N);
  cub::DeviceScan::ExclusiveSum(nullptr, bytes, x, y, N);
  most = most > bytes ? most : bytes;
  cub::DeviceReduce::Sum(nullptr, bytes, x, y, N);
  most = most > bytes ? most : bytes;
  cudaMalloc(&room, most);
  if (cub::DeviceRadixSort::SortKeys(room, most, x, y, N) != cudaSuccess)
    return BAD("sort");
  cudaMemcpy(got, y, sizeof got, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++)
    if (got[i] != i)
      return BAD("the sort");
  cub::DeviceScan::ExclusiveSum(room, most, y, z, N);
  cudaMemcpy(got, z, sizeof got, cudaMemcpyDeviceToHost);
  if (got[N - 1] != (N - 1) * (N - 2) / 2)
    return BAD("the scan");
  cub::DeviceReduce::Sum(room, most, x, z, N);
  cudaMemcpy(got, z, sizeof(int), cudaMemcpyDeviceToHost);
  if (got[0] != N * (N - 1) / 2)
    return BAD("the sum");
  sums<<<N / 256, 128>>>(y, z, N);
  cudaMemcpy(got, z, sizeof got, cudaMemcpyDeviceToHost);
  if (got[1] != 256 * 256 + 255 * 256 / 2)
    return BAD("a tuned kernel");
  collectives<<<1, 128>>>(x, y, z, (unsigned *)z + 1024);
  cudaMemcpy(got, z, sizeof got, cudaMemcpyDeviceToHost);
  if (got[127] != 127 * 126 / 2 || got[129] != 16 * 16 + 120 || (unsigned)got[1024 + 1] != 0x22222222)
    return BAD("collectives");
  cudaMemcpy(got, y, 1024, cudaMemcpyDeviceToHost);
  for (int i = 1; i < 256; i++)
    if (got[i - 1] > got[i])
      return BAD("the block's sort");
  return 0;
}
END
sed -i '/^template <int B>$/,/^__global__ void times/d' cub.cu
check "CUB: it builds" "$build/bin/autotune" cc --emulate nvcc -std=c++17 -O1 cub.cu -o cub
check "CUB: it runs, and tunes" ./cub
grep -Eq 'sums: (default: |[0-9.]+ times)' out || { echo "FAILED: CUB: a kernel with its collectives was not tuned"; cat out; failures=$((failures + 1)); }
exit $((failures > 0))
