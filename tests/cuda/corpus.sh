#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bench/gpu/corpus.sh counts what is taken of a folder, what compiles, and why the rest does not. Needs NVRTC and nvcc.
set -u
build=$(realpath "$1")
script=$(realpath "$(dirname "$0")/../../bench/gpu/corpus.sh")
toolkit=${CUDA_PATH:-/usr/local/cuda}
[ -e "$toolkit/lib64/libnvrtc.so" ] && [ -x "$toolkit/bin/nvcc" ] || { echo 'no CUDA'; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir -p "$out/code/parts"
cat > "$out/code/parts/scale.cuh" <<'CODE'
template <class T> static __global__ void scale(T *a) { a[threadIdx.x] *= BY; }
CODE
cat > "$out/code/main.cu" <<'CODE'
#define BY 2
#include "parts/scale.cuh"
// __global__ void not_code() {}
__global__ void declared(float *a);
struct S { int n; };
__global__ void
  __launch_bounds__(128) declared(float *a) { a[0] = 1; }
template <class T, int N> __global__ void templated(T *a) { a[0].n = N; }
template <class... T> __global__ void packed(T... a) {}
extern __device__ float elsewhere(float);
__global__ void linked(float *a) { a[0] = elsewhere(a[0]); }
void run(float *a, S *s) { scale<<<1, 64>>>(a); declared<<<1, 64>>>(a); templated<S, 4><<<1, 64>>>(s); packed<<<1, 64>>>(a); linked<<<1, 64>>>(a); }
CODE
CUDA_PATH=$toolkit "$script" "$build" --list "$out/list" "$out/code" > "$out/said" || { cat "$out/said"; exit 1; }
grep -qF '| code | 5 | 4 | 1 | 3 | 2 (66.7 %) | 1 | 1 |' "$out/said" &&
  grep -q "1  a kernel's template has no parameter packs" "$out/said" &&
  [ "$(cut -f1,3 "$out/list" | sort | tr '\t\n' ' ,')" = 'bad linked,good declared,good templated,refused packed,unjudged scale,' ] ||
  { cat "$out/said" "$out/list"; exit 1; }
