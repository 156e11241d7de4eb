#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kills.sh BUILD_DIR [KILLS [SEED [SECONDS]]]: D1 with whole programs. While they tune in each mode, begin with what is
# stored, and write results, SIGKILL comes at a random moment: to all of their processes, to the program alone, or to
# one of the tuner's. Then nothing is left running, the store is whole, no winner is lost, and answers are right.
rounds=20
. "$(dirname "$0")/rounds_lib.sh"
killer=$build/tests/killer
[ -x "$killer" ] || { echo "skipped: $killer is not built"; exit 77; }
export AUTOTUNE_LOG=error
rounds_program program
modes=(first background online first locked)
declare -A lasted=([first]=300000 [background]=300000 [online]=300000 [locked]=20000) # microseconds
all=0 program=0 one=0 nobody=0 winners=0 stored=0 status=0 took=0 left=0
rounds_keep all program one nobody stored

# Stores in `moment` when SIGKILL comes: anywhere in a run, at its very beginning or about its end. Each eighth run is
# left alone, with a key of its own: it shows how long runs take here and now.
choose_moment() {
  case $((round % 8 ? RANDOM % 4 : 4)) in
    0) moment=$((RANDOM % 8000)) ;;
    1) moment=$((lasted[$mode] * (85 + RANDOM % 25) / 100)) ;;
    4) moment=100000000 n=$((10000 + round % 5000)) ;;
    *) moment=$((lasted[$mode] * (RANDOM % 1200) / 1000)) ;;
  esac
}

# The store is whole, no winner is lost, and no file was set aside.
look() {
  local now
  [ -e cache/results.db ] || return
  autotune db verify > verify 2>&1 || fail "db verify: $(cat verify)"
  now=$(autotune db list 2> /dev/null | grep -c '^scale ')
  [ "$now" -ge "$winners" ] || fail "$now winners, and there were $winners"
  winners=$now
  compgen -G 'cache/*bad*' > /dev/null && fail "a file was set aside: $(ls cache)"
}

while another $((all + program + one)); do
  if [ $((round % 40)) = 1 ] || [ ! -e cache ]; then # a store is made, too
    look
    stored=$((stored + winners))
    rm -rf cache
    mkdir -m 700 cache
    winners=0
  fi
  mode=${modes[RANDOM % 5]} n=$((100 + RANDOM % 20 * 500)) calls=$((RANDOM % 20))
  # Long enough for a tuning beside the calls, mostly.
  [ $mode = background ] || [ $mode = online ] && calls=$((lasted[first] * (RANDOM % 2000) / 1000000))
  choose_moment
  AUTOTUNE_MODE=$mode AUTOTUNE_BUDGET=$((2 + RANDOM % 5)) \
    "$killer" $RANDOM $moment ./program $n $calls 200 3> told > out 2> err
  told="$mode, n = $n, $moment us: $(< told)"
  read -r whom status took left < told || fail "$told: $(cat out err)"
  [ "$left" = 0 ] || fail "$told: processes are left"
  case $whom in
    all | program) [ "$status" = 137 ] || [ "$status" = 0 ] || fail "$told: $(cat out err)" ;;
    one) [ "$status" = 0 ] || fail "$told: $(cat out err)" ;;
    nobody)
      [ "$status" = 0 ] || fail "$told: $(cat out err)"
      # The longest of the last ones: a program with a stored winner is done at once.
      lasted[$mode]=$((took > lasted[$mode] * 9 / 10 ? took : lasted[$mode] * 9 / 10))
      ;;
  esac
  [ "$status" != 0 ] || [[ $(< out) == right* ]] || fail "$told: $(cat out)"
  printf -v "$whom" %d $((${!whom} + 1))
  [ $((round % 5)) = 0 ] && look
done
look
stored=$((stored + winners))
AUTOTUNE_MODE=first timeout 60 ./program 100 0 > out 2> err || fail "afterwards: $(cat out err)"
[ "$(ls -A "$TMPDIR" | wc -l)" -le 1 ] || fail "left in TMPDIR: $(ls -A "$TMPDIR")"
rounds_save
echo "$((all + program + one)) of $rounds programs killed in $round rounds ($all with all processes, $program alone," \
  "$one of their tuners' processes; $nobody had ended; $stored winners were stored), $failed failed"
[ $failed = 0 ]
