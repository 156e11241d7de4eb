#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# hopper.sh BUILD PART: lesson 06's way for compute capability 9.0.
#   nvcc      compiles for sm_90a without a warning; the PTX has the instructions; nothing is spilled
#   emulated  variants are right when work in shared memory is done as late as it may be, and as early; the
#             lesson tunes itself with them, and by the older way on an older device
set -u
build=$(cd "$1" && pwd) root=$(cd "$(dirname "$0")/../.." && pwd) part=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_LOG AUTOTUNE_EMULATE XDG_CACHE_HOME
failures=0 checks=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
check() { # WHAT COMMAND…
  checks=$((checks + 1))
  "${@:2}" > "$work/out" 2> "$work/err" && return
  fail "$1 (${*:2})"
  tail -n 20 "$work/out" "$work/err"
  return 1
}

cp "$root"/examples/cuda/*.h "$work"
. "$root/bench/gpu/wgmma.sh"
# Writes the lesson with other defaults to variant.cu.
variant() { # NAME=VALUE,…
  wgmma_source "$root/examples/cuda/06_hgemm.cu" "$1" > "$work/variant.cu" || fail "the lesson cannot have $1"
}

# ---- nvcc ----

instructions="wgmma.mma_async.sync.aligned wgmma.fence wgmma.commit_group wgmma.wait_group cp.async.bulk.tensor.2d.shared
  mbarrier.init mbarrier.arrive.expect_tx mbarrier.try_wait.parity fence.mbarrier_init"

with_nvcc() { # DEFAULTS
  local i more="" flags="-std=c++17 -O3 -arch=sm_90a -Xcompiler -Wall,-Wextra,-Wno-unknown-pragmas,-Werror -Werror all-warnings"
  variant "$1"
  check "$1: nvcc" "$nvcc" $flags -ptx "$work/variant.cu" -o "$work/variant.ptx" || return
  [[ $1 == *EPILOGUE=0* ]] || more="cp.async.bulk.tensor.2d.global cp.async.bulk.wait_group.read fence.proxy.async"
  [[ $1 == *CONSUMERS=1* ]] || more+=" setmaxnreg.inc setmaxnreg.dec"
  [[ $1 == *CLUSTER=2* ]] && more+=" multicast::cluster mapa barrier.cluster.arrive .reqnctapercluster"
  for i in $instructions $more; do
    check "$1: PTX has $i" grep -q -- "$i" "$work/variant.ptx"
  done
  check "$1: tensor maps stay where they are" bash -c '! grep -q __local_depot "$1"' - "$work/variant.ptx"
  check "$1: ptxas" "$nvcc" -arch=sm_90a -Xptxas -v,-warn-spills -cubin "$work/variant.ptx" -o "$work/variant.cubin" || return
  cat "$work/out" "$work/err" > "$work/said"
  check "$1: no spills" grep -q " 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" "$work/said"
  check "$1: products are not serialised" bash -c '! grep -i "serialized\|setmaxnreg" "$1"' - "$work/said"
  # The registers of 384 threads at the launch are what setmaxnreg shares out: 40 and twice 232.
  [[ $1 == *CONSUMERS=1* ]] || check "$1: enough registers at the launch" grep -q "Used 168 registers" "$work/said"
}

# ---- emulated ----

emulate() { "$build/bin/autotune" cc --emulate nvcc -O2 -arch=sm_90 "$work/variant.cu" -o "$work/variant"; }
right() { # WHAT VARIABLES… PROGRAM ARGUMENTS
  check "$1" env AUTOTUNE_CACHE="$work/cache" "${@:2}" && { cp "$work/out" "$work/answer"
    check "$1: answer" grep -q '^  right answer$' "$work/answer"; }
}

with_emulator() {
  local v when
  for v in $wgmma_defaults; do
    variant "$v"
    check "$v: build" emulate || continue
    for when in late=1 early; do
      right "$v, $when" AUTOTUNE_MODE=off AUTOTUNE_EMULATE="cc=90,$when" "$work/variant" 328
    done
  done
  # Tuned: a block has several tiles. All but CLUSTER is as in the default, so that both values are tried.
  variant BM=64,BN=128,CONSUMERS=1
  sed -i 's/param(WGMMA: [^)]*)/param(WGMMA: 1)/; s/param(CONSUMERS: [^)]*)/param(CONSUMERS: 1)/
          s/param(BM: [^)]*)/param(BM: 64)/; s/param(BN: [^)]*)/param(BN: 128)/; s/param(BK: [^)]*)/param(BK: 64)/
          s/param(WM: [^)]*)/param(WM: 64)/; s/param(WN: [^)]*)/param(WN: 64)/; s/param(STAGES: [^)]*)/param(STAGES: 3)/
          s/param(GROUP: [^)]*)/param(GROUP: 8)/; s/param(EPILOGUE: [^)]*)/param(EPILOGUE: 2)/' "$work/variant.cu"
  check "tuned: build" emulate || return
  right "tuned" AUTOTUNE_BUDGET=200s,20 AUTOTUNE_EMULATE=cc=90 "$work/variant" 456
  AUTOTUNE_CACHE=$work/cache "$build/bin/autotune" report --json > "$work/report" 2>&1
  check "tuned: both were right, so the cluster was" grep -q '"right": 2,' "$work/report"
  check "tuned: no variant failed" bash -c '! grep -qE "\"(compile|load|wrong|crash|timeout|exit)\": *[1-9{]" "$1"' - "$work/report" ||
    grep -A 12 '"variants"\|"failures"' "$work/report"
  # An older device takes the older way.
  variant WGMMA=0,BK=32
  rm -rf "$work/cache"
  check "older device: build" emulate || return
  right "older device" AUTOTUNE_BUDGET=20s,3 AUTOTUNE_EMULATE=cc=80 "$work/variant" 136
}

case $part in
  nvcc)
    nvcc=$(command -v nvcc || ls "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc" 2> "$work/none")
    [ -n "$nvcc" ] && "$nvcc" --version > "$work/none" 2>&1 || { echo "skipped: no nvcc"; exit 77; }
    for v in $wgmma_defaults; do with_nvcc "$v"; done
    check "sm_90: nvcc" "$nvcc" -std=c++17 -arch=sm_90 -ptx "$work/variant.cu" -o "$work/variant.ptx"
    check "sm_90, which lacks the instructions: the kernel traps" grep -qE '\btrap;' "$work/variant.ptx"
    ;;
  emulated) with_emulator ;;
  *) fail "no part '$part'" ;;
esac
echo "$checks checks, $failures failed"
exit $((failures > 0))
