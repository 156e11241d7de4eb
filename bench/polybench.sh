#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# polybench.sh FOLDER BUILD [NAME…]: PolyBench/C in FOLDER (fetched by the user), as it comes: its kernels with the patch of
# `autotune suggest`, against what compilers make of them. Builds each program for the baselines SIDES
# ("gcc clang fast polly parallel"), and with autotune; runs all in turns, TURNS (3) times, and takes the least of the
# seconds that a program prints for its kernel. The tuned program has run once before, with the default budget and an empty
# store: FIRST is the seconds of that kernel then, tuning and all. LONG=60s tunes it once more in another store, with that
# budget. SIZE: MINI, SMALL, MEDIUM, LARGE (the default) or EXTRALARGE. Answers are compared with gcc's at 17 digits.
#
# `first ok`: the first call took at most 2 times gcc's program and 4 s, where that takes a second or more. `of long`: the program after the default budget, divided
# by the one after the long one. Kernels without a pragma have the seconds of the program that `autotune cc` builds.
set -eu
[ $# -ge 2 ] || { sed -n '3,12s/^# \{0,1\}//p' "$0"; exit 2; }
folder=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
autotune=$build/bin/autotune sides=${SIDES:-gcc clang fast polly parallel} turns=${TURNS:-3} size=${SIZE:-LARGE}
export LC_ALL=C AUTOTUNE_REVERIFY=off
unset AUTOTUNE_MODE AUTOTUNE_BUDGET AUTOTUNE_SEARCH AUTOTUNE_LOG AUTOTUNE_AUTO OMP_NUM_THREADS
[ $# -gt 0 ] || set -- $(sed 's,.*/,,; s,\.c$,,' "$folder/utilities/benchmark_list")
polly='clang-22 -O3 -march=native -ffast-math -mllvm -polly -mllvm -polly-vectorizer=stripmine'

compiler() { # SIDE
  case $1 in
  gcc) echo gcc -O3 -march=native ;;
  clang) echo clang-22 -O3 -march=native ;;
  fast) echo clang-22 -O3 -march=native -ffast-math ;;
  polly) echo "$polly" ;;
  parallel) echo "$polly -mllvm -polly-parallel -lgomp" ;;
  esac
}
seconds() { timeout 600 "$@" 2> /dev/null | tail -1; }
least() { printf '%s\n%s\n' "$1" "$2" | sort -g | sed -n '/[0-9]/{p;q}'; }
same() { # ANSWERS ANSWERS: yes if all numbers agree to 1e-6 of the larger one
  paste -d'\n' <(tr ' ' '\n' < "$1") <(tr ' ' '\n' < "$2") |
    awk 'NR % 2 { a = $0; next }
         { d = a - $0; m = a < 0 ? -a : a; n = $0 < 0 ? -$0 : $0; m = m > n ? m : n
           if (d > 1e-6 * m + 1e-9 || -d > 1e-6 * m + 1e-9) bad = 1 }
         END { print bad ? "NO" : "yes" }'
}
one() { # NAME: a line of the table
  local name=$1 where=$work/$1 flags s tuned=- long=- first=- answers=- said
  local source
  source=$(find "$folder" -name "$name.c" | head -1)
  mkdir "$where"
  cp "$(dirname "$source")/$name".[ch] "$folder"/utilities/polybench.[ch] "$where"
  cd "$where"
  sed -i 's/"%0\.[0-9]*l*f "/"%.17g "/' "$name.h"
  flags="-w -I. -D${size}_DATASET -DPOLYBENCH_TIME"
  for s in $sides; do
    $(compiler "$s") $flags "$name.c" polybench.c -lm -o "$s" > /dev/null 2>&1 || true
  done
  gcc -O3 -march=native $flags -DPOLYBENCH_DUMP_ARRAYS "$name.c" polybench.c -lm -o dump
  "$autotune" suggest "$name.c" -- -O3 -march=native $flags > patch 2> notes || true
  if [ -s patch ]; then patch -s -p1 < patch; fi
  "$autotune" cc gcc -O3 -march=native -fopenmp $flags "$name.c" polybench.c -lm -o tuned 2> cc.log
  "$autotune" cc gcc -O3 -march=native -fopenmp $flags -DPOLYBENCH_DUMP_ARRAYS "$name.c" polybench.c -lm -o dump_tuned 2> cc.log
  export AUTOTUNE_CACHE=$where/store
  first=$(seconds ./tuned)
  if [ -n "${LONG:-}" ]; then AUTOTUNE_CACHE=$where/long AUTOTUNE_BUDGET=$LONG seconds ./tuned > /dev/null; fi
  declare -A best=()
  for ((turn = 0; turn < turns; turn++)); do
    for s in $sides; do
      if [ -x "$s" ]; then best[$s]=$(least "${best[$s]-}" "$(seconds "./$s")"); fi
    done
    best[ours]=$(least "${best[ours]-}" "$(seconds ./tuned)")
    if [ -n "${LONG:-}" ]; then
      best[long]=$(least "${best[long]-}" "$(AUTOTUNE_CACHE=$where/long AUTOTUNE_BUDGET=$LONG seconds ./tuned)")
    fi
  done
  if [ "$size" != EXTRALARGE ]; then
    ./dump 2>&1 > /dev/null | grep -v '^[=b]' > dump.out || true
    ./dump_tuned 2> tuned.out > /dev/null || true
    answers=$(same dump.out <(grep -v -e '^[=b]' -e '^autotune' tuned.out))
  fi
  said=$("$autotune" report --no-pager 2> /dev/null | grep -c 'speed-up' || true)
  printf '%s' "$name"
  for s in $sides; do printf ' %s' "${best[$s]:--}"; done
  printf ' %s %s %s %s %s\n' "${best[ours]:--}" "$first" "${best[long]:--}" "$said" "$answers"
  cd "$work"
  rm -rf "$where"
}

