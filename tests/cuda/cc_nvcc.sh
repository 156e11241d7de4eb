#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `autotune cc nvcc` does what nvcc does: a fake nvcc that writes down its arguments shows the commands; the real one,
# if it is installed, compiles and links.
set -u
build=$(realpath "$1")
autotune=$build/bin/autotune
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out" || exit 1
failed=0 n=0

check() { # what, command…
  n=$((n + 1))
  local what=$1
  shift
  "$@" >"$out/said" 2>&1 || {
    failed=$((failed + 1))
    echo "$what: $*" >&2
    head -n 20 "$out/said" "$log" >&2
  }
}
given() { grep -qx -e "$1" "$log"; }          # an argument of any run
in_order() { tr '\n' ' ' <"$log" | grep -qE -e "$1"; }
runs() { [ "$(grep -c '^nvcc$' "$log")" = "$1" ]; }
not() { ! "$@"; }

# ---- the commands that are run ----

mkdir bin inc
log=$out/log
cat >bin/nvcc <<END
#!/bin/sh
echo nvcc >>"$log"
while [ \$# -gt 0 ]; do
  printf '%s\n' "\$1" >>"$log"
  case \$1 in
    -o) : >"\$2" ;;
    *.cu) cp "\$1" "$out/compiled.cu" ;;
  esac
  shift
done
END
chmod +x bin/nvcc
fake() { : >"$log"; PATH=$out/bin:$PATH "$autotune" cc nvcc "$@"; }

cat >inc/k.cuh <<'END'
#pragma once
#pragma autotune kernel block(128, 256) grid(ceil) inout(a[0:n])
template <typename T>
__global__ void scale(T *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= FACTOR;
}
END
cat >k.cu <<'END'
#include "k.cuh"
#include <cstdio>
void other(float *a, int n);
int main()
{
  float *a = nullptr;
  scale<float><<<4, 256>>>(a, 1024);
  other(a, 1024);
  puts(cudaGetErrorString(cudaGetLastError()));
}
END
printf '#include "k.cuh"\nvoid other(float *a, int n) { scale<<<n / 256, 256>>>(a, n); }\n' >other.cu
cat >inc/run.cuh <<'END'
#pragma once
template <typename T>
void run(T *a, int n)
{
  scale<<<n / 256, 256>>>(a, n); // of a kernel that a header has which stands in front
}
END
printf '#include "k.cuh"\n#include "run.cuh"\nvoid all(float *a) { run(a, 1024); }\n' >run.cu
printf '__global__ void k(float *a) { a[0] = 1; }\nvoid f() { k<<<1, 1>>>(nullptr); }\n' >plain.cu
printf -- '-DFACTOR=2 "-Iinc"\n' >options

check "a file without kernels" fake -arch=sm_90 -c plain.cu -o plain.o
check "its command is as it was" in_order '^nvcc -arch=sm_90 -c plain.cu -o plain.o $'
check "a file with kernels" fake -arch sm_90 --options-file options --compile k.cu -o k.o
check "one compiler" runs 1
check "not the user's file" not given k.cu
check "a file of that name" in_order ' --compile [^ ]*/k\.cu -o k\.o '
check "what is translated" grep -q 'autotune_launch_scale<float>(4, 256, 0, nullptr, a, 1024)' compiled.cu
check "the host's compiler finds headers beside the file" in_order ' -Xcompiler -iquote -Xcompiler \. '
check "and ours" in_order " -Xcompiler -idirafter -Xcompiler $build/include "
check "options are as they were" in_order '^nvcc -arch sm_90 -DFACTOR=2 -Iinc --compile '
check "a launch in a header" fake -DFACTOR=2 -Iinc -c run.cu -o run.o
check "which has no kernel itself" grep -q '^  autotune_launch_scale(n / 256, 256, 0, nullptr, a, n); // of' compiled.cu
check "options of ptxas, and a family" fake -Xptxas -O2,-v --ptxas-options="-warn-spills -dlcm,cg" -Xptxas=-v \
  -gencode arch=compute_100f,code=sm_100f -arch=sm_90 -DFACTOR=2 -Iinc -c k.cu -o k.o
