#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and `autotune check` compile the code of each kernel once with NVRTC, and warn with the user's line of what
# NVRTC does not accept. A fake nvcc compiles nothing; NVRTC is the real one.
set -u
build=$(realpath "$1")
autotune=$build/bin/autotune
home=${CUDA_PATH:-/usr/local/cuda}
nvrtc=$(ls "$home"/lib64/libnvrtc.so* 2> /dev/null || ldconfig -p | sed -n 's,.* => \(.*libnvrtc\.so.*\),\1,p')
nvrtc=${nvrtc%%$'\n'*}
[ -n "$nvrtc" ] || { echo "no NVRTC"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out" || exit 1
failed=0 n=0

mkdir bin
printf '#!/bin/sh\nexit ${FAKE_STATUS:-0}\n' > bin/nvcc
chmod +x bin/nvcc

check() { # what, command…
  n=$((n + 1))
  local what=$1
  shift
  "$@" || { failed=$((failed + 1)); echo "failed: $what: $*" >&2; cat said >&2; }
}
status() { [ "$status" = "$1" ]; }
says() { grep -qF -e "$1" said; }
silent() { [ ! -s said ]; }
warnings() { [ "$(grep -c 'warning: variants of' said)" = "$1" ]; }
build() { PATH=$out/bin:$PATH "$autotune" cc nvcc "$@" > said 2>&1; status=$?; }

cat > k.cuh <<'END'
#include <vector>
struct host { std::vector<int> all; int n; };
__device__ int of(const host *h) { return h->n; }
END
cat > k.cu <<'END'
#include "k.cuh"
#pragma autotune kernel block(64, 128)
__global__ void good(float *a) { a[threadIdx.x] = 1; }
#pragma autotune kernel block(64, 128)
__global__ void bad(float *a, const host *h) { a[threadIdx.x] = of(h); }
#pragma autotune kernel block(64, 128)
__global__ void bad_too(float *a, const host *h) { a[0] = of(h); }
#pragma autotune kernel block(64, 128)
__global__ void worse(float *a)
{
  double x[2] = { 1, 2 };
  a[0] = x.size();
}
void run(float *a, host *h) { good<<<1, 64>>>(a); bad<<<1, 64>>>(a, h); bad_too<<<1, 64>>>(a, h); worse<<<1, 64>>>(a); }
END
build -c k.cu -o k.o
check "the build goes on" status 0
check "each place once" warnings 2
check "a header's line" says "k.cuh:3:1: warning: variants of 'bad' do not compile: "
check "the user's line" says "k.cu:12:3: warning: variants of 'worse' do not compile: "
check "with its text" says "  a[0] = x.size();"
check "and a hint" says AUTOTUNE_BUILD_CHECK=off
FAKE_STATUS=1 build -c k.cu -o k.o
check "errors are the compiler's" silent
check "its status, too" status 1
AUTOTUNE_BUILD_CHECK=off build -c k.cu -o k.o
check "it is left out" silent
AUTOTUNE_NVRTC=$out/none build -c k.cu -o k.o
check "there is no NVRTC" silent
build -E k.cu
check "nothing is compiled" silent
"$autotune" check k.cu > said 2>&1
check "check: warnings" warnings 2
"$autotune" check --json k.cu > said 2>&1
check "check: and in SARIF" says "variants of 'worse' do not compile"
AUTOTUNE_BUILD_CHECK=off "$autotune" check k.cu > said 2>&1
check "check: it is left out" warnings 0

# The variant is the code as written; of a template, an instance that a launch names.
cat > t.cu <<'END'
#define W 4
#pragma autotune kernel block(W * 16) param(W: 1, 2, 4)
__global__ void written(float *a) { static_assert(W == 4, "W"); a[0] = W; }
#pragma autotune kernel block(64, 128)
template <class T, int N> __global__ void pair(T *a) { static_assert(N < 4 && sizeof(T) == 4, "small"); a[0] = N; }
template <class T> void all(T *a) { pair<T, 7><<<1, 64>>>(a); }
void run(float *a) { written<<<1, 64>>>(a); all(a); pair<float, 3><<<1, 64>>>(a); }
END
build -c t.cu -o t.o
check "nothing is wrong" silent
sed -i 's/pair<float, 3>/pair<double, 3>/' t.cu
build -c t.cu -o t.o
check "an instance is wrong" says "t.cu:5:"
sed -i 's/pair<double, 3>/pair<F, 3>/; 1i using F = double;' t.cu
build -c t.cu -o t.o
check "its arguments are not known" silent

cat > d.cu <<'END'
#define W 3 // no candidate: which of them may be compiled depends on the launch
#pragma autotune kernel block(W * 16) param(W: 1, 2, 4) constraint(W * 16 <= n)
__global__ void k(float *a, int n) { static_assert(W != 1, "W"); a[0] = W; }
void run(float *a) { k<<<1, 48>>>(a, 100); }
END
build -c d.cu -o d.o
check "the variant is not known" silent
sed -i 's/ constraint(.*)//' d.cu
build -c d.cu -o d.o
check "it is the first" says "d.cu:3:"

# A header of the toolkit that NVRTC does not accept.
mkdir -p toolkit/include
: > toolkit/include/cuda_runtime.h
printf '__device__ int odd(int);\n#include <nothing.h>\n' > toolkit/include/odd.h
cat > o.cu <<'END'
#include <odd.h>
#pragma autotune kernel block(64, 128)
__global__ void k(int *a) { a[0] = odd(1); }
void run(int *a) { k<<<1, 64>>>(a); }
END
AUTOTUNE_NVRTC=$nvrtc CUDA_PATH=$out/toolkit build -c o.cu -o o.o
check "the user's line" says "o.cu:3:17: warning: variants of 'k' do not compile: $out/toolkit/include/odd.h:2: "

# The newest device that the build names.
cat > h.cu <<'END'
#pragma autotune kernel block(128, 256)
__global__ void hopper(float *a)
{
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  a[0] = 1;
}
void run(float *a) { hopper<<<1, 128>>>(a); }
END
build -gencode arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -c h.cu -o h.o
check "Hopper's own instructions" silent
build -arch=sm_80 -c h.cu -o h.o
check "others have none" says "h.cu:2:17: warning: variants of 'hopper' do not compile: ptxas "

echo "$n checks, $failed failures"
[ $failed = 0 ]
