#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD_DIR [-c] [-j JOBS] [-o FILE] [CASE…]: which of the wrong variants in this folder are found, and how.
#
# Each case is a program whose kernel has a slow way, a right one (1), and the fastest (2), which is wrong. It is tuned
# and run in each mode, and compares all its answers with those of the plain code:
#   first       the call that tunes waits for it
#   background  calls go on meanwhile
#   online      calls try variants
#   again       a second process, after `first`, with what is stored
#   locked      the same, locked
#   wisdom      another user's winner, WAY=2, which was tuned under verify(off); locked
# Verdicts: `found`: no answer was wrong, and way 2 is not the winner. `provisional`: answers were wrong until a warning
# said that the winner is revoked, or suspended until it is known, and right from then on. `MISSED`: everything else. The last column says if a variant
# that is right was called wrong: with ways 0 and 1 alone, way 1 must win and no message may speak against it. After the
# table, the totals stand by the class of defence that each case names ("Found by").
#
# -c compares with two lists, and fails on a difference: found.txt (found or provisional in all modes, without a false
# alarm) and missed.txt (all others, and why).
# WRONG_PATIENCE=SECONDS: how long a program calls on after a wrong answer, for a revocation to come (10).
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) || exit 2
shift
check=0 jobs=$(nproc) output=
while getopts cj:o: option; do
  case $option in
    c) check=1 ;;
    j) jobs=$OPTARG ;;
    o) output=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
PATH=$build/bin:$PATH
work=$(mktemp -d)
[ -n "${WRONG_KEEP:-}" ] && echo "kept: $work" || trap 'rm -rf "$work"' EXIT
for name in $(env | sed -n 's/^\(AUTOTUNE_[A-Z]*\)=.*/\1/p'); do unset "$name"; done
export TMPDIR=$work/tmp LC_ALL=C OMP_WAIT_POLICY=passive AUTOTUNE_LOG=debug AUTOTUNE_BUDGET=5s
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
mkdir "$TMPDIR"
modes="first background online again locked wisdom"

# OUTPUT SED-SCRIPT CASE: compiles the case, with its pragma as SED-SCRIPT changes it.
compile() {
  mkdir "$1.d"
  for file in "$here/$3.c" "$here/map.h" "$here/wrong.h"; do
    sed "$2" "$file" > "$1.d/${file##*/}"
  done
  autotune cc gcc -O1 $(sed -n 's,^// Flags: ,,p' "$here/$3.c") -I "$build/include" "$1.d/$3.c" -o "$1" -lm \
    > "$1.log" 2>&1
}

# MODE PROGRAM CACHE [NAME=VALUE]: runs it; `answers`, `later` and `winner` are what it printed.
run() {
  local status
  mkdir -p "$3"
  (cd "$3" && env ${4:+"$4"} AUTOTUNE_MODE="$1" AUTOTUNE_CACHE="$PWD" timeout -k 2 30 "../$2" > out 2> log)
  status=$?
  answers=$(sed -n 's/^answers: //p' "$3/out")
  later=$(sed -n 's/^later: //p' "$3/out")
  winner=$(sed -n 's/^winner: //p' "$3/out")
  [ "$status" = 0 ] || answers="ended with status $status"
}

# WANTED MODE PROGRAM CACHE: the same in a new cache, again where noise has hidden the winners that are WANTED.
tune() {
  local wanted=$1
  shift
  for try in 1 2 3; do
    rm -rf "$3"
    run "$@"
    [[ $winner = [$wanted] ]] && return
  done
}

verdict() { # CACHE
  if [ "$answers" = right ] && [ "$winner" != 2 ]; then
    echo found
  elif [ "$later" = right ] && [ "$winner" != 2 ] && grep -q 'kernel: .*revoked' "$1/log"; then
    echo provisional
  elif [ "$later" = right ] && grep -q 'kernel: .*the default runs until' "$1/log"; then
    echo provisional # the program ends sooner than the second look, which goes on
  else
    echo "MISSED"
    echo "$1: way $winner wins; ${answers}" >> notes
  fi
}

