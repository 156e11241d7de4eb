#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# real.sh BUILD [PROGRAM…]: programs by others (tests/integration/real), each as its build system makes it, with -O3
# -march=native, and through `autotune cc`; medians of runs of the three in turns. Prints the table of docs/real.md.
# BENCH_RUNS: the number of runs; BENCH_BUDGET: of each tuning.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
here=$PWD/tests/integration/real
sources=$build/real
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
runs=${BENCH_RUNS:-7}
PATH=$build/bin:$PATH
. "$here/source.sh"

mkdir -p "$sources"
export LC_ALL=C AUTOTUNE_CACHE=$work/cache
export AUTOTUNE_BUDGET=${BENCH_BUDGET:-10s}
unset AUTOTUNE_MODE AUTOTUNE_SEARCH CFLAGS

median() { sort -g "$1" | awk '{ x[NR] = $1 } END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'; }

printf '| program, work | as it is | -O3 -march=native | tuned | gain | against -O3 -march=native | first run |\n'
printf '| --- | --- | --- | --- | --- | --- | --- |\n'
for name in ${*:-sundials libsamplerate darknet}; do
  . "$here/$name.sh"
  fetch_source "$name" "$version" || { echo "$name: $why" >&2; exit 1; }
  for side in plain native tuned; do
    unpack_source "$name" "$version" "$work/$name.$side"
    case $side in
      plain) build_program "$work/$name.plain" "" gcc ;;
      native) build_program "$work/$name.native" "-O3 -march=native" gcc ;;
      tuned)
        patch -d "$work/$name.tuned" -p1 -i "$here/$name.patch"
        build_program "$work/$name.tuned" "" autotune cc gcc ;;
    esac > "$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; exit 1; }
  done
  begin=$(date +%s)
  run_program "$work/$name.tuned" > /dev/null 2> "$work/log"
  first=$(($(date +%s) - begin))
  for run in $(seq "$runs"); do
    for side in plain native tuned; do
      run_program "$work/$name.$side" >> "$work/$name.$side.times" 2> "$work/log"
    done
  done
  echo "$(median "$work/$name.plain.times") $(median "$work/$name.native.times") $(median "$work/$name.tuned.times")" |
    awk -v what="$name: $workload" -v first="$first" '{
      printf "| %s | %.4g s | %.4g s | %.4g s | %.2f x | %.2f x | %d s |\n", what, $1, $2, $3, $1 / $3, $2 / $3, first }'
done
