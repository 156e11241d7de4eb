#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# programs.sh [--emulated] HOME FOLDER: builds all programs of the bench with HOME/bin/autotune and nvcc: in FOLDER
# those that measure.py asks (compose.sh), in FOLDER/check those that check.sh runs: tests/cuda/device, the
# lessons with their own main, lesson 06 with each of several defaults for compute capability 9.0 (wgmma.sh; where
# BENCH_FLAGS include sm_90a), and the unit tests for a device, if HOME/tests has them.
#
# BENCH_FLAGS: more options for nvcc (-gencode …). BENCH_ONLY: some of them only, by name ("triad check/faults").
# BENCH_UNTIL: when to stop, in seconds since 1970. NVCC: the compiler. What cannot be built is named, with the last
# lines of its log. Exit status 1: nothing was built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
emulated=
[ "$1" != --emulated ] || { emulated=--emulate; shift; }
home=$(cd "$1" && pwd)
mkdir -p "$2/check" "$2/logs"
folder=$(cd "$2" && pwd)
NVCC=${NVCC:-nvcc}
flags="-std=c++17 -I$here -I$root/include -Wno-deprecated-gpu-targets ${BENCH_FLAGS:--O3}"
[ -z "$emulated" ] || flags="-std=c++17 -I$here -I$root/include ${BENCH_FLAGS:--O1}"
export AUTOTUNE_BUILD_CHECK=off
unset AUTOTUNE_MODE AUTOTUNE_LOG
. "$here/wgmma.sh"

build() { # NAME SOURCE…: FOLDER/NAME
  name=$1
  shift
  log=$folder/logs/$(echo "$name" | tr / -).log
  seconds=$((${BENCH_UNTIL:-$(($(date +%s) + 3600))} - $(date +%s)))
  if [ "$seconds" -le 0 ]; then
    echo "no time was left to build it" >"$log"
  elif [ "$name" = reference ] && [ -z "$emulated" ]; then
    timeout -k 2 "$seconds" "$NVCC" $flags "$@" -o "$folder/$name" -ldl >"$log" 2>&1 || :
  else
    timeout -k 2 "$seconds" "$home/bin/autotune" cc $emulated "$NVCC" $flags "$@" -o "$folder/$name" \
      -lpthread -ldl >"$log" 2>&1 || :
  fi
}
at_once=$(nproc) running=0 all=
start() { # as many at once as there are processors
  case " ${BENCH_ONLY:-$1} " in *" $1 "*) ;; *) return 0 ;; esac
  all="$all $1"
  build "$@" &
  running=$((running + 1))
  [ "$running" -lt "$at_once" ] || { wait; running=0; }
}

for name in $("$here/compose.sh" "$folder/sources") reference; do
  start "$name" "$folder/sources/$name.cu"
done
for source in "$root"/tests/cuda/device/*.cu; do
  name=$(basename "$source" .cu)
  [ "${name%_other}" = "$name" ] || continue
  other=${source%.cu}_other.cu
  [ -f "$other" ] || other=
  start "check/$name" "$source" $other
done
for source in "$root"/examples/cuda/*.cu; do
  start "check/$(basename "$source" .cu)" "$source"
done
case "$emulated$flags" in
  --emulate* | *sm_90a*)
    # Compiled for this architecture only: others have none of the instructions.
    arch="-gencode arch=compute_90a,code=sm_90a"
    [ -z "$emulated" ] || arch=-arch=sm_90
    flags="$(echo "$flags" | sed 's/-gencode [^ ]*//g; s/-arch=[^ ]*//g') -I$root/examples/cuda $arch"
    for defaults in $wgmma_defaults; do
      name=$(wgmma_name "$defaults")
      wgmma_source "$root/examples/cuda/06_hgemm.cu" "$defaults" >"$folder/sources/$name.cu"
      start "check/$name" "$folder/sources/$name.cu"
    done ;;
esac
wait
for name in gpu_run gpu_helper nvrtc; do
  [ ! -x "$home/tests/test_$name" ] || cp "$home/tests/test_$name" "$folder/check"
done

built=0
for name in $all; do
  if [ -x "$folder/$name" ]; then
    built=$((built + 1))
  else
    echo "$name could not be built:"
    tail -n 5 "$folder/logs/$(echo "$name" | tr / -).log"
  fi
done
rm -rf "$folder/sources"
echo "$built of $(echo $all | wc -w) programs built"
[ "$built" -gt 0 ]
