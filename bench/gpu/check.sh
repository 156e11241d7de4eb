#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh HOME WORK SECONDS: are the answers right on this device? Each lesson with its own main, tuned briefly on
# small problems, answers compared on the host; then the same under compute-sanitizer's memcheck, with
# what was found. Called by bench.sh, which says how to compile in the environment. Stops after SECONDS,
# naming what was not reached.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
home=$1 work=$2/check
end=$(($(date +%s) + $3))
mkdir -p "$work"
failed=0
emulated=${AUTOTUNE_BENCH_EMULATED:-}
export AUTOTUNE_CACHE="$work/cache" AUTOTUNE_BUDGET=2s,12

left() { echo $((end - $(date +%s))); }
out_of_time() { [ "$(left)" -le 0 ]; }

build() { # NAME: as the lesson says
  "$home/bin/autotune" cc ${emulated:+--emulate} "$NVCC" $AUTOTUNE_BENCH_FLAGS \
    "$here/../../examples/cuda/$1.cu" -o "$work/$1"
}
size_of() { # arguments that make a lesson's problem small, but not even
  case $1 in
    *transpose) echo 1000 1032 ;;
    *stencil2d) echo 1000 ;;
    *gemm) echo 520 ;;
    *norm | *softmax) echo 1000 1032 ;;
    *attention) ;;
    *) echo 1000003 ;;
  esac
}
[ -z "$emulated" ] || size_of() { :; }

if [ ! -x "$home/bin/autotune" ] || ! "$home/bin/autotune" version >/dev/null 2>&1; then
  echo "not checked: the program autotune cannot be run here"
  exit 0
fi
names=
for example in "$here"/../../examples/cuda/*.cu; do
  name=$(basename "$example" .cu)
  names="$names $name"
  build "$name" >"$work/$name.log" 2>&1 &
done
wait
for name in $names; do
  if [ ! -x "$work/$name" ]; then
    echo "$name: could not be built"
    tail -n 3 "$work/$name.log"
    failed=1
  elif out_of_time; then
    echo "$name: not checked, no time was left"
  elif timeout -k 2 $(($(left) + 10)) "$work/$name" $(size_of "$name") >"$work/$name.log" 2>&1 &&
    ! grep -q WRONG "$work/$name.log"; then
    echo "$name: right"
  else
    echo "$name: FAILED (status $?)"
    tail -n 5 "$work/$name.log"
    failed=1
  fi
done

[ -z "$emulated" ] || exit $failed
sanitizer=$(command -v compute-sanitizer || echo "${CUDA_PATH:-/usr/local/cuda}/bin/compute-sanitizer")
if ! command -v "$sanitizer" >/dev/null; then
  echo "compute-sanitizer is missing: no memcheck"
  exit $failed
fi
# What was found is only used: trials are ended, as they should be, but not by this tool.
for name in $names; do
  [ -x "$work/$name" ] || continue
  if out_of_time; then
    echo "$name: no memcheck, no time was left"
    continue
  fi
  status=0
  AUTOTUNE_MODE=locked timeout -k 2 $(($(left) + 5)) "$sanitizer" --tool memcheck --error-exitcode 9 \
    "$work/$name" $(size_of "$name") >"$work/$name.memcheck" 2>&1 || status=$?
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
