#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench.sh [--emulated] [--only PART,…] [--seconds S] [--out FOLDER] [--from FILE] [FOLDER]: are the CUDA kernels
# right on this machine's device, and how fast are they? PARTs, in this order: suite (check.sh), sanitizer
# (compute-sanitizer), triad, launch, hgemm, attention, rest (measure.py: beside a device-to-device copy, cuBLAS and
# PyTorch). All of them take S (480) seconds at most. Each has a share of the time that is left, and is ended when that
# is over, so that one that hangs leaves the others theirs.
#
# FOLDER is a pack (pack.sh) or a build folder; without one: this folder, if it is a pack, else build/. A pack holds
# built programs and needs a driver, NVRTC and Python; from a build folder they are built first, with nvcc. What else is
# missing is skipped and said. Exit status 77: nothing can be measured here, the reason is on the last line.
#
# --out: FOLDER/autotune-gpu.tar.gz gets what was printed, the results, the logs and the store, anew after each
# part. --from: goes on with the results and the store of such a file, as far as it has them. The results also join
# those in bench/results/DEVICE.json (BENCH_RESULTS: another folder).
#
# --emulated goes the same way on the CPU with small sizes. Its times are no GPU's and stay in the work folder.
set -eu
begin=$(date +%s)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# Parts and their shares of the time.
table='suite:30 sanitizer:15 triad:8 launch:3 hgemm:20 attention:45 rest:30'
emulated= seconds=480 out= from= only=
usage() {
  echo "usage: bench.sh [--emulated] [--only PART,...] [--seconds S] [--out FOLDER] [--from FILE] [FOLDER]" >&2
  echo "parts: $(echo "$table" | sed 's/:[0-9]*//g')" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case $1 in
    --emulated) emulated=1 ;;
    --only | --seconds | --out | --from) [ $# -ge 2 ] || usage ;;
    -*) usage ;;
    *) break ;;
  esac
  case $1 in
    --only) shift; only=$1 ;;
    --seconds) shift; seconds=$1 ;;
    --out) shift; out=$1 ;;
    --from) shift; from=$1 ;;
  esac
  shift
done
share_of() { for entry in $table; do [ "${entry%:*}" != "$1" ] || echo "${entry#*:}"; done; }
for part in $(echo "$only" | tr , ' '); do
  [ -n "$(share_of "$part")" ] || { echo "bench.sh: there is no part $part" >&2; usage; }
done
parts=
for entry in $table; do
  case ",$only," in ,, | *",${entry%:*},"*) parts="$parts ${entry%:*}" ;; esac
done

folder=$root
[ -f "$root/packed" ] || folder=$root/build
[ $# -eq 0 ] || folder=$(cd "$1" && pwd)
work=${BENCH_WORK:-$folder/gpu-bench}
mkdir -p "$work/results" "$work/logs"
work=$(cd "$work" && pwd)
[ -z "$out" ] || { mkdir -p "$out"; out=$(cd "$out" && pwd); }
export AUTOTUNE_CACHE="$work/cache" PYTHONDONTWRITEBYTECODE=1 AUTOTUNE_BUILD_CHECK=off
unset AUTOTUNE_MODE AUTOTUNE_BUDGET AUTOTUNE_SEARCH AUTOTUNE_LOG
passed() { echo $(($(date +%s) - begin)); }
left() { echo $((seconds - $(passed))); }
say() { printf '%3d s  %s\n' "$(passed)" "$*" | tee -a "$work/printed"; }
nothing() { echo "bench.sh: $*" >&2; exit 77; }
: >>"$work/printed"

# Unpacks what FROM has of the results and the store.
if [ -n "$from" ]; then
  tar -tzf "$from" >"$work/from" || { echo "bench.sh: $from is no file of an earlier call" >&2; exit 2; }
  for what in results cache; do
    if grep -q "^$what/" "$work/from"; then
      tar -C "$work" -xzf "$from" $what
    else
      say "$from has no $what"
    fi
  done
  rm "$work/from"
fi

# Packs what is known so far into one file. Compiled code is left out where it would be too large to be carried.
keep() {
  [ -n "$out" ] || return 0
  to=$out/autotune-gpu.tar.gz
  for what in "printed results logs cache" "printed results logs"; do
    (cd "$work" && tar -czf "$work/new.tar.gz" $(ls -d $what 2>/dev/null))
    bytes=$(wc -c <"$work/new.tar.gz")
    [ "$bytes" -gt "${BENCH_OUT_BYTES:-15000000}" ] || break
    say "the store makes $to too large ($bytes bytes) and is left out"
  done
  mv "$work/new.tar.gz" "$to"
}

# ---- what is installed ----

python=$(command -v python3) || nothing "python3 is missing"
NVCC=${NVCC:-$(command -v nvcc || echo "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc")}
if [ -z "${CUDA_PATH:-}" ]; then
  CUDA_PATH=/usr/local/cuda
  ! command -v "$NVCC" >/dev/null || CUDA_PATH=$(dirname "$(dirname "$(readlink -f "$(command -v "$NVCC")")")")
fi
export NVCC CUDA_PATH
if [ -z "$emulated" ]; then
  cc=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d '. ')
  [ -n "$cc" ] || nothing "there is no device, or nvidia-smi cannot ask it"
