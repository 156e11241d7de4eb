#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh HOME WORK SECONDS: are the answers right on this device? The programs of tests/cuda/device, whose variants
# fault and hang; each lesson with its own main, tuned briefly on a small problem; then the lessons under
# compute-sanitizer's memcheck, with what was found. Called by bench.sh, which says how to compile in the
# environment. Stops after SECONDS, naming what was not reached.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
home=$1 work=$2/check
seconds=$3
end=$(($(date +%s) + seconds))
mkdir -p "$work"
failed=0
emulated=${BENCH_EMULATED:-}
export AUTOTUNE_CACHE="$work/cache" AUTOTUNE_BUILD_CHECK=off

left() { echo $((end - $(date +%s))); }
out_of_time() { [ "$(left)" -le 0 ]; }

if [ ! -x "$home/bin/autotune" ] || ! "$home/bin/autotune" version >/dev/null 2>&1; then
  echo "not checked: the program autotune cannot be run here"
  exit 0
fi

# ---- build ----

build() { # NAME SOURCE…: with half of the time for all
  name=$1
  shift
  time=$(($(left) - seconds / 2))
  {
    [ "$time" -gt 0 ] && timeout -k 2 "$time" "$home/bin/autotune" cc ${emulated:+--emulate} \
      "$NVCC" $BENCH_FLAGS "$@" -o "$work/$name" -lpthread ||
      [ "$(left)" -gt $((seconds / 2)) ] || echo "no time was left to build it"
  } >"$work/$name.log" 2>&1
}
at_once=$(nproc) running=0
start() { # as many at once as there are processors
  build "$@" &
  running=$((running + 1))
  [ "$running" -lt "$at_once" ] || { wait; running=0; }
}
hard= lessons=
for source in "$root"/tests/cuda/device/*.cu; do
  name=$(basename "$source" .cu)
  [ -f "$source" ] && [ "${name%_other}" = "$name" ] || continue
  hard="$hard $name"
  other=${source%.cu}_other.cu
  [ -f "$other" ] || other=
  start "$name" "$source" $other
done
for source in "$root"/examples/cuda/*.cu; do
  name=$(basename "$source" .cu)
  lessons="$lessons $name"
  start "$name" "$source"
done
wait

# ---- run ----

try() { # NAME ARGUMENT…: the output says whether the answer is right
  name=$1
  shift
  if [ ! -x "$work/$name" ]; then
    echo "$name: could not be built"
    tail -n 3 "$work/$name.log"
    failed=1
  elif out_of_time; then
    echo "$name: not checked, no time was left"
  else
    status=0
    most=$(($(left) / 2 + 10)) # so that one that hangs leaves time for the others
    timeout -k 2 $most "$work/$name" "$@" >"$work/$name.log" 2>&1 || status=$?
    if [ $status = 0 ] && ! grep -q WRONG "$work/$name.log"; then
      echo "$name: right"
    else
      [ $status != 124 ] || echo "$name: not done in $most s"
      echo "$name: FAILED (status $status)"
      tail -n 5 "$work/$name.log"
      failed=1
    fi
  fi
}
size_of() { # arguments that make a lesson's problem small and uneven
  case $1 in
    *transpose) echo 1000 1032 ;;
    *stencil2d) echo 1000 ;;
    *gemm) echo 520 ;;
    *norm | *softmax) echo 1000 1032 ;;
    *attention) echo 1000 3 ;;
    *) echo 1000003 ;;
  esac
}
[ -z "$emulated" ] || size_of() { :; } # the lessons choose small sizes themselves

for name in $hard; do
  try "$name"
done
export AUTOTUNE_BUDGET=2s,12
for name in $lessons; do
  try "$name" $(size_of "$name")
done

# ---- memcheck ----

[ -z "$emulated" ] || exit $failed
sanitizer=$(command -v compute-sanitizer || echo "${CUDA_PATH:-/usr/local/cuda}/bin/compute-sanitizer")
if ! command -v "$sanitizer" >/dev/null; then
  echo "compute-sanitizer is missing: no memcheck"
  exit $failed
fi
for name in $lessons; do
  [ -x "$work/$name" ] || continue
  if out_of_time; then
    echo "$name: no memcheck, no time was left"
    continue
  fi
  status=0
  AUTOTUNE_MODE=locked timeout -k 2 $(($(left) / 2 + 5)) "$sanitizer" --tool memcheck \
    --error-exitcode 9 "$work/$name" $(size_of "$name") >"$work/$name.memcheck" 2>&1 || status=$?
  case $status in
    0) echo "$name: memcheck found nothing" ;;
    9) echo "$name: memcheck found errors"
      grep -m 3 '=========' "$work/$name.memcheck"
      failed=1 ;;
    124) echo "$name: memcheck was not done in time" ;;
    *) echo "$name: memcheck could not be run here (status $status)"
      tail -n 2 "$work/$name.memcheck" ;;
  esac
done
exit $failed
