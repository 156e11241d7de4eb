#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# guess.sh BUILD ROWS [POLYBENCH]: collects what bench/guess.py fits the weights of runtime/tune/guess.c to. Each
# program is tuned with random search, VARIANTS (60) of each kernel, BUDGET (20s) at most, and its store goes to the
# folder ROWS. The programs: the lessons (examples/); the kernels of tests/suggest with the pragmas of tests/suggest/hand
# and with those of `autotune suggest`; and PolyBench/C, unpacked in the folder POLYBENCH, with those of `autotune
# suggest`, DATASET (MEDIUM). Programs that ROWS has are not run again.
#   bench/guess.sh build /tmp/rows ~/polybench-c-4.2.1 && bench/guess.py -o runtime/tune/guess.inc /tmp/rows
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd) autotune=$build/bin/autotune poly=
mkdir -p "$2"
rows=$(cd "$2" && pwd)
[ $# -lt 3 ] || poly=$(cd "$3" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-O3 -march=native -w" data=${DATASET:-MEDIUM}
unset AUTOTUNE_MODE AUTOTUNE_AUTO AUTOTUNE_WISDOM
export AUTOTUNE_SEARCH=random AUTOTUNE_BUDGET="${VARIANTS:-60},${BUDGET:-20s}"

run() { # NAME SOURCE [ARGUMENT…]: builds SOURCE in its folder, with $more, and runs it
  local name=$1 source=$2 folder=${2%/*}
  shift 2
  export AUTOTUNE_CACHE=$folder/cache
  if (cd "$folder" && "$autotune" cc gcc $flags -fopenmp $more "${source##*/}" -o run -lm) 2> "$folder/log" &&
    timeout 300 "$folder/run" "$@" > "$folder/out" 2>> "$folder/log"
  then
    cp "$AUTOTUNE_CACHE/results.db" "$rows/$name.db" && echo "$name" || echo "$name: no kernel" >&2
  else
    echo "$name: $(tail -1 "$folder/log")" >&2
  fi
}
prepared() { # NAME FILE…: a folder with FILEs, unless ROWS has NAME
  [ ! -e "$rows/$1.db" ] || return 1
  mkdir "$work/$1"
  cp "${@:2}" "$work/$1"
}
suggested() { # NAME FILE [FLAG…]: FILE in NAME's folder with the pragmas of `suggest`
  (cd "$work/$1" && "$autotune" suggest "$2" -- "${@:3}" > suggest.patch 2> suggest.log && patch -s -p1 < suggest.patch) ||
    { echo "$1: no patch" >&2; return 1; }
}

more=
for file in examples/[0-9]*.c; do
  name=lesson-$(basename "$file" .c)
  prepared "$name" "$file" && run "$name" "$work/$name/${file##*/}"
done
for file in tests/suggest/*.c; do
  kernel=$(basename "$file" .c)
  size=$(sed -n 's/.*run(call, argc, argv, \([0-9]*\)).*/\1/p' "$file")
  [ -n "$size" ] || continue
  name=hand-$kernel patch=tests/suggest/hand/$kernel.patch
  [ -e "$patch" ] && prepared "$name" "$file" tests/suggest/run.h && patch -s -p1 -d "$work/$name" < "$patch" &&
    run "$name" "$work/$name/$kernel.c" "$size" 2
  name=suggest-$kernel
  prepared "$name" "$file" tests/suggest/run.h && suggested "$name" "$kernel.c" $flags &&
    run "$name" "$work/$name/$kernel.c" "$size" 2
done
[ -n "$poly" ] || exit 0
more="-I. -D${data}_DATASET -DPOLYBENCH_TIME polybench.c"
find "$poly" -name '*.c' ! -path '*/utilities/*' ! -name '*.orig.c' | sort | while read -r file; do
  kernel=$(basename "$file" .c) name=poly-$(basename "$file" .c)
  prepared "$name" "$file" "${file%.c}.h" "$poly/utilities/polybench.c" "$poly/utilities/polybench.h" &&
    suggested "$name" "$kernel.c" -I. "-D${data}_DATASET" -DPOLYBENCH_TIME &&
    run "$name" "$work/$name/$kernel.c" < /dev/null
done || true
