# SPDX-License-Identifier: Apache-2.0
# What makes tuning useless is a warning by default, once for a kernel: in a build, that the code as written is the only
# variant; in a run, that no variant compiles. For functions, loops and blocks of C and C++, and for CUDA.
include=$(cd "$(dirname "$0")/../../include" && pwd)
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE AUTOTUNE_LOG

count() { grep -c -e "$2" "$1"; } # FILE PATTERN

# ---- nothing to tune ----

cat > alone.c << 'EOF'
#pragma autotune kernel inout(x[0:n])
void alone(double *x, int n) { for (int i = 0; i < n; i++) x[i] *= 2; }
void within(double *x, int n)
{
#pragma autotune kernel inout(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] *= 2;
  if (n > 2) {
    #pragma autotune kernel \
      inout(x[0:n])
    {
      x[0] = x[1];
    }
  }
}
#pragma autotune kernel inout(x[0:n]) flags("-O3")
void flagged(double *x, int n) { for (int i = 0; i < n; i++) x[i] *= 2; }
EOF
cp alone.c alone.cpp
cat > alone.cu << 'EOF'
#pragma autotune kernel inout(x[0:n])
__global__ void alone(double *x, int n) { x[threadIdx.x] *= n; }
#pragma autotune kernel block(64, 128) inout(x[0:n])
__global__ void blocks(double *x, int n) { x[threadIdx.x] *= n; }
void launch(double *x) { alone<<<1, 64>>>(x, 64); blocks<<<1, 64>>>(x, 64); }
EOF
nothing="has nothing to tune: the code as written is its only variant"
for cc in "gcc -c alone.c" "clang-22 -c alone.c" "g++ -c alone.cpp" "clang++-22 -c alone.cpp"; do
  command -v "${cc%% *}" > /dev/null || continue
  check "$cc" autotune cc $cc -o alone.o 2> messages
  file=${cc##* }
  has "$cc: function" messages "^$file:1:1: warning: 'alone' $nothing"
  has "$cc: loop" messages "^$file:5:1: warning: 'within_[^']*' $nothing"
  has "$cc: block" messages "^$file:9:5: warning: 'within_[^']*' $nothing"
  is "$cc: warnings" "$(count messages 'warning: ')" 3
done
autotune check alone.c > out 2> checked
autotune cc gcc -c alone.c 2> messages
same "check and build" messages checked
check "CUDA" autotune cc --emulate nvcc -c alone.cu -o alone.o 2> messages
has "CUDA: kernel" messages "^alone.cu:1:1: warning: 'alone' $nothing"
has "CUDA: what to add" messages 'hint: add sizes of a block'
is "CUDA: warnings" "$(count messages 'warning: ')" 1

# ---- no variant compiles ----

# On a busy machine 30 calls, 3 s, end before the compiler: a program waits for what goes on beside it.
cat > refused.c << 'EOF'
#include <autotune.h>
#include <stdio.h>
#include <unistd.h>
#pragma autotune kernel param(PARTS: 2, 3) inout(x[0:n])
void refused(double *x, int n)
{
#ifdef __clang__
  _Static_assert(PARTS > 8, "too few parts");
#endif
  x[0] = x[0] * 0.5 + n;
}
int main(void)
{
  static double x[3];
  for (int i = 0; i < 30; i++, usleep(100000))
    for (int n = 1; n < 4; n++)
      refused(x, n);
  autotune_wait(60);
  printf("%g\n", x[0]);
  return 0;
}
EOF
# A unit of a template is compiled for its instance alone.
sed 's/_Static_assert(/static_assert(sizeof(T) > 8 || /; s/void refused/template <typename T> &/; s/(double \*x, int n)/(T *x, int n)/' refused.c > refused.cpp
cat > refused.cu << 'EOF'
#include <autotune.h>
#include <cstdio>
#include <unistd.h>
#pragma autotune kernel param(PARTS: 2, 3) inout(x[0:n])
__global__ void refused(float *x, int n)
{
#ifdef __CUDACC_RTC__
  static_assert(PARTS > 8, "too few parts");
#endif
  x[threadIdx.x] += PARTS;
}
int main()
{
  float *x;
  cudaMalloc(&x, 64 * sizeof *x);
  cudaMemset(x, 0, 64 * sizeof *x);
  for (int i = 0; i < 30; i++, usleep(100000)) {
    refused<<<1, 64>>>(x, 62 + i % 3);
    cudaDeviceSynchronize();
  }
  autotune_wait(60);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
EOF
check "cc: C" autotune cc gcc -O1 -I "$include" refused.c -o refused_c
check "cc: C++" autotune cc g++ -O1 -I "$include" refused.cpp -o refused_cpp
check "cc: CUDA" autotune cc --emulate nvcc -O1 -I "$include" refused.cu -o refused_cu
warned() { # WHAT FILE: it says so once, for all keys
  is "$1: one warning" "$(count "$2" '^autotune: warning: refused[^ ]*: no variant compiles, so the default runs: .*too few parts')" 1
}
for program in refused_c refused_cpp refused_cu; do
  AUTOTUNE_MODE=off ./$program > expected
  for mode in first background online; do
    AUTOTUNE_CACHE=$work/$program.$mode AUTOTUNE_MODE=$mode ./$program > out 2> log
    same "$program, $mode: answer" expected out
    warned "$program, $mode" log
    is "$program, $mode: no other message" "$(count log 'autotune: ')" 1
  done
  # The second time all variants are known.
  for i in 1 2; do
    AUTOTUNE_CACHE=$work/$program.tune autotune tune ./$program > out 2>&1
    warned "$program, tune $i" out
  done
done
finish
