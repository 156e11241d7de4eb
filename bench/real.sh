#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# real.sh BUILD [PROGRAM[=FOLDER]…]: measures programs by others (tests/integration/real), and prints a table. FOLDER holds
# the program's sources, for a program that is no package of Debian.
#
# Each program is built in four ways: as its build system makes it; with -O3 -march=native; through `autotune cc` with the
# pragmas of its patch; untouched through `autotune cc --auto`. The last two have the flags of the better of the first two;
# the row says so where that is -O3 -march=native. A first run of the last two tunes. --auto runs until
# eight runs in a row have changed no result, 24 times at most; the end of each tuning is awaited. Then all sides run in turns, in a new
# random order in each: a side that always ran after the same other one was up to 4 % slower. The table has the medians. The
# gain is against the better of the first two: the median of the ratios of runs in the same turn, with its 95 % interval. In
# each turn --auto also runs with an empty store: the last column is that time by the better one's. Each program checks its own answers.
#
# BENCH_RUNS: the number of turns. BENCH_BUDGET: of each tuning. BENCH_SIDES: which of plain, native, tuned and auto.
# BENCH_AUTO: AUTOTUNE_AUTO of the last side, 1, fast-math or exact. BENCH_REPORT=1: the reports of the last two sides go to stderr.
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

gain() { # TIMES TIMES: the median of the ratios of runs in the same turn, and its 95 % interval by ranks
  [ -s "$1" ] && [ -s "$2" ] || { echo 0 0 0; return; }
  paste "$1" "$2" | awk '{ print $1 / $2 }' | sort -g | awk '{ x[NR] = $1 }
    END { low = int(NR / 2 - 0.98 * sqrt(NR)); low = low < 1 ? 1 : low
          print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2, x[low], x[NR + 1 - low] }'
}

sides=${BENCH_SIDES:-plain native tuned auto}
printf '| program, work | as it is | -O3 -march=native | tuned | gain | first run | --auto | gain | first run, by untuned |\n'
printf '| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n'
get_source() { # FOLDER: the untouched sources of the program
  if [ -n "$given" ]; then
    mkdir -p "$1" && cp -a "$given/." "$1"
  else
    unpack_source "$name" "$version" "$1"
  fi
}

native_wins() { # by the least of four runs of each; if plain is not built, it does
  local side
  [ -d "$work/$name.native" ] || return 1
  [ -d "$work/$name.plain" ] || return 0
  for side in plain native plain native plain native plain native; do
    run_program "$work/$name.$side" 2> /dev/null >> "$work/$name.$side.trial"
  done
  awk '{ if (!(FILENAME in least) || $1 < least[FILENAME]) least[FILENAME] = $1 }
    END { exit !(least[ARGV[2]] < least[ARGV[1]]) }' "$work/$name.plain.trial" "$work/$name.native.trial"
}

build_side() { # SIDE
  local folder=$work/$name.$1
  get_source "$folder"
  case $1 in
    plain) build_program "$folder" "" gcc ;;
    native) build_program "$folder" "-O3 -march=native" gcc ;;
    tuned)
      patch -d "$folder" -p1 -i "$here/$name.patch" && build_program "$folder" "$tuned_flags" autotune cc gcc
      ;;
    auto) AUTOTUNE_AUTO=${BENCH_AUTO:-1} build_program "$folder" "$tuned_flags" autotune cc gcc ;;
  esac
}

await_tuning() { # SIDE: until no tuning goes on, 60 s at most; 4 s where none begins
  local AUTOTUNE_CACHE=$work/cache.$1 # exported
  timeout 4 autotune report --follow > "$work/follow" 2>&1 || true
  grep -q 'no tuning goes on' "$work/follow" || timeout 60 autotune report --follow > "$work/follow" 2>&1 || true
}

failed() { echo "$name: $1" >&2; tail -n 30 "$work/log" >&2; exit 1; }

