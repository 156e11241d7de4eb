#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# suggest.sh BUILD [KERNEL…]: the kernels of tests/suggest: plain, with the patch of `autotune suggest`, and with the
# pragmas of tests/suggest/hand; each tuned for BUDGET (10s). The plain side is the better of gcc and clang. Prints a
# table of seconds, and how many were proposed, verified and gained.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
[ $# -eq 0 ] || shift
work=$build/bench/suggest-work
autotune=$build/bin/autotune
flags='-O3 -march=native -w'
rm -rf "$work"
mkdir -p "$work"
export AUTOTUNE_CACHE="$work/cache" AUTOTUNE_BUDGET="${BUDGET:-10s}"
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_LOG
[ $# -gt 0 ] || set -- $(cd tests/suggest && ls ./*.c | sed 's,^\./,,; s,\.c$,,')

size() { sed -n 's/.*run(call, argc, argv, \([0-9]*\)).*/\1/p' "tests/suggest/$1.c"; }
tuned() { # NAME SIDE PATCH: seconds of the program with PATCH
  folder=$work/$1.$2
  mkdir "$folder"
  cp "tests/suggest/$1.c" tests/suggest/run.h "$folder"
  [ -s "$3" ] && patch -s -p1 -d "$folder" < "$3" || { echo -; return; }
  "$autotune" cc gcc $flags "$folder/$1.c" -o "$folder/run" -lm || { echo -; return; }
  AUTOTUNE_CACHE="$work/cache.$2" "$folder/run" "$(size "$1")" 6 2> "$folder/log" | cut -d' ' -f2
}
verified() {
  AUTOTUNE_CACHE="$work/cache.suggested" "$autotune" report --kernel "$1" 2> /dev/null |
    grep -q 'answers *verified' && echo yes || echo no
}

printf '%-16s %10s %10s %10s %8s %8s %s\n' kernel plain suggested by-hand gain of-hand verified
for name; do
  for cc in gcc clang-22; do
    $cc $flags "tests/suggest/$name.c" -o "$work/$name.$cc" -lm
  done
  plain=$(for cc in gcc clang-22; do "$work/$name.$cc" "$(size "$name")" 5 | cut -d' ' -f2; done |
    sort -g | head -1)
  (cd tests/suggest && "$autotune" suggest "$name.c" -- -O3 -march=native) \
    > "$work/$name.patch" 2> "$work/$name.notes" || true
  suggested=$(tuned "$name" suggested "$work/$name.patch")
  hand=$(tuned "$name" hand "tests/suggest/hand/$name.patch")
  printf '%s %s %s %s %s\n' "$name" "$plain" "$suggested" "$hand" "$(verified "$name")"
done | awk '
  { gain = $3 == "-" ? "-" : sprintf("%.2f", $2 / $3)
    of = $3 == "-" || $4 == "-" ? "-" : sprintf("%.2f", $4 / $3)
    printf "%-16s %10.6f %10s %10s %8s %8s %s\n", $1, $2, $3, $4, gain, of, $5; fflush()
    n++; patches += $3 != "-"; verified += $5 == "yes"; gains += $3 != "-" && gain >= 1.05
    if (gain != "-") { product += log(gain); m++ }
    if (of != "-") { hands += log(of); h++ } }
  END { printf "%d kernels: %d with a patch that builds, %d verified, %d gain 5 %% or more\n", n,
               patches, verified, gains
        if (m) printf "geometric means of those with a patch: gain %.2f", exp(product / m)
        if (h) printf ", of what the pragmas by hand reach %.2f", exp(hands / h)
        print "" }'
