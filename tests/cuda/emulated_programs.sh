#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# emulated_programs.sh BUILD: bench/gpu/emulated.sh builds, annotates and runs programs that check themselves, with smaller arguments, and says
# which of them pass untuned, which tuned, how many tunings there were, and why others do not pass.
set -u
build=$(realpath "$1")
script=$(realpath "$(dirname "$0")/../../bench/gpu/emulated.sh")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
program() { # NAME ARGUMENTS; its source is on standard input
  mkdir -p "$out/code/src/$1-cuda"
  cat > "$out/code/src/$1-cuda/main.cu"
  printf 'main: main.cu\n\t$(CC) $(EXTRA_CFLAGS) -arch=$(ARCH) main.cu -o main\nrun: main\n\t./main %s\n' "$2" > "$out/code/src/$1-cuda/Makefile"
}
common='#include <cstdio>
#include <cstdlib>
static int said(bool good) { printf("%s\n", good ? "PASS" : "FAIL"); return 0; }'
program good "1048576 100" <<CODE
$common
__global__ void twice(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 2 * i; }
int main(int argc, char **argv)
{
  int n = atoi(argv[1]), bad = n > 512 || atoi(argv[2]) > 3;
  float *a, *host = new float[n];
  cudaMalloc(&a, n * sizeof *a);
  twice<<<(n + 31) / 32, 32>>>(a, n);
  cudaMemcpy(host, a, n * sizeof *a, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    bad += host[i] != 2 * i;
  return said(argc == 3 && !bad);
}
CODE
program wrong 7 <<CODE
$common
__global__ void nothing() {}
int main() { nothing<<<1, 1>>>(); return said(false); }
CODE
program negated 7 <<CODE
$common
__global__ void nothing() {}
int main() { nothing<<<1, 1>>>(); printf("The answer is not correct\n"); said(true); }
CODE
program broken 7 <<CODE
$common
__global__ void nothing() { is_not_there(); }
int main() { return said(true); }
CODE
program silent 7 <<'CODE'
__global__ void nothing() {}
int main() { nothing<<<1, 1>>>(); }
CODE
"$script" "$out/code" "$build" --seconds 60 --list "$out/list" > "$out/said" || { cat "$out/said"; exit 1; }
fields=$(cut -f1-8 "$out/list" | tr '\t\n' ' ,')
[ "$fields" = 'broken 1 0 no - - 0 ,good 1 1 yes pass pass 1 512 3,negated 1 0 yes fail - 0 3,wrong 1 0 yes fail - 0 3,' ] &&
  grep -qF '| 4 | 3 | 1 | 1 | 1 |' "$out/said" && grep -q '1  use of undeclared identifier' "$out/said" ||
  { cat "$out/said" "$out/list"; exit 1; }
"$script" "$out/code" "$build" --list "$out/list" good > "$out/again" && # known rows are taken
  grep -qF '| good | 1 | 1 | yes | pass | pass | 1 | 512 3 |  |' "$out/again" || { cat "$out/again"; exit 1; }