for flag in --ptxas-options=-O2 --ptxas-options=-dlcm --ptxas-options=cg --build-family=sm_100f; do
  check "go to variants" grep -qF "\"$flag\"" compiled.cu
done
check "but not those that print, nor a device's" not grep -qE '"[^"]*(options=-v|warn|sm_90|compute_)[^"]*"' compiled.cu
check "PTX" fake -ptx -DFACTOR=2 -I=inc k.cu
check "no other output" not given -o
check "--dryrun" fake --dryrun -DFACTOR=2 -Iinc k.cu
check "is handed on" in_order '^nvcc --dryrun -DFACTOR=2 -Iinc k\.cu $'
check "dependencies" fake -MD -MF k.d -DFACTOR=2 -I inc -c k.cu -o k.o
check "in a run of their own, from the user's file" in_order ' -MT k\.o -M -MF k\.d -w k\.cu $'
check "a link of both" fake -DFACTOR=2 -Iinc -rdc=true k.cu other.cu -lm -o program
check "two compilations and a link" runs 3
check "a link goes to libautotune" in_order \
  " -rdc=true [^ ]*\.o [^ ]*\.o -lm -o program -Xlinker --push-state -Xlinker --no-as-needed -Xlinker $build/lib/libautotune.so -Xlinker --pop-state -Xlinker -rpath -Xlinker $build/lib \$"
echo autotune_launch_kernel >site.o
check "objects" fake site.o -o program
check "with sites" given "$build/lib/libautotune.so"
check "device code alone" fake -dlink site.o -o linked.o
check "has no sites" in_order '^nvcc -dlink site\.o -o linked\.o $'
cat >branch.cu <<'END'
#ifdef __NVCC__
#define BRANCH 1
#else
#define BRANCH 2
#endif
#pragma autotune kernel block(32, 64)
__global__ void branch(int *a) { *a = BRANCH; }
void f(int *a) { branch<<<1, 32>>>(a); }
END
check "a branch for nvcc" fake -c branch.cu -o branch.o
check "is chosen in variants" grep -q '#define __NVCC__ 1' compiled.cu
ln -s nvcc bin/clang++
check "another compiler" env PATH="$out/bin:$PATH" "$autotune" cc clang++ -c branch.cu -o branch.o
check "has another branch" not grep -q '#define __NVCC__ 1' compiled.cu
cat >host.cu <<'END'
#if defined(__OPTIMIZE__) && defined(_OPENMP) && _OPENMP >= 201107
#define BRANCH 1
#else
#define BRANCH 2
#endif
#pragma autotune kernel block(32, 64)
__global__ void branch(int *a) { *a = BRANCH; }
void f(int *a) { branch<<<1, 32>>>(a); }
END
check "macros of the host's options" fake -O2 -Xcompiler -Wall,-fopenmp -c host.cu -o host.o
check "are defined in variants: optimised" grep -q '#define __OPTIMIZE__ 1' compiled.cu
check "are defined in variants: OpenMP" grep -q '#define _OPENMP 201511' compiled.cu
check "no such options" fake -O2 -Xcompiler -O0,-fopenmp,-fno-openmp -c host.cu -o host.o
check "are not defined in variants" not grep -qE '#define (__OPTIMIZE__|_OPENMP) ' compiled.cu
check "-Ofc" fake -O0 -Ofc max -Xcompiler -fopenmp -ccbin clang++ -c host.cu -o host.o
check "is no level" not grep -q '#define __OPTIMIZE__ ' compiled.cu
check "OpenMP of Clang" grep -q '#define _OPENMP 202011' compiled.cu
check "Clang's options for a device" env PATH="$out/bin:$PATH" "$autotune" cc clang++ -x cuda --cuda-gpu-arch=sm_100f -O2 \
  -ffast-math -ffp-contract=off -Xcuda-ptxas -v -Xcuda-ptxas --maxrregcount -Xcuda-ptxas 64 -c host.cu -o host.o
