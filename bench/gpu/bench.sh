#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench.sh [--emulated] [--seconds S] [FOLDER]: the CUDA lessons on this machine's device: builds,
# checks, tunes and measures them beside a device-to-device copy, cuBLAS and PyTorch, within S (480) seconds, prints a
# table and writes bench/results/DEVICE.json (BENCH_RESULTS: another folder).
#
# FOLDER is a pack (pack.sh) or a build folder; without one: this folder, if it is a pack, else build/. It needs a
# driver, NVRTC, nvcc and Python; what else is missing is skipped and said. Exit status 77: nothing could be
# measured here, the reason is on the last line.
#
# --emulated goes the same way on the CPU with small sizes. Its times are no GPU's and stay in the work folder.
set -eu
begin=$(date +%s)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
emulated= seconds=480
while [ $# -gt 0 ]; do
  case $1 in
    --emulated) emulated=1 ;;
    --seconds) shift; seconds=$1 ;;
    -*) echo "usage: bench.sh [--emulated] [--seconds S] [FOLDER]" >&2; exit 2 ;;
    *) break ;;
  esac
  shift
done
folder=$root
[ -f "$root/packed" ] || folder=$root/build
[ $# -eq 0 ] || folder=$(cd "$1" && pwd)
work=${BENCH_WORK:-$(mktemp -d)}
mkdir -p "$work"
work=$(cd "$work" && pwd)
results=${BENCH_RESULTS:-$root/bench/results}
[ -z "$emulated" ] || results=$work

export AUTOTUNE_CACHE="$work/cache" PYTHONDONTWRITEBYTECODE=1 AUTOTUNE_BUILD_CHECK=off
unset AUTOTUNE_MODE AUTOTUNE_BUDGET AUTOTUNE_SEARCH AUTOTUNE_LOG
passed() { echo $(($(date +%s) - begin)); }
left() { echo $((seconds - $(passed))); }
say() { printf '%3d s  %s\n' "$(passed)" "$*"; }
nothing() { echo "bench.sh: $*" >&2; exit 77; }

# ---- what is installed ----

toolkit=${CUDA_PATH:-/usr/local/cuda}
NVCC=${NVCC:-$(command -v nvcc || echo "$toolkit/bin/nvcc")}
command -v "$NVCC" >/dev/null || nothing "nvcc is missing (CUDA_PATH says where the toolkit is)"
[ -n "${CUDA_PATH:-}" ] || CUDA_PATH=$(cd "$(dirname "$(readlink -f "$NVCC")")/.." && pwd)
export NVCC CUDA_PATH
python=$(command -v python3) || nothing "python3 is missing"
flags="-std=c++17 -O3 -I$here -I$folder/include -Wno-deprecated-gpu-targets"
if [ -z "$emulated" ]; then
  cc=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d '. ')
  [ -n "$cc" ] || nothing "there is no device, or nvidia-smi cannot ask it"
  flags="$flags -arch=sm_$cc"
fi
# NVRTC and cuBLAS: the toolkit's, else those of Python's packages.
BENCH_CUBLAS=$("$python" "$here/machine.py" 'libcublas.so.*')
export BENCH_CUBLAS
nvrtc=$("$python" "$here/machine.py" 'libnvrtc.so.1?')
[ -n "$emulated" ] || [ -z "$nvrtc" ] || export AUTOTUNE_NVRTC="${AUTOTUNE_NVRTC:-$nvrtc}"

# ---- libautotune ----

# Uses the packed libautotune if it runs, else builds it here from the sources next to this script.
runs() { "$1/bin/autotune" version >/dev/null 2>&1; }
if ! runs "$folder" && ! [ -f "$folder/lib/libautotune.so" ]; then
  say "building libautotune"
  cmake -S "$root" -B "$work/build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DAUTOTUNE_TESTS=OFF \
    -DCMAKE_PREFIX_PATH="$folder" >"$work/build.log" 2>&1 &&
    cmake --build "$work/build" -j "$(nproc)" >>"$work/build.log" 2>&1 ||
    { tail -n 20 "$work/build.log"; nothing "libautotune could not be built"; }
  home=$work/build
else
  home=$folder
fi
if runs "$home"; then
  export BENCH_AUTOTUNE="$home/bin/autotune"
elif [ ! -d "$folder/translated" ]; then
  nothing "there is neither a program autotune that runs here nor what it makes of the lessons"
else
  say "autotune cannot be run here: the lessons as they were translated elsewhere are used"
fi

# ---- build ----

library=$home/lib
# Building may take half of the time.
in_time() { # COMMAND…
  time=$((seconds / 2 - $(passed)))
  [ "$time" -gt 0 ] && timeout -k 2 "$time" "$@" && return
  [ "$(passed)" -lt $((seconds / 2)) ] || echo "no time was left to build it"
  return 1
}
compile() { # NAME: from $work/NAME.cu to $work/NAME
  name=$1
  if [ -n "$emulated" ]; then
    in_time "$BENCH_AUTOTUNE" cc --emulate "$NVCC" $flags "$work/$name.cu" -o "$work/$name" -ldl
  elif [ "$name" = reference ]; then
    in_time "$NVCC" $flags "$work/$name.cu" -o "$work/$name" -ldl
  elif [ -n "${BENCH_AUTOTUNE:-}" ]; then
    in_time "$BENCH_AUTOTUNE" cc "$NVCC" $flags "$work/$name.cu" -o "$work/$name" -ldl
  else
    in_time "$NVCC" $flags "$folder/translated/$name.cu" -o "$work/$name" \
      "-L$library" -lautotune -Xlinker -rpath -Xlinker "$library" -ldl
  fi
}
names=$("$here/compose.sh" "$work")
say "building $(echo $names) reference"
at_once=$(nproc)
running=0
for name in $names reference; do
  compile "$name" >"$work/$name.log" 2>&1 &
  running=$((running + 1))
  [ "$running" -lt "$at_once" ] || { wait; running=0; }
done
wait
built=0
for name in $names; do
  if [ -x "$work/$name" ]; then
    built=$((built + 1))
  else
    say "$name could not be built and is left out:"
    tail -n 5 "$work/$name.log"
  fi
done
[ "$built" -gt 0 ] || nothing "none of the programs could be built"
[ -x "$work/reference" ] || { say "reference could not be built:"; tail -n 5 "$work/reference.log"; }

# ---- check, tune, measure ----

BENCH_EMULATED=$emulated BENCH_FLAGS=$flags \
  "$here/check.sh" "$home" "$work" "$(($(left) / 5))" || failed=1
say "tuning and measuring"
"$python" "$here/measure.py" "$work" "$results" --seconds "$(($(left) - 5))" \
  ${emulated:+--emulated} || failed=1
say "done${failed:+, with failures}"
exit ${failed:-0}
