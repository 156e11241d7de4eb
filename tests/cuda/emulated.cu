// SPDX-License-Identifier: Apache-2.0
// emulated.cu: what kernels may use on the emulated device, in C++ as `autotune cc
// --emulate` passes it to Clang. Compares each kernel's answer with the expected one.
// Prints a line for each wrong answer; then the exit status is 1.
#include "emulated.h"

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;

// ---- indices ----

__global__ void indices(int *out) {
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] = block * 1000 + thread + 1;
}
static void test_indices() {
  Buffer<int> out(6 * 30);
  launch(indices, dim3(1, 2, 3), dim3(5, 3, 2))(out);
  CHECK(done());
  int wrong = 0;
  for (int i = 0; i < 180; i++)
    wrong += out[i] != i / 30 * 1000 + i % 30 + 1;
  CHECK(wrong == 0);
}

// ---- barriers, shared memory ----

template <class T> __global__ void __launch_bounds__(256) reverse(const T *in, T *out) {
  __shared__ T tile[256];
  AUTOTUNE_EMULATE_DYNAMIC(more, T);
  tile[threadIdx.x] = in[threadIdx.x];
  more[threadIdx.x] = 2 * in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x] + more[blockDim.x - 1 - threadIdx.x];
}
__global__ void leaves_early(int *out) {
  if (threadIdx.x % 2)
    return; // bar.sync waits for the remaining threads
  for (int i = 0; i < 10; i++) {
    atomicAdd(out, 1);
    __syncthreads();
    if (*out != (i + 1) * (int)blockDim.x / 2)
      out[1] = 1;
    __syncthreads();
  }
}
__global__ void counts(int *out) {
  int n = __syncthreads_count(threadIdx.x < 70), any = __syncthreads_or(threadIdx.x == 99),
      all = __syncthreads_and(threadIdx.x < 128), not_all = __syncthreads_and(threadIdx.x < 127);
  if (n == 70 && any && all && !not_all)
    atomicAdd(out, 1);
}
static void test_barriers() {
  Buffer<float> a(256), b(256);
  Buffer<double> c(64), d(64);
  Buffer<int> out(4);
  for (int i = 0; i < 256; i++)
    a[i] = i;
  for (int i = 0; i < 64; i++)
    c[i] = i;
  launch(reverse<float>, 1, 256, 256 * sizeof(float))(a, b);
  launch([](auto... x) { reverse(x...); }, 1, 64, 64 * sizeof(double))((const double *)c.p, d.p);
  CHECK(done());
  CHECK(b[0] == 3 * 255 && b[255] == 0 && d[0] == 3 * 63);
  launch(leaves_early, 1, 128)(out);
  launch(counts, 1, 128)(out + 2);
  CHECK(done());
  CHECK(out[0] == 640 && out[1] == 0 && out[2] == 128);
}

// ---- warps ----

