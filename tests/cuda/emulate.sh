#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# emulate.sh BUILD: `autotune cc --emulate`: the command lines of nvcc and other compilers; which parts of CUDA C++
# are rewritten, in files with a kernel of ours and without.
set -u
build=$(cd "$1" && pwd)
[ -x "$build/bin/autotune" ] || { echo "$build/bin/autotune is missing"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_EMULATE
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=20s,2 AUTOTUNE_LOG=info
cd "$work" || exit 1
failures=0 checks=0
cc() { "$build/bin/autotune" cc --emulate "$@"; }
count() { # STATUS WHAT COMMAND…
  checks=$((checks + 1))
  [ "$1" = 0 ] && return
  shift
  echo "FAILED: $*"
  failures=$((failures + 1))
  tail -n 20 out err
}
check() { # WHAT COMMAND…: COMMAND succeeds; its output is left in out and err
  "${@:2}" > out 2> err
  count $? "$@"
}
said() { # WHAT REGEXP: the last output has a line that matches REGEXP
  grep -Eq -- "$2" err
  count $? "$@"
}
refused() { ! "$@"; }

# ---- kernels without a pragma: each kind of launch ----

cat > launches.cu <<'END'
#include <cstdio>
#define STEP 2
#define LAUNCH(kernel, blocks, ...) kernel<<<blocks, 32>>>(__VA_ARGS__)

extern __shared__ __align__(16) float at_file[];
struct pair { float a, b; };

__global__ void add(float *x, float by = 1) { x[blockIdx.x * blockDim.x + threadIdx.x] += by; }
template <int N, class T> __global__ void __launch_bounds__(64, 1) times(T *x)
{
  extern __shared__
    T mine[];
  mine[threadIdx.x] = x[threadIdx.x] * N;
  __syncthreads();
  x[threadIdx.x] = mine[threadIdx.x ^ 1];
}
namespace inner {
__global__ void reverse(float *x)
{
  extern __shared__ pair pairs[];
  pairs[threadIdx.x] = { x[threadIdx.x], at_file[0] };
  __syncthreads();
  x[threadIdx.x] = pairs[blockDim.x - 1 - threadIdx.x].a;
}
}
template <class T> struct holder {
  static void launch(T *x) { times<STEP><<<1, 64, 64 * sizeof(T)>>>(x); }
};

static int check(const char *what, const float *x, float first, float last)
{
  float host[64];
  if (cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess && host[0] == first &&
      host[63] == last)
    return 0;
  return printf("%s: %g … %g, not %g … %g (%s)\n", what, host[0], host[63], first, last,
                cudaGetErrorString(cudaGetLastError())), 1;
}

int main()
{
  float host[64], *x;
  int bad = 0;
  cudaStream_t s;
  for (int i = 0; i < 64; i++)
    host[i] = i;
  cudaMalloc(&x, sizeof host);
  cudaStreamCreate(&s);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  add<<<2, 32>>>(x);
  bad |= check("a default argument", x, 1, 64);
  add<<<dim3(2), dim3(32), 0, s>>>(x, -1);
  cudaStreamSynchronize(s);
  bad |= check("a stream", x, 0, 63);
  holder<float>::launch(x);
  bad |= check("a deduced argument", x, 2, 124);
  times<2, float><<<1, 64, 256>>>(x);
  bad |= check("all arguments", x, 0, 252);
  inner::reverse<<<1, 64, 64 * sizeof(pair)>>>(x);
  bad |= check("a namespace", x, 252, 0);
  LAUNCH(add, 2, x, 1.0f);
  bad |= check("a macro", x, 253, 1);
  auto later = [&] { add<<<2, 32>>>(x, 1); };
  later();
  bad |= check("a lambda", x, 254, 2);
  float by = 2;
  void *args[] = { &x, &by };
  if (cudaLaunchKernel((const void *)add, dim3(2), dim3(32), args, 0, 0) != cudaSuccess)
    return 1;
  bad |= check("cudaLaunchKernel", x, 256, 4);
  if (cudaLaunchKernel(times<1, float>, dim3(1), dim3(64), args, 256, 0) != cudaSuccess)
    return 1;
  bad |= check("cudaLaunchKernel of a template's instance", x, 252, 8);
  return bad;
}
END
check "nvcc's options" cc nvcc -std=c++17 -O2 -arch=sm_90 --gpu-code sm_90 -gencode arch=compute_80,code=sm_80 \
  -Xcompiler -Wall,-Wextra -Xcompiler=-Werror --expt-relaxed-constexpr -use_fast_math -Xptxas -v -lineinfo \
  -rdc=true --maxrregcount 64 -DUNUSED --define-macro=ALSO -lcudart --threads 2 launches.cu -o launches
[ ! -s err ]
count $? "no message of the compiler"
check "launches without a pragma" ./launches
check "clang's options" cc clang++ -x cuda --cuda-gpu-arch=sm_80 -nocudalib -O1 launches.cu -o launches
check "launches, once more" ./launches
mkdir mixed # a toolkit's folder with other headers, such as conda's
printf '#error the toolkit\n' | tee mixed/cuda_runtime.h > mixed/driver_types.h
printf '#define MIXED 1\n' > mixed/mixed.h
printf '\xef\xbb\xbf' > clusters.cu # a byte order mark
cat >> clusters.cu <<'END'
#include <mixed.h>
#define CL __cluster_dims__(2, 1, 1)
struct S {
  int a = MIXED;
};
__global__ void __cluster_dims__(1, 1, 1) braces(int *x, S s = S{}) { *x = s.a; }
void run(int *x) { braces<<<1, 1>>>(x); }
END
check "headers next to a toolkit's, a byte order mark, clusters in a #define" cc nvcc -I mixed -c clusters.cu
cat > typed.cu <<'END'
struct tile { int width; };
#pragma autotune kernel param(W: 16, 32) prepare(t = "wrong")
__global__ void typed(tile t, float *a) { a[threadIdx.x] = W * t.width; }
void run(float *a) { typed<<<1, 32>>>(tile{ 16 }, a); }
END
check "a prepared argument of another type" refused cc nvcc -c typed.cu
said "is an error in its place" '^typed.cu:2:54: error: .*const tile'
[ "$(grep -c 'error: ' err)" = 1 ]
count $? "which is told once"
for standard in 14 20; do
  check "C++$standard" cc nvcc -std=c++$standard launches.cu -o launches
  check "launches in C++$standard" ./launches
done
check "PTX is refused" refused cc nvcc -ptx launches.cu
said "why" 'code for a GPU'

# ---- several files: a kernel of ours, one without, one in C++ ----

cat > tuned.cu <<'END'
#pragma autotune kernel block(32, 64) inout(x[0:n])
__global__ void twice(int n, float *x)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 2;
}
void tuned(int n, float *x) { twice<<<n / 32, 32>>>(n, x); }
END
cat > plain.cu <<'END'
__global__ void one_more(float *x) { x[threadIdx.x]++; }
void plain(int n, float *x) { one_more<<<1, n>>>(x); }
END
cat > main.cpp <<'END'
#include <cuda_runtime.h>
#include <cstdio>
void tuned(int n, float *x);
void plain(int n, float *x);
int main()
{
  float host[64] = { 1 }, *x = nullptr;
  cudaMalloc((void **)&x, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  tuned(64, x);
  plain(64, x);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  printf("%g %g\n", host[0], host[63]);
  return !(host[0] == 3 && host[63] == 1);
}
END
check "a command for all" cc nvcc -O1 tuned.cu plain.cu main.cpp -o all
check "right" ./all
said "tuned" 'twice: (tuned|default: (none of 2 variants|the only variant))'
said "that it is emulated" 'emulated'
rm -rf cache
check "an object each" cc nvcc -O1 -dc tuned.cu -o tuned.o
check "without a name" cc nvcc -O1 -c plain.cu
check "its name" [ -s plain.o ]
check "C++" cc nvcc -O1 -c main.cpp -o main.o
check "linked" cc nvcc tuned.o plain.o main.o -o all
check "right, too" ./all

# A program that is killed while Clang compiles leaves no file.
mkdir tmp
printf '#!/bin/sh\necho $$ > "%s/compiling"\nexec sleep 60\n' "$work" > slow_clang
chmod +x slow_clang
TMPDIR=$work/tmp AUTOTUNE_CACHE=off AUTOTUNE_EMULATE_CLANG=$work/slow_clang setsid ./all > out 2> err &
program=$!
for _ in $(seq 300); do
  [ -s compiling ] && break
  sleep 0.1
done
check "it compiles" [ -s compiling ]
kill -KILL -- "-$program"
kill -KILL "$(cat compiling)"
wait "$program" 2> /dev/null
check "nothing is left" [ -z "$(ls tmp)" ]
check "dependencies" cc nvcc -O1 -MD -MF plain.d -c plain.cu -o plain.o
check "of the user's file" grep -q '^plain.o: plain.cu' plain.d
echo '__global__ void k(int *x) { *x = 1 }' > wrong.cu
check "an error is an error" refused cc nvcc -c wrong.cu -o wrong.o
said "its place" '^wrong.cu:1:[0-9]+: error'

# ---- headers: dynamic shared memory and launches in them, the macros that tell that they were included ----

cat > pick.cuh <<'END'
#pragma once
template <class T> struct dynamic {
  __device__ T *at() { extern __shared__ __align__(8) double bytes[]; return (T *)bytes; }
};
template <class T> __global__ void least(T *x)
{
  T *mine = dynamic<T>().at();
  mine[threadIdx.x] = umin(x[threadIdx.x], 40);
  __syncthreads();
  x[threadIdx.x] = mine[blockDim.x - 1 - threadIdx.x];
}
template <class T> void least_of(int n, T *x) { least<T><<<1, n, n * sizeof(T)>>>(x); }
END
cat > pick.cu <<'END'
#include <cuda_runtime.h>
#include <cuda_profiler_api.h>
#include "pick.cuh"
#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__)
#error "what helper headers ask by is missing"
#endif
int main()
{
  unsigned x[64], *seen;
  for (unsigned i = 0; i < 64; i++)
    x[i] = i;
  if (cudaProfilerStart() != cudaSuccess || cudaHostGetDevicePointer(&seen, x, 0) == cudaSuccess ||
      cudaHostRegister(x, sizeof x, cudaHostRegisterMapped) != cudaSuccess ||
      cudaHostRegister(x + 63, 8, 0) == cudaSuccess || cudaHostGetDevicePointer(&seen, x, 0) != cudaSuccess)
    return 1;
  least_of(64, seen);
  if (cudaDeviceSynchronize() != cudaSuccess || cudaFreeHost(x) == cudaSuccess ||
      cudaHostUnregister(x) != cudaSuccess || cudaHostUnregister(x) == cudaSuccess)
    return 2;
  return !(x[0] == 40 && x[62] == 1 && x[63] == 0);
}
END
check "a header's launches and shared memory" cc nvcc -O1 pick.cu -o pick
check "they are right" ./pick
echo '__global__ void k(cudaTextureObject_t t, float *x) { *x = tex2D<float>(t, 0, 0); }' > texture.cu
check "a texture is refused" refused cc nvcc -c texture.cu -o texture.o
said "why it is" 'texture.cu:1:[0-9]+: error:.* textures and surfaces are not emulated'

# ---- loops of the host: their counters are parts of the keys, and no sizes ----

cat > counters.cu <<'END'
#include <cstdio>
#include <cstdlib>
#pragma autotune kernel block(32, 64, 128) grid(ceil)
__global__ void pass(int n, int k, int *d)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * n)
    d[i] = min(d[i], d[i / n * n + k] + d[k * n + i % n]);
}
#pragma autotune kernel block(32, 64, 128) grid(ceil) inout(a[0:n])
__global__ void exchange(int n, int j, int k, int *a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (i >= n || other <= i || (a[i] > a[other]) != !(i & k))
    return;
  int moved = a[i];
  a[i] = a[other];
  a[other] = moved;
}
int main()
{
  enum { N = 64, NUMBERS = 4096 };
  static int d[N * N], wanted[N * N], a[NUMBERS];
  int *on, bad = 0;
  for (int i = 0; i < N * N; i++)
    d[i] = wanted[i] = i % (N + 1) ? rand() % 1000 : 0;
  for (int i = 0; i < NUMBERS; i++)
    a[i] = rand();
  cudaMalloc((void **)&on, sizeof d);
  cudaMemcpy(on, d, sizeof d, cudaMemcpyHostToDevice);
  for (int k = 0; k < N; k++)
    pass<<<N * N / 64, 64>>>(N, k, on);
  cudaMemcpy(d, on, sizeof d, cudaMemcpyDeviceToHost);
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N * N; i++)
      wanted[i] = std::min(wanted[i], wanted[i / N * N + k] + wanted[k * N + i % N]);
  for (int i = 0; i < N * N; i++)
    bad += d[i] != wanted[i];
  cudaMemcpy(on, a, sizeof a, cudaMemcpyHostToDevice);
  for (int k = 2; k <= NUMBERS; k *= 2)
    for (int j = k / 2; j > 0; j /= 2)
      exchange<<<NUMBERS / 64, 64>>>(NUMBERS, j, k, on);
  cudaMemcpy(a, on, sizeof a, cudaMemcpyDeviceToHost);
  for (int i = 1; i < NUMBERS; i++)
    bad += a[i] < a[i - 1];
  printf("%d wrong\n", bad);
  return bad != 0;
}
END
tunings() { grep -c "info: $1: \(tuned: \|default: none\)" log; }
few() { [ "$(tunings "$1")" -ge 3 ] && [ "$(tunings "$1")" -le 5 ]; }
rm -rf cache
check "counters" cc nvcc -O1 counters.cu -o counters
check "right in each of 142 launches" env AUTOTUNE_SEARCH=exhaustive AUTOTUNE_BUDGET=20s ./counters
cp err log
few pass
count $? "one counter: at most five tunings, not $(tunings pass)"
few exchange
count $? "two counters: at most five tunings, not $(tunings exchange)"
said "it is said" 'warning: exchange: j, k are not looked at: [0-9]+ tuned keys (chose the same|found nothing better)'
[ "$(grep -c 'warning: exchange: j, k are not' err)" = 1 ]
count $? "it is said once"
check "why" "$build/bin/autotune" why exchange
cp out err
said "why says it, too" '^  j, k are not looked at: '