fi
# NVRTC and cuBLAS: the toolkit's, else those of Python's packages.
BENCH_CUBLAS=$("$python" "$here/machine.py" 'libcublas.so.*')
export BENCH_CUBLAS
nvrtc=$("$python" "$here/machine.py" 'libnvrtc.so.1?')
[ -n "$emulated" ] || [ -z "$nvrtc" ] || export AUTOTUNE_NVRTC="${AUTOTUNE_NVRTC:-$nvrtc}"
"$folder/bin/autotune" version >/dev/null 2>&1 ||
  nothing "$folder/bin/autotune does not run here: $("$folder/bin/autotune" version 2>&1 | head -n 1)"
export BENCH_AUTOTUNE="$folder/bin/autotune"
if [ -f "$folder/version" ]; then # of a pack: the sources, the compiler
  BENCH_VERSION=$(head -n 1 "$folder/version") BENCH_NVCC=$(sed -n 2p "$folder/version")
else
  BENCH_VERSION=$(git -C "$root" describe --always --dirty 2>/dev/null || "$BENCH_AUTOTUNE" version | head -n 1) BENCH_NVCC=
fi
export BENCH_VERSION BENCH_NVCC

programs=$folder/programs
if [ ! -f "$folder/packed" ]; then
  command -v "$NVCC" >/dev/null || nothing "nvcc is missing (CUDA_PATH says where the toolkit is)"
  programs=$work/programs
  say "building the programs"
  case ${cc:-} in 9? | 1??) suffix=a ;; *) suffix= ;; esac
  BENCH_UNTIL=$((begin + seconds / 2)) BENCH_FLAGS="${emulated:+-O1}${cc:+-O3 -arch=sm_$cc$suffix}" \
    "$here/programs.sh" ${emulated:+--emulated} "$folder" "$programs" ||
    nothing "none of the programs could be built"
fi

# ---- check, tune, measure ----

# A part ends by itself; timeout ends one that does not.
run_part() { # PART SECONDS: in place of this shell
  case $1 in
    suite | sanitizer)
      exec timeout -k 3 "$2" "$here/check.sh" "$1" "$folder" "$programs" "$work" $(($2 - 3)) ;;
    *)
      exec timeout -k 3 "$2" "$python" "$here/measure.py" "$programs" "$work" --part "$1" --seconds $(($2 - 3)) \
        ${emulated:+--emulated} ;;
  esac
}
shares=0
for part in $parts; do
  shares=$((shares + $(share_of "$part")))
done
"$python" "$here/machine.py" about ${emulated:+--emulated} | tee -a "$work/printed"
failed=
for part in $parts; do
  limit=$(($(left) * $(share_of "$part") / shares))
  shares=$((shares - $(share_of "$part")))
  if [ "$limit" -lt 5 ]; then
    say "$part: no time was left"
    failed=1
    continue
  fi
  say "$part: at most $limit s"
  status=0
  # Not to a pipe: processes that a part leaves running would keep it open.
  BENCH_EMULATED=$emulated BENCH_CC=${cc:-} run_part "$part" "$limit" >"$work/logs/$part.txt" 2>&1 &
  wait $! || status=$?
  kill -s KILL -- "-$!" 2>/dev/null || : # what is left of timeout's group of processes
  tee -a "$work/printed" <"$work/logs/$part.txt"
  case $status in
    0) ;;
    124 | 137) say "$part: ended after $limit s, not done"; failed=1 ;;
    *) say "$part: failed (status $status)"; failed=1 ;;
  esac
  keep
done
if [ -z "$emulated" ]; then
  results=${BENCH_RESULTS:-$root/bench/results}
  mkdir -p "$results"
  for file in "$work"/results/*.json; do
    [ ! -f "$file" ] || "$python" "$here/results.py" join "$file" "$results"
  done
fi
say "done${failed:+, with failures}"
keep
exit ${failed:-0}