template <class T> __global__ void shuffles(T *out) {
  int l = threadIdx.x % 32;
  T v = (T)threadIdx.x;
  T *mine = out + threadIdx.x * 6;
  mine[0] = __shfl_sync(~0u, v, 3);
  mine[1] = __shfl_up_sync(~0u, v, 2);
  mine[2] = __shfl_down_sync(~0u, v, 5, 8);
  mine[3] = __shfl_xor_sync(~0u, v, 17);
  if (l < 16) // half of the warp, while the other half does something else
    mine[4] = __shfl_sync(0x0000ffffu, v, l + 1, 16);
  else
    mine[4] = __shfl_sync(0xffff0000u, v, 31);
  mine[5] = __shfl_sync(~0u, v, 9, 8);
}
template <class T> static void check_shuffles() {
  Buffer<T> out(64 * 6);
  launch(shuffles<T>, 1, 64)(out);
  CHECK(done());
  int wrong = 0;
  for (int t = 0; t < 64; t++) {
    int l = t % 32, w = t - l;
    T *mine = out + t * 6;
    wrong += mine[0] != (T)(w + 3);
    wrong += mine[1] != (T)(l >= 2 ? t - 2 : t);
    wrong += mine[2] != (T)(l % 8 + 5 < 8 ? t + 5 : t);
    wrong += mine[3] != (T)(w + (l ^ 17));
    wrong += mine[4] != (T)(l < 16 ? w + (l + 1) % 16 : w + 31);
    wrong += mine[5] != (T)(w + (l & ~7) + 1);
  }
  CHECK(wrong == 0);
}
__global__ void votes(unsigned *out) {
  unsigned l = threadIdx.x;
  if (l >= 40)
    return;
  unsigned mask = l < 32 ? ~0u : 0xffu; // a warp of 40 - 32 lanes
  if (l == 1)
    out[0] = __ballot_sync(mask, l & 1);
  else
    __ballot_sync(mask, l & 1);
  int all = __all_sync(mask, l < 40), some = __any_sync(mask, l == 33);
  if (all)
    atomicAdd(&out[1], 1u);
  if (some)
    atomicAdd(&out[2], 1u);
  unsigned same = __match_any_sync(mask, l / 4), sum = __reduce_add_sync(mask, l),
           most = __reduce_max_sync(mask, l);
  if (l == 5)
    out[3] = same;
  if (l == 39)
    out[4] = sum, out[5] = most;
  if (l % 2 == 0 && l < 32) {
    unsigned here = __activemask();
    if (l == 0)
      out[6] = here;
  }
}
static void test_warps() {
  check_shuffles<int>();
  check_shuffles<float>();
  check_shuffles<double>();
  check_shuffles<long long>();
  check_shuffles<unsigned>();
  Buffer<unsigned> out(8);
  launch(votes, 1, 48)(out);
  CHECK(done());
  CHECK(out[0] == 0xaaaaaaaau);
  CHECK(out[1] == 40 && out[2] == 8);
  CHECK(out[3] == 0xf0u);
  CHECK(out[4] == 32 + 33 + 34 + 35 + 36 + 37 + 38 + 39 && out[5] == 39);
  CHECK(out[6] == 0x55555555u);
}

// ---- atomics ----

__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d, half2 *h) {
  atomicAdd(&i[0], 1);
  atomicSub(&i[1], 2);
  atomicMax(&i[2], (int)threadIdx.x);
  atomicMin(&i[3], -(int)threadIdx.x);
  atomicOr(&u[0], 1u << threadIdx.x % 32);
  atomicXor(&u[1], 1u << threadIdx.x % 32);
  atomicInc(&u[2], 9u);
  atomicDec(&u[3], 9u);
  atomicAnd(&u[4], ~(1u << threadIdx.x % 32));
  if (atomicCAS(&u[5], 0u, threadIdx.x + 1) == 0)
    atomicExch(&u[6], threadIdx.x + 7);
  atomicAdd(l, 1ull << 32);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicAdd(h, __floats2half2_rn(1, 2));
}
__global__ void waits(volatile int *flag, int *out) { // the last thread sets what the first waits for
  if (threadIdx.x == 0)
    while (atomicAdd((int *)flag, 0) == 0)
      ;
  if (threadIdx.x == blockDim.x - 1)
    atomicExch((int *)flag, 1);
  atomicAdd(out, 1);
}
static void test_atomics() {
  Buffer<int> i(8);
  Buffer<unsigned> u(8);
  Buffer<unsigned long long> l(1);
  Buffer<float> f(1);
  Buffer<double> d(1);
  Buffer<half2> h(1);
  u[4] = ~0u;
  launch(atomics, 2, 64)(i, u, l, f, d, h);
  CHECK(done());
  CHECK(i[0] == 128 && i[1] == -256 && i[2] == 63 && i[3] == -63);
  CHECK(u[0] == ~0u && u[1] == 0 && u[2] == 128 % 10 && u[4] == 0 && u[5] == 1 && u[6] == 7);
  CHECK(u[3] == 9 - (128 - 1) % 10);
  CHECK(l[0] == 128ull << 32 && f[0] == 64 && d[0] == 32);
  CHECK((float)h[0].x == 128 && (float)h[0].y == 256);
  launch(waits, 1, 96)(i + 4, i + 5);
  CHECK(done());
  CHECK(i[5] == 96);
}