printf '%-15s' program
for s in $sides; do printf ' %9s' "$s"; done
printf ' %9s %9s %9s %6s %8s %8s %7s %7s\n' ours first long tuned 'best/us' 'first ok' 'of long' answers
for name; do one "$name"; done | awk -v names="$sides" '
  BEGIN { sides = split(names, side, " ") }
  function text(x) { return x == "-" ? x : sprintf("%.4f", x) }
  { best = polly = 1e9
    printf "%-15s", $1
    for (i = 2; i <= sides + 1; i++) { if ($i != "-" && $i < best) best = $i
      if ($i != "-" && $i < polly && side[i - 1] ~ /^(polly|parallel)$/) polly = $i; printf " %9s", text($i) }
    ours = $(sides + 2); first = $(sides + 3); long = $(sides + 4); tuned = $(sides + 5); answers = $(sides + 6)
    slow = $2 >= 1; ok = first <= 2 * $2 + 4; slows += slow; of = long == "-" ? "-" : sprintf("%.2f", ours / long)
    printf " %9s %9s %9s %6s %8.2f %8s %7s %7s\n", text(ours), text(first), text(long), tuned, best / ours, !slow ? "-" : ok ? "yes" : "no", of, answers
    fflush()
    n++; product += log(best / ours); ahead += best / ours >= 1; if (polly < 1e9) { pollys++; against += log(polly / ours) }; within += slow && ok; wrong += answers == "NO"
    if (of != "-") { m++; near += of <= 1.10 } }
  END { printf "%d programs: best baseline / ours, geometric mean %.2f; ahead of all on %d; first call within 2 x + 4 s on %d of %d slow ones; ", n, exp(product / n), ahead, within, slows
        if (pollys) printf "the better of Polly with and without threads / ours, geometric mean %.2f of %d; ", exp(against / pollys), pollys
        if (m) printf "within 10 %% of the long tuning on %d of %d; ", near, m
        printf "%d wrong\n", wrong }'