for flag in --use_fast_math --fmad=false --ptxas-options=--maxrregcount --ptxas-options=64 --build-family=sm_100f; do
  check "go to variants" grep -qF "\"$flag\"" compiled.cu
done
check "but not those that print" not grep -qF '=-v"' compiled.cu
check "the last of several options" env PATH="$out/bin:$PATH" "$autotune" cc clang++ -x cuda -ffp-contract=off \
  -fgpu-flush-denormals-to-zero -ffp-contract=fast -fno-gpu-flush-denormals-to-zero -c host.cu -o host.o
check "holds: contraction" not grep -qF -e '--fmad=' compiled.cu
check "holds: denormals" grep -qF '"--ftz=false"' compiled.cu
printf 'void f() {}\n' >f.cpp
check "-x cu" fake -x cu -DFACTOR=2 -Iinc -c f.cpp
cp k.cu k.cpp
check "-x cu with kernels" fake -x cu -DFACTOR=2 -Iinc -c k.cpp -o k.o
check "keeps the name" in_order '^nvcc -x cu .* -c [^ ]*/k\.cpp -o k\.o '

# ---- with nvcc ----

: >"$log"
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
[ -z "$nvcc" ] || "$nvcc" --version >/dev/null 2>&1 || nvcc= # it may be a wrapper of a missing program
if [ -n "$nvcc" ]; then
  options="-arch=sm_80 -std=c++17 -DFACTOR=2 -Iinc"
  # shellcheck disable=SC2086
  {
    check "nvcc: compile" "$autotune" cc "$nvcc" $options -MD -rdc=true -c k.cu -o ours.o
    check "nvcc: as it would itself" "$nvcc" $options -MD -MT ours.o -rdc=true -c k.cu -o theirs.o
    check "nvcc: the same dependencies" diff ours.d theirs.d
    check "nvcc: -dc" "$autotune" cc "$nvcc" $options -dc other.cu -o other.o
    check "nvcc: link" "$autotune" cc "$nvcc" -arch=sm_80 ours.o other.o -o program
    # CMake has no launcher for the link: the program finds the library by itself.
    printf '#pragma autotune kernel block(32, 64) grid(ceil)\n__global__ void one(int *a) { *a = 1; }\n' >own.cu
    printf 'int main() { one<<<1, 32>>>(nullptr); }\n' >>own.cu
    check "nvcc: compile a program" "$autotune" cc "$nvcc" -arch=sm_80 -c own.cu -o own.o
    check "nvcc: link it by nvcc alone" "$nvcc" -arch=sm_80 own.o -o own
    AUTOTUNE_LOG=debug AUTOTUNE_MODE=nonsense ./own >said.own 2>&1
    check "nvcc: it has the library" grep -q "AUTOTUNE_MODE" said.own
    check "nvcc: all at once" "$autotune" cc "$nvcc" $options k.cu other.cu -o program
    check "nvcc: a launch in a header" "$autotune" cc "$nvcc" $options -c run.cu -o run.o
    check "nvcc: PTX" "$autotune" cc "$nvcc" $options -ptx k.cu
    check "nvcc: where it would be" test -s k.ptx
  }
  cat >bad.cu <<'END'
#pragma autotune kernel block(128, 256)
__global__ void scale(float *a, int n)
{
  a[threadIdx.x] *= m;
}
void run(float *a) { scale<<<1, 128>>>(a, 3, 4); }
END
  "$autotune" cc "$nvcc" -c bad.cu >said.bad 2>&1
  check "nvcc: an error's line" grep -q '^bad\.cu(4): error: identifier "m" is undefined' said.bad
  check "nvcc: nothing of a file that is gone" not grep -q "autotune-\|<autotune>" said.bad
  check "nvcc: and a launch's" grep -q '^bad\.cu(6): error: ' said.bad
fi

echo "$n checks, $failed failures${nvcc:+, with $nvcc}"
[ $failed = 0 ]