// ---- numbers ----

__global__ void halves(float *out) {
  __half a = __float2half(1.0f / 3), b = 2048.0f;
  out[0] = __half2float(a);
  out[1] = b + __float2half(1.0f); // there is no half between 2048 and 2050
  out[2] = __hfma(b, b, __float2half(0.0f));
  out[3] = __half2float(hexp(__float2half(1.0f)));
  __nv_bfloat16 g = __float2bfloat16(1.0f + 1.0f / 256), k = __float2bfloat16(1.0f + 3.0f / 256);
  out[4] = __bfloat162float(g);
  out[5] = __bfloat162float(k); // both between two: to the even one
  out[6] = __high2float(__hmul2(__floats2half2_rn(3, 4), __float2half2_rn(2)));
  out[7] = __hgt(b, a) && !__hisnan(a) && (a < b) && __half_as_ushort(b) == 0x6800;
}
__global__ void mathematics(float *out) {
  out[0] = rsqrtf(4.0f);
  out[1] = __fdividef(1.0f, 4.0f);
  out[2] = __expf(0.0f) + __logf(1.0f);
  out[3] = (float)__popc(0xf0f0u) + (float)__clz(1) + (float)__ffs(8);
  out[4] = (float)max(3, 7) + min(1.5f, 2.5f) + fmaxf(-1.0f, 0.0f);
  out[5] = (float)__float2int_rn(2.5f) + (float)__float2int_rz(-2.5f);
  out[6] = __int_as_float(__float_as_int(1.25f));
  out[7] = (float)__mulhi(1 << 30, 8) + (float)__byte_perm(0x03020100, 0x07060504, 0x7531) / (1 << 24);
}
static void test_numbers() {
  Buffer<float> out(8);
  launch(halves, 1, 1)(out);
  CHECK(done());
  CHECK(out[0] == 0.333251953125f && out[1] == 2048 && out[2] == INFINITY);
  CHECK(fabsf(out[3] - 2.71875f) < 0.001f);
  CHECK(out[4] == 1.0f && out[5] == 1.0f + 4.0f / 256 && out[6] == 8 && out[7] == 1);
  launch(mathematics, 1, 1)(out);
  CHECK(done());
  CHECK(out[0] == 0.5f && out[1] == 0.25f && out[2] == 1 && out[3] == 8 + 31 + 4);
  CHECK(out[4] == 8.5f && out[5] == 0 && out[6] == 1.25f);
  CHECK(out[7] == 2 + (float)0x07050301 / (1 << 24));
}

// ---- tensor cores ----

template <class T, class Acc, class LA, class LB> __global__ void tensor(const T *a, const T *b, Acc *c) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, LA> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, LB> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Acc> fc;
  wmma::fill_fragment(fc, (Acc)1.0f);
  for (int k = 0; k < 2; k++) {
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
template <class T, class Acc, class LA, class LB> static void check_tensor() {
  Buffer<T> a(256), b(256);
  Buffer<Acc> c(256);
  bool a_row = std::is_same<LA, nvcuda::wmma::row_major>::value,
       b_row = std::is_same<LB, nvcuda::wmma::row_major>::value;
  for (int i = 0; i < 256; i++)
    a[i] = (float)(i % 5), b[i] = (float)(i % 3);
  launch(tensor<T, Acc, LA, LB>, 1, 32)(a, b, c);
  CHECK(done());
  int wrong = 0;
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++) {
      float sum = 1;
      for (int k = 0; k < 16; k++)
        sum += 2 * (float)a[a_row ? i * 16 + k : k * 16 + i] * (float)b[b_row ? k * 16 + j : j * 16 + k];
      wrong += (float)c[i * 16 + j] != sum;
    }
  CHECK(wrong == 0);
}
static void test_tensor() {
  using namespace nvcuda::wmma;
  check_tensor<half, float, row_major, row_major>();
  check_tensor<half, float, row_major, col_major>();
  check_tensor<half, half, col_major, row_major>();
  check_tensor<__nv_bfloat16, float, col_major, col_major>();
}