for asked in ${*:-sundials libsamplerate darknet}; do
  name=${asked%%=*} given= tuned_flags= compared= check_threads=
  [ "$name" = "$asked" ] || given=$(cd "${asked#*=}" && pwd)
  . "$here/$name.sh"
  [ -n "$given" ] || fetch_source "$name" "$version" || { echo "$name: $why" >&2; exit 1; }
  for side in $sides; do
    case $side$compared in
      tuned | auto)
        ! native_wins || tuned_flags="-O3 -march=native"
        compared=yes
        ;;
    esac
    build_side "$side" > "$work/log" 2>&1 || failed "does not build: $side"
  done
  for side in $sides; do
    case $side in plain | native) continue ;; esac
    AUTOTUNE_CACHE=$work/cache.$side run_program "$work/$name.$side" > "$work/$name.$side.first" 2> "$work/log"
    # A tuning of --auto goes on for some seconds when the program has ended.
    await_tuning "$side"
    # Kernels that are called once are tuned in the second run, and what tunings may cost is rationed over runs. So it runs
    # until eight runs in a row have changed no result, 24 times at most: comparisons wait for their share, too.
    still=0 results=
    for again in $(seq 24); do
      [ "$side" = auto ] && [ $still -lt 8 ] || break
      AUTOTUNE_CACHE=$work/cache.$side run_program "$work/$name.$side" > /dev/null 2> "$work/log"
      await_tuning "$side"
      before=$results results=$(AUTOTUNE_CACHE=$work/cache.$side autotune report --json 2> /dev/null | grep -c '"finished": true' || true)
      [ "$results" = "$before" ] && still=$((still + 1)) || still=0
    done
    AUTOTUNE_CACHE=$work/cache.$side AUTOTUNE_MODE=offline check_program "$work/$name.$side" > "$work/log" 2>&1 ||
      failed "wrong answers: $side"
  done
  case $sides in *auto*) fresh=fresh ;; *) fresh= ;; esac
  for run in $(seq "$runs"); do
    for side in $(shuf -e $sides $fresh); do
      if [ $side = fresh ]; then # its tuning must not disturb the others
        rm -rf "$work/cache.fresh"
        AUTOTUNE_AFTER=1s AUTOTUNE_CACHE=$work/cache.fresh run_program "$work/$name.auto"
        sleep 2
      else
        AUTOTUNE_CACHE=$work/cache.$side run_program "$work/$name.$side"
      fi >> "$work/$name.$side.times" 2> "$work/log"
    done
  done
  for side in plain native tuned auto; do
    if [ -s "$work/$name.$side.times" ]; then median "$work/$name.$side.times"; else echo 0; fi
  done | tr '\n' ' ' > "$work/$name.medians"
  for side in ${BENCH_REPORT:+tuned auto}; do
    [ ! -d "$work/cache.$side" ] || AUTOTUNE_CACHE=$work/cache.$side autotune report >&2 || true
  done
  base=$(awk '{ print ($2 > 0 && ($1 == 0 || $2 < $1) ? "native" : "plain") }' "$work/$name.medians")
  {
    gain "$work/$name.$base.times" "$work/$name.tuned.times"
    cat "$work/$name.tuned.first" 2> /dev/null || echo 0
    gain "$work/$name.$base.times" "$work/$name.auto.times"
    gain "$work/$name.fresh.times" "$work/$name.$base.times"
  } | tr '\n' ' ' | cat "$work/$name.medians" - | awk -v what="$name: $workload${tuned_flags:+; with $tuned_flags}" '
    function seconds(t) { return t > 0 ? sprintf("%.4g s", t) : "" }
    function gain(at) { return $at > 0 ? sprintf("%.3f x (%.2f … %.2f)", $at, $(at + 1), $(at + 2)) : "" }
    { printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", what, seconds($1), seconds($2),
        seconds($3), gain(5), seconds($8), seconds($4), gain(9), gain(12) }'
done