# ---- functions of the runtime and of kernels that other parts do not use ----

cat > functions.cu <<'END'
#include <cstdio>
__device__ unsigned long long both(unsigned a, unsigned b) { return (unsigned long long)a << 32 | b; }
__global__ void parts(unsigned long long *out, unsigned *counter)
{
  if (threadIdx.x == 0) {
    out[0] = both(__vadd4(0x01ff7f80, 0x01010101), __vaddss2(0x7fff8000, 0x0001ffff));
    out[1] = both(__vmaxs4(0x80017f00, 0x01800001), __vminu2(0x8001ffff, 0x00020001));
    out[2] = both(__vcmpgtu4(0x80010203, 0x01010303), __vabsdiffu4(0x05000a01, 0x00050a02));
    out[3] = both(__vsadu4(0x05000a01, 0x00050a02), __vseteq2(0x00010002, 0x00010003));
    out[4] = both(__dp4a(0xff000000u, 0xff000000u, 1u), (unsigned)__dp4a((int)0xff000000u, (int)0xff000000u, 1));
    out[5] = both(__dp2a_lo(0x00020003, 0x0405, 1), __dp2a_hi(0x00020003, 0x04050000, 1));
  }
  __nv_atomic_fetch_add(counter, threadIdx.x, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __syncthreads();
  if (threadIdx.x == 1)
    out[6] = __nv_atomic_load_n(counter, __NV_ATOMIC_ACQUIRE);
}

int main()
{
  static const unsigned long long want[7] = { 0x0200808100000000 | 0x7fff8000, 0x01017f0100020001, 0xff00000005050001,
    0x0000000b00010000, 0x0000fe0200000002, 0x0000001800000018, 2016 };
  unsigned long long got[7], *out, value = 4096, read = 0;
  unsigned *counter;
  double4_16a d = make_double4_16a(1, 2, 3, 4);
  cudaMemPool_t pool;
  cudaMemLocation here = { cudaMemLocationTypeDevice, 0 };
  bool good = cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess &&
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value) == cudaSuccess &&
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read) == cudaSuccess && read == 4096 &&
    cudaMallocFromPoolAsync(&out, sizeof got, pool, 0) == cudaSuccess &&
    cudaMallocManaged(&counter, sizeof *counter) == cudaSuccess &&
    cudaMemAdvise(counter, sizeof *counter, cudaMemAdviseSetReadMostly, here) == cudaSuccess &&
    cudaMemPrefetchAsync(counter, sizeof *counter, here, 0, 0) == cudaSuccess &&
    cudaDeviceEnablePeerAccess(9, 0) == cudaErrorInvalidDevice && sizeof d == 32 && alignof(double4_32a) == 32;
  (void)cudaGetLastError();
  *counter = 0;
  parts<<<1, 64>>>(out, counter);
  cudaMemcpyPeer(got, 0, out, 0, sizeof got);
  for (int i = 0; i < 7; i++)
    if (got[i] != want[i])
      good = printf("%d: %llx, not %llx\n", i, got[i], want[i]) < 0;
  return printf("%s\n", cudaGetErrorString(cudaGetLastError())), good ? 0 : 1;
}
END
check "functions: they build" cc nvcc -std=c++17 -O1 functions.cu -o functions
check "functions: they are right" ./functions

echo 'int in_c(void) { int class = 1; return class; }' > in_c.c
echo 'extern "C" int in_c(void); int main() { return in_c() - 1; }' > of_c.cu
check "nvcc's C is C" cc nvcc in_c.c of_c.cu -o of_c
check "it runs" ./of_c

echo "$checks checks, $failures failed"
exit $((failures > 0))