// ---- pipelines ----

__global__ void pipeline(const int4 *in, int *early, int *late) {
  __shared__ int4 stage[2][32];
  stage[0][threadIdx.x] = stage[1][threadIdx.x] = make_int4(-1, -1, -1, -1);
  for (int s = 0; s < 2; s++) {
    __pipeline_memcpy_async(&stage[s][threadIdx.x], &in[s * 32 + threadIdx.x], 16, s ? 8 : 0);
    __pipeline_commit();
  }
  early[threadIdx.x] = stage[0][threadIdx.x].x; // not there yet
  __pipeline_wait_prior(1);
  late[threadIdx.x] = stage[0][threadIdx.x].x * 1000 + stage[1][threadIdx.x].x;
  __pipeline_wait_prior(0);
  late[32 + threadIdx.x] = stage[1][threadIdx.x].y + stage[1][threadIdx.x].z; // the last 8 bytes are 0
}
static void test_pipeline() {
  Buffer<int4> in(64);
  Buffer<int> early(32), late(64);
  for (int i = 0; i < 64; i++)
    in[i] = make_int4(i, i + 1, i + 2, i + 3);
  launch(pipeline, 1, 32)(in, early, late);
  CHECK(done());
  int wrong = 0;
  for (int i = 0; i < 32; i++)
    wrong += early[i] != -1 || late[i] != i * 1000 - 1 || late[32 + i] != 33 + i;
  CHECK(wrong == 0);
}

// ---- cooperative groups ----

__global__ void groups(int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int sum = cg::reduce(tile, (int)block.thread_rank(), cg::plus<int>());
  if (tile.thread_rank() == 0)
    out[tile.meta_group_rank()] = sum;
  block.sync();
  int from = tile.shfl(out[block.thread_rank() / 8], 7);
  if (tile.shfl_down((int)tile.thread_rank(), 3) == (int)tile.thread_rank() + 3 && from == sum)
    atomicAdd(&out[8], 1);
  if (block.thread_rank() % 3 == 0) {
    auto some = cg::coalesced_threads();
    int before = cg::exclusive_scan(some, 1);
    if (before == (int)some.thread_rank())
      atomicAdd(&out[9], (int)some.size());
  }
}
static void test_groups() {
  Buffer<int> out(10);
  launch(groups, 1, 64)(out);
  CHECK(done());
  int wrong = 0;
  for (int g = 0; g < 8; g++)
    wrong += out[g] != 8 * (8 * g) + 28;
  CHECK(wrong == 0 && out[8] == 8 * 5);
  CHECK(out[9] == 11 * 11 + 11 * 11); // lanes 0, 3 … 30; then 33, 36 … 63
}

// ---- the runtime ----

__constant__ float factors[4];
__device__ int counted;
__global__ void variables(float *out) {
  out[threadIdx.x] = factors[threadIdx.x % 4];
  atomicAdd(&counted, 1);
}
static void test_symbols() {
  Buffer<float> out(64);
  float in[4] = {1, 2, 3, 4};
  int n = 0;
  void *address;
  size_t bytes;
  CHECK(cudaMemcpyToSymbol(factors, in, sizeof in) == cudaSuccess);
  CHECK(cudaMemcpyToSymbol(factors, in, sizeof in, 4) == cudaErrorInvalidValue);
  cudaGetLastError();
  launch(variables, 1, 64)(out);
  CHECK(cudaMemcpyFromSymbol(&n, counted, sizeof n) == cudaSuccess);
  CHECK(n == 64 && out[5] == 2);
  CHECK(cudaGetSymbolAddress(&address, counted) == cudaSuccess && address == &counted);
  CHECK(cudaGetSymbolSize(&bytes, factors) == cudaSuccess && bytes == 16);
  CHECK(cudaMemset(address, 0, 4) == cudaSuccess && done() && counted == 0);
}