# CACHE: true if a message says that the right variant is wrong, or it did not win.
alarmed() {
  [ "$answers" = right ] && [ "$winner" = 1 ] && ! grep -qE 'kernel: (wrong|crash|exit|load)|revoked|the default runs until' "$1/log" && return 1
  echo "$1: a false alarm? way $winner wins; answers: $answers; $(grep -E 'kernel: (wrong|crash|exit|load)|revoked|the default runs until' "$1/log")" >> notes
}

# CASE: writes its row: the verdict of each mode, and if the alarm was false.
row() {
  local alarm=- verdicts=
  mkdir "$work/$1" && cd "$work/$1" || exit 1
  if ! compile all '' "$1" || ! compile right 's/WAY: 0, 1, 2/WAY: 0, 1/' "$1" ||
     ! compile unchecked 's/ verify([a-z]*)//; s/param(WAY: 0, 1, 2)/& verify(off)/' "$1"; then
    cat ./*.log
    echo "$1 does not compile" > row
    return
  fi
  for mode in first background online; do
    tune 12 $mode all $mode
    verdicts="$verdicts $(verdict $mode)"
    grep -qE 'kernel: (wrong|crash|exit|load).*WAY=1' $mode/log && alarm=ALARM
  done
  cp -r first again
  cp -r first locked
  run first all again
  verdicts="$verdicts $(verdict again)"
  run locked all locked
  verdicts="$verdicts $(verdict locked)"
  tune 2 first unchecked giver WRONG_PATIENCE=0 # it stays wrong
  [ "$winner" = 2 ] || echo "wisdom: way $winner won without a check" >> notes
  AUTOTUNE_CACHE=$PWD/giver autotune db export -o wisdom.jsonl > /dev/null 2>> notes
  run locked all wisdom AUTOTUNE_WISDOM="$PWD/wisdom.jsonl"
  verdicts="$verdicts $(verdict wisdom)"
  tune 1 first right honest
  alarmed honest && alarm=ALARM
  cp -r honest honest-locked
  run locked right honest-locked
  alarmed honest-locked && alarm=ALARM
  echo "$1 $verdicts $alarm" > row
}

cases=${*:-$(cd "$here" && ls ./*.c | sed 's,^\./,,; s,\.c$,,')}
for case in $cases; do
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
    wait -n
  done
  row "$case" &
done
wait

# The table, what was noted, and the totals.
total=0 found=0 alarms=0 failed=0
fail() { echo "FAILED: $*" >> "$work/failures"; failed=1; }
{
  printf '%-20s %-11s %-11s %-11s %-11s %-11s %-11s %s\n' case $modes 'right way'
  for case in $cases; do
    read -r name verdicts < "$work/$case/row"
    printf '%-20s %-11s %-11s %-11s %-11s %-11s %-11s %s\n' "$name" $verdicts
    [ -s "$work/$case/notes" ] && sed 's/^/    /' "$work/$case/notes"
  done
} > "$work/table"
for case in $cases; do
  read -r name verdicts < "$work/$case/row"
  list=found
  total=$((total + 1))
  case $verdicts in
    *compile*) fail "$name: $verdicts" ;;
    *MISSED*) list=missed ;;
    *) found=$((found + 1)) ;;
  esac
  case $verdicts in *ALARM*) list=missed alarms=$((alarms + 1)) ;; esac
  [ $check = 0 ] || grep -qE "^$name(: |\$)" "$here/$list.txt" || fail "$name does not stand in $list.txt: $verdicts"
done
if [ $check = 1 ]; then
  listed=$(cat "$here/found.txt" "$here/missed.txt" | sed -n 's/^\([a-z0-9_]\{1,\}\).*/\1/p' | sort)
  [ "$listed" = "$(cd "$here" && ls ./*.c | sed 's,^\./,,; s,\.c$,,' | sort)" ] || fail "the lists do not have each case once"
fi
{
  for case in $cases; do
    echo "$(sed -n 's,^// Found by: ,,p' "$here/$case.c")|$(cat "$work/$case/row")"
  done | awk -F'|' '{ all[$1]++; found[$1] += !/MISSED|compile/ } END { for (c in all) print c ": " found[c] + 0 " of " all[c] }' | sort
  echo "detected $found of $total, false alarms $alarms of $total"
} >> "$work/table"
cat "$work/table"
[ $failed = 0 ] || cat "$work/failures"
[ -z "$output" ] || cp "$work/table" "$output"
exit $failed
