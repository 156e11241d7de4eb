#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# examples.sh BUILD PART: every CUDA lesson.
#   emulated  through `autotune cc --emulate`: right while it tunes and when it starts tuned; something was
#             tuned, and the report says that it was no GPU
#   nvcc      as it is and through `autotune cc nvcc`, without a warning
#   nvrtc     a sample of the variants of each kernel for sm_80 and sm_90a; AUTOTUNE_TEST_VARIANTS says how many,
#             0: all of them
set -u
build=$(cd "$1" && pwd) root=$(cd "$(dirname "$0")/../.." && pwd) part=$2
[ -x "$build/bin/autotune" ] || { echo "$build/bin/autotune is missing"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_LOG AUTOTUNE_EMULATE XDG_CACHE_HOME
failures=0 checks=0
nvcc=$(command -v nvcc || ls "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc" 2> "$work/none")
[ -z "$nvcc" ] || "$nvcc" --version > "$work/none" 2>&1 || nvcc= # it may be a wrapper of a missing program

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
check() { # WHAT COMMAND…
  local what=$1
  shift
  checks=$((checks + 1))
  "$@" > "$work/out" 2> "$work/err" && return
  fail "$what ($*)"
  tail -n 20 "$work/out" "$work/err"
  return 1
}

# ---- emulated ----

# Runs a program with nothing in its environment but the folder of results and the budget.
away() { env -i PATH= AUTOTUNE_CACHE="$work/cache" AUTOTUNE_BUDGET=15s,3 LD_LIBRARY_PATH="${LD_LIBRARY_PATH-}" "$@"; }
report() { AUTOTUNE_CACHE=$work/cache "$build/bin/autotune" report "$@"; }

# The least number of tried variants among all kernels.
fewest() { report --json | sed -n 's/^ *"tried": *\([0-9]*\).*/\1/p' | sort -n | head -1; }

right() { # WHAT COMMAND…
  check "$@" || return
  cp "$work/out" "$work/answer"
  check "$1: answer" grep -q '^  right answer$' "$work/answer"
}

emulated() { # NAME
  local tried
  mkdir "$work/src"
  cp "$root/examples/cuda/$1.cu" "$root"/examples/cuda/*.h "$work/src"
  check "$1: build" "$build/bin/autotune" cc --emulate nvcc -O2 -arch=sm_90 "$work/src/$1.cu" -o "$work/tuned"
  rm -rf "$work/src" "$work/cache"
  right "$1: first run" away "$work/tuned"
  tried=$(fewest)
  check "$1: ${tried:-0} variants tried" [ "${tried:-0}" -ge 1 ]
  right "$1: second run" away "$work/tuned"
  report > "$work/report"
  check "$1: the report says what it ran on" grep -q 'emulated GPU' "$work/report"
}

# ---- on a GPU's compilers ----

with_nvcc() { # NAME
  local flags="-std=c++17 -arch=sm_80 -Xcompiler -Wall,-Wextra,-Wno-unknown-pragmas,-Werror -Werror all-warnings"
  check "$1: nvcc" "$nvcc" $flags -c "$root/examples/cuda/$1.cu" -o "$work/plain.o"
  check "$1: cc nvcc" "$build/bin/autotune" cc "$nvcc" $flags -c "$root/examples/cuda/$1.cu" -o "$work/tuned.o"
}

# The values of arguments and template constants for constraints.
with_nvrtc() { # NAME
  local n=${AUTOTUNE_TEST_VARIANTS:-6} sizes="-a n=16384 -a m=4096 -a k=4096 -a rows=32768 -a d=4096"
  local source=$root/examples/cuda/$1.cu compile=$build/tests/nvrtc_compile
  if [ "$1" = 09_flash_attention ]; then
    check "$1: fp16" "$compile" -n "$n" -a HEAD=64 -i '__half, 64, true' "$source"
    check "$1: bf16" "$compile" -n "$n" -a HEAD=128 -i '__nv_bfloat16, 128, false' "$source"
  else
    check "$1: variants" "$compile" -n "$n" $sizes "$source"
  fi
}

case $part in
  nvcc) [ -n "$nvcc" ] || { echo "skipped: no nvcc"; exit 77; } ;;
  nvrtc)
    "$build/tests/nvrtc_compile" > "$work/out"
    [ $? != 77 ] || { echo "skipped: no libnvrtc"; exit 77; }
    ;;
esac
for source in "$root"/examples/cuda/[0-9]*.cu; do
  name=$(basename "$source" .cu)
  case $part in
    emulated) emulated "$name" ;;
    nvcc) with_nvcc "$name" ;;
    nvrtc) with_nvrtc "$name" ;;
    *) fail "no part '$part'" ;;
  esac
done

echo "$checks checks, $failures failed"
exit $((failures > 0))