__global__ void increment(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i]++;
}
static void test_memory() {
  int host[100] = {1, 2, 3}, back[100], *device = nullptr, *pinned = nullptr;
  size_t pitch, available, total;
  cudaPointerAttributes a;
  CHECK(cudaMalloc(&device, sizeof host) == cudaSuccess && cudaMallocHost(&pinned, sizeof host) == cudaSuccess);
  CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(device, host, sizeof host + 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host, back, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
  launch(increment, 2, 64)(device, 100);
  CHECK(cudaMemcpyAsync(pinned, device, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(cudaMemcpy(back, device, sizeof back, cudaMemcpyDefault) == cudaSuccess);
  CHECK(back[0] == 2 && back[2] == 4 && pinned[1] == 3 && back[99] == 1);
  CHECK(cudaPointerGetAttributes(&a, device + 3) == cudaSuccess && a.type == cudaMemoryTypeDevice);
  CHECK(cudaPointerGetAttributes(&a, pinned) == cudaSuccess && a.type == cudaMemoryTypeHost);
  CHECK(cudaPointerGetAttributes(&a, host) == cudaSuccess && a.type == cudaMemoryTypeUnregistered);
  CHECK(cudaMemGetInfo(&available, &total) == cudaSuccess && available < total);
  CHECK(cudaFree(device) == cudaSuccess && cudaFree(device) == cudaErrorInvalidValue);
  CHECK(cudaFreeHost(pinned) == cudaSuccess && cudaFree(nullptr) == cudaSuccess);
  cudaGetLastError();
  CHECK(cudaMallocPitch((void **)&device, &pitch, 20, 5) == cudaSuccess && pitch >= 20);
  CHECK(cudaMemcpy2D(device, pitch, host, 20, 20, 5, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy2D(back, 20, device, pitch, 20, 5, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(memcmp(host, back, 100) == 0);
  CHECK(cudaFree(device) == cudaSuccess);
}

static void test_launches() {
  Buffer<int> p(64);
  int n = 64, *address = p;
  void *args[] = {&address, &n};
  cudaFuncAttributes attributes;
  int blocks;
  launch(increment, 1, 1025)(p, 64);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  launch(increment, dim3(0), 32)(p, 64);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  launch(increment, 1, 32, 49 << 10)(p, 64);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(increment, cudaFuncAttributeMaxDynamicSharedMemorySize, 60 << 10) == cudaSuccess);
  launch(increment, 1, 64, 49 << 10)(p, 64);
  CHECK(done() && p[63] == 1);
  CHECK(cudaFuncSetAttribute(increment, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10) ==
        cudaErrorInvalidValue);
  CHECK(cudaLaunchKernel(increment, 1, 64, args, 0, 0) == cudaSuccess);
  CHECK(cudaLaunchKernel((void *)autotune_emulate::known(increment), 1, 64, args, 0, 0) == cudaSuccess);
  CHECK(cudaLaunchKernel((void *)&n, 1, 64, args, 0, 0) == cudaErrorInvalidDeviceFunction);
  cudaGetLastError();
  CHECK(done() && p[0] == 3);
  CHECK(cudaFuncGetAttributes(&attributes, increment) == cudaSuccess && attributes.numRegs == 32);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, increment, 512, 0) == cudaSuccess && blocks == 3);
}

static void host_function(void *data) { *(int *)data += 1; }
static void test_streams() {
  Buffer<int> p(64);
  cudaStream_t s = nullptr, t = nullptr;
  cudaEvent_t from = nullptr, to = nullptr;
  float ms = -1;
  int called = 0;
  CHECK(cudaStreamCreate(&s) == cudaSuccess && cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking) == cudaSuccess);
  CHECK(cudaEventCreate(&from) == cudaSuccess && cudaEventCreate(&to) == cudaSuccess);
  CHECK(cudaEventRecord(from, s) == cudaSuccess);
  launch(increment, 1, 64, 0, s)(p, 64);
  CHECK(cudaLaunchHostFunc(s, host_function, &called) == cudaSuccess);
  CHECK(cudaEventRecord(to, s) == cudaSuccess && cudaStreamWaitEvent(t, to) == cudaSuccess);
  launch(increment, 1, 64, 0, t)(p, 64);
  CHECK(cudaStreamSynchronize(t) == cudaSuccess && cudaEventSynchronize(to) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&ms, from, to) == cudaSuccess && ms >= 0 && ms < 10000);
  CHECK(p[5] == 2 && called == 1);
  CHECK(cudaStreamQuery(s) == cudaSuccess && cudaEventQuery(from) == cudaSuccess);
  CHECK(cudaEventDestroy(from) == cudaSuccess && cudaEventDestroy(to) == cudaSuccess);
  CHECK(cudaStreamDestroy(s) == cudaSuccess && cudaStreamDestroy(t) == cudaSuccess);
}

static void test_graphs() {
  Buffer<int> p(64);
  cudaStream_t s = nullptr, t = nullptr;
  cudaEvent_t e;
  cudaGraph_t g;
  cudaGraphExec_t run;
  cudaStreamCaptureStatus status;
  size_t nodes = 0;
  int *q;
  cudaStreamCreate(&s), cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking), cudaEventCreate(&e);
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) == cudaSuccess);
  launch(increment, 1, 64, 0, s)(p, 64);
  CHECK(cudaEventRecord(e, s) == cudaSuccess && cudaStreamWaitEvent(t, e) == cudaSuccess);
  launch(increment, 1, 64, 0, t)(p, 32); // the other stream is captured with it
  CHECK(cudaStreamIsCapturing(t, &status) == cudaSuccess && status == cudaStreamCaptureStatusActive);
  CHECK(cudaStreamEndCapture(s, &g) == cudaSuccess);
  CHECK(cudaStreamIsCapturing(t, &status) == cudaSuccess && status == cudaStreamCaptureStatusNone);
  CHECK(cudaGraphGetNodes(g, nullptr, &nodes) == cudaSuccess && nodes == 2);
  CHECK(p[0] == 0);
  CHECK(cudaGraphInstantiate(&run, g) == cudaSuccess && cudaGraphDestroy(g) == cudaSuccess);
  CHECK(cudaGraphLaunch(run, s) == cudaSuccess && cudaGraphLaunch(run, s) == cudaSuccess && done());
  CHECK(p[0] == 4 && p[40] == 2);
  CHECK(cudaGraphExecDestroy(run) == cudaSuccess);
  // A call that would wait breaks a capture.
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(cudaMalloc(&q, 4) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(s, &g) == cudaErrorStreamCaptureInvalidated);
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  CHECK(cudaMalloc(&q, 4) == cudaSuccess);
  launch(increment, 1, 1)(q, 1); // the legacy stream would wait for it
  CHECK(cudaGetLastError() == cudaErrorStreamCaptureImplicit);
  CHECK(cudaStreamEndCapture(s, &g) == cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
  CHECK(cudaFree(q) == cudaSuccess);
  cudaStreamDestroy(s), cudaStreamDestroy(t), cudaEventDestroy(e);
}

static void test_device() {
  cudaDeviceProp p;
  int n = 0, value = 0;
  CHECK(cudaGetDeviceCount(&n) == cudaSuccess && n == 1);
  CHECK(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
  CHECK(strcmp(p.name, "emulated GPU (CPU)") == 0 && p.major == 8 && p.warpSize == 32);
  CHECK(p.multiProcessorCount == 16 && p.sharedMemPerBlockOptin == 99 << 10);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0) == cudaSuccess && value == 1024);
  CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice && cudaGetDevice(&n) == cudaSuccess && n == 0);
  CHECK(strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
  cudaGetLastError();
}

int main() {
  unsetenv("AUTOTUNE_EMULATE");
  void (*const tests[])() = {test_device, test_indices, test_barriers, test_warps, test_atomics,
                             test_numbers, test_tensor, test_pipeline, test_groups, test_symbols,
                             test_memory, test_launches, test_streams, test_graphs};
  return run(tests);
}
