#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh PART HOME PROGRAMS WORK SECONDS: are the answers right on this device? Called by bench.sh. PART:
#
#   suite      the unit tests that use a device; tests/cuda/device, whose variants fault and hang; lesson 06 with each of
#              several defaults for compute capability 9.0, as written; each lesson with its own main, tuned briefly on
#              a small problem: no variant may be wrong, crash or time out. Says whether processes can share device
#              memory (IPC).
#   sanitizer  the lessons under compute-sanitizer, tool by tool, with what the suite found to be fast
#
# PROGRAMS/check holds the programs (programs.sh). BENCH_CC: the device's compute capability, as 90. Stops after SECONDS,
# naming what was not reached. Exit status 1: something is wrong. A machine on which compute-sanitizer or IPC does not
# work is said, and is no failure.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
part=$1 home=$2 programs=$3/check logs=$4/logs
end=$(($(date +%s) + $5))
failed=0 log_of=
. "$here/wgmma.sh"
emulated=${BENCH_EMULATED:-}
mkdir -p "$logs"

left() { echo $((end - $(date +%s))); }
out_of_time() { [ "$(left)" -le 0 ]; }
# Seconds that one program may take: one that hangs leaves time for the others. At least 1, since 0 is no limit to timeout.
patience() {
  most=$(($(left) / 4 + 10))
  [ $most -le "${BENCH_PATIENCE:-60}" ] || most=${BENCH_PATIENCE:-60}
  [ $most -le "$(left)" ] || most=$(left)
  [ $most -ge 1 ] || most=1
  echo $most
}
# Runs a command for SECONDS at most. Sets STATUS; 124: it was ended. timeout makes a group of processes of its own,
# which is ended together with this script.
group=
trap '[ -z "$group" ] || kill -s KILL -- "-$group" 2>/dev/null; exit 143' TERM
limited() { # SECONDS LOG COMMAND…
  most=$1 log=$2 status=0
  shift 2
  timeout -k 2 "$most" "$@" >"$log" 2>&1 &
  group=$!
  wait $group || status=$?
  kill -s KILL -- "-$group" 2>/dev/null || : # what it leaves running
  group=
}
lessons= hard=
for source in "$root"/examples/cuda/*.cu; do
  lessons="$lessons $(basename "$source" .cu)"
done
for source in "$root"/tests/cuda/device/*.cu; do
  name=$(basename "$source" .cu)
  [ "${name%_other}" != "$name" ] || hard="$hard $name"
done
size_of() { # arguments that make a lesson's problem small and uneven
  [ -z "$emulated" ] || return 0 # they choose small sizes themselves
  case $1 in
    *transpose) echo 1000 1032 ;;
    *stencil2d) echo 1000 ;;
    *gemm) echo 520 ;;
    *norm | *softmax) echo 1000 1032 ;;
    *attention) echo 1000 3 ;;
    *) echo 1000003 ;;
  esac
}

# ---- the suite ----

try() { # NAME ARGUMENT…: the output says whether the answer is right
  name=$1 log=$logs/$1$log_of.log
  shift
  if [ ! -x "$programs/$name" ]; then
    echo "$name: was not built"
    failed=1
    return
  elif out_of_time; then
    echo "$name: not checked, no time was left"
    failed=1
    return
  fi
  limited "$(patience)" "$log" env AUTOTUNE_LOG=info "$programs/$name" "$@"
  wrong=$(grep -m 3 'WRONG\|no variant compiles\|run as they are\|are not tuned' "$log" || :)
  if [ $status = 0 ] && [ -z "$wrong" ]; then
    echo "$name$log_of: right"
  elif [ $status = 77 ]; then
    echo "$name: $(tail -n 1 "$log")"
    [ -n "$emulated" ] || failed=1
  else
    [ $status != 124 ] || echo "$name$log_of: not done in $most s"
    echo "$name$log_of: FAILED (status $status)"
    { echo "$wrong"; grep -v ': info: ' "$log" | tail -n 5; } | sort -u
    failed=1
  fi
}

# What the logs of programs that tuned say about memory that processes share.
ipc() {
  tuned=$(grep -l ': tuned: ' "$logs"/*.log || :)
  copied=$(grep -l 'trials get copies through the host' "$logs"/*.log || :)
  if [ -z "$tuned" ]; then
    echo "IPC is not known to work: nothing was tuned"
    failed=1
  elif [ "$(echo "$copied" | wc -w)" -lt "$(echo "$tuned" | wc -w)" ]; then
    echo "IPC works: helper processes open the memory of programs"
  else
    echo "IPC does not work here, trials get copies:$(grep -h -m 1 'copies through the host' $copied | sed 's/.*the host://' | sort -u | head -n 1)"
  fi
}

# Lesson 06's way for compute capability 9.0 is not its default: here it runs untuned, so that nothing takes its place.
wgmma() {
  if [ -z "$emulated" ] && [ "${BENCH_CC:-}" != 90 ]; then
    echo "06_wgmma: not for this device"
    return
  fi
  sizes="8 520 4104" # less than a tile; uneven; more tiles than multiprocessors
  if [ -n "$emulated" ]; then
    sizes="8 328"
    faults=${AUTOTUNE_EMULATE:-}
    export AUTOTUNE_EMULATE="cc=90${faults:+,$faults}"
  fi
  export AUTOTUNE_MODE=off
  for defaults in $wgmma_defaults; do
    for size in $sizes; do
      log_of=-$size
      try "$(wgmma_name "$defaults")" "$size"
    done
  done
  log_of=
  unset AUTOTUNE_MODE
  [ -z "$emulated" ] || unset AUTOTUNE_EMULATE
  [ -z "${faults:-}" ] || export AUTOTUNE_EMULATE="$faults"
}

suite() {
  export TEST_GPU_WORKER="$home/lib/autotune-gpu-worker"
  faults=${AUTOTUNE_EMULATE:-} # unit tests make their own
  unset AUTOTUNE_EMULATE
  for name in test_gpu_run test_gpu_helper test_nvrtc; do
    unset AUTOTUNE_EMULATOR
    if [ -n "$emulated" ] && [ $name != test_nvrtc ]; then # nothing stands in for NVRTC's own code
      export AUTOTUNE_EMULATOR="$home/lib/libautotune-emulate.so.0"
    fi
    if [ -x "$programs/$name" ]; then
      try $name
    else
      echo "$name: not here (make tests builds it)"
    fi
  done
  unset AUTOTUNE_EMULATOR
  [ -z "$faults" ] || export AUTOTUNE_EMULATE="$faults"
  for name in $hard; do
    try "$name"
  done
  wgmma
  export AUTOTUNE_BUDGET=2s,12
  [ -z "$emulated" ] || AUTOTUNE_BUDGET=8s,2
  for name in $lessons; do
    try "$name" $(size_of "$name")
  done
  python3 "$here/results.py" failures || failed=1
  ipc
}

# ---- compute-sanitizer ----

sanitize() { # TOOL NAME
  limited "$(patience)" "$logs/$1-$2.log" env AUTOTUNE_MODE=locked "$sanitizer" --tool "$1" --error-exitcode 9 \
    "$programs/$2" $(size_of "$2")
  # The program's own status, if the tool has found nothing.
  case $status in 0 | 9 | 124 | 137) ;; *) ! grep -q 'ERROR SUMMARY' "$log" || status=failed ;; esac
  case $status in
    failed) echo "$2: FAILED under $1"
      grep -v '=========' "$log" | tail -n 3
      failed=1 ;;
    0) echo "$2: $1 found nothing" ;;
    9) echo "$2: $1 found errors"
      grep -m 3 '=========' "$log"
      failed=1 ;;
    124 | 137) echo "$2: $1 was not done in time" ;;
    *) echo "$2: $1 could not be run (status $status)"
      tail -n 2 "$log" ;;
  esac
}

sanitizer() {
  sanitizer=$(command -v compute-sanitizer || echo "$CUDA_PATH/bin/compute-sanitizer")
  if ! command -v "$sanitizer" >/dev/null; then
    echo "compute-sanitizer is missing"
    return
  fi
  if out_of_time; then
    echo "compute-sanitizer: no time was left"
    return
  fi
  # Where it does not work at all, the first program shows it.
  first=${lessons# }
  first=${first%% *}
  sanitize memcheck "$first"
  case $status in
    0 | 9 | 124 | 137 | failed) ;;
    *) echo "compute-sanitizer does not work here"
      return ;;
  esac
  for tool in memcheck racecheck synccheck; do
    for name in $lessons; do
      [ -x "$programs/$name" ] && [ "$tool $name" != "memcheck $first" ] || continue
      if out_of_time; then
        echo "$name: no $tool, no time was left"
      else
        sanitize $tool "$name"
      fi
    done
  done
}

case $part in
  suite) suite ;;
  sanitizer) sanitizer ;;
esac
exit $failed
