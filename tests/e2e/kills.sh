#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kills.sh BUILD_DIR [KILLS [SEED [SECONDS]]]: D1 with whole programs. While they tune in each mode, begin with what is
# stored, and write results, SIGKILL comes at a random moment: to all of their processes, to the program alone, or to
# one of the tuner's. Then nothing is left running, the store is whole, no winner is lost, and answers are right.
rounds=30
. "$(dirname "$0")/rounds_lib.sh"
export AUTOTUNE_BUDGET=500ms AUTOTUNE_LOG=error
rounds_program program
modes=(first background online first locked)
all=0 alone=0 one=0 late=0 winners=0

wait_a_while() { # a random time; a tuning takes some 600 ms
  sleep "$(printf '0.%03d' $((RANDOM % (RANDOM % 2 ? 100 : 600))))"
}

# Kills some of the processes of session $pid, and waits for the program.
kill_some() {
  local others status
  others=($(living "$pid" | grep -vx "$pid"))
  case $((RANDOM % 3)) in
    0) pkill -KILL -s "$pid" && all=$((all + 1)) ;;
    1) kill -KILL "$pid" 2> /dev/null && alone=$((alone + 1)) ;;
    2)
      if [ ${#others[@]} -gt 0 ] && kill -KILL "${others[RANDOM % ${#others[@]}]}" 2> /dev/null; then
        one=$((one + 1))
      fi
      ;;
  esac
  wait "$pid"
  status=$?
  [ $status = 0 ] && { grep -q '^right' "$work/out" || fail "$mode: $(cat "$work/out")"; }
  [ $status = 0 ] || [ $status = 137 ] || fail "$mode, n = $n: status $status: $(cat "$work/out" "$work/err")"
}

# The store is whole, no winner is lost, and no file was set aside.
look() {
  local now
  [ -e cache/results.db ] || return
  autotune db verify > verify 2>&1 || fail "db verify: $(cat verify)"
  now=$(autotune db list 2> /dev/null | grep -c '^scale ')
  [ "$now" -ge "$winners" ] || fail "$now winners, and there were $winners"
  winners=$now
  ! ls cache | grep -q bad || fail "a file was set aside: $(ls cache)"
}

exec 3>&2 2> jobs # bash tells of killed jobs there
while another; do
  if [ $((round % 40)) = 1 ]; then # a store is made, too
    rm -rf cache
    mkdir -m 700 cache
    winners=0
  fi
  mode=${modes[RANDOM % 5]} n=$((100 + RANDOM % 12 * 1500))
  AUTOTUNE_MODE=$mode setsid ./program $n $((RANDOM % 600)) > out 2> err &
  pid=$! sessions=$pid
  wait_a_while
  if kill -0 "$pid" 2> /dev/null; then
    kill_some
  else
    late=$((late + 1))
    wait "$pid" || fail "$mode, n = $n, not killed: status $?: $(cat out err)"
  fi
  gone "$pid"
  [ $((round % 5)) = 0 ] && look
done
exec 2>&3
look
n=100
AUTOTUNE_MODE=first timeout 60 ./program $n 0 > out 2> err || fail "afterwards: $(cat out err)"
[ "$(ls -A "$TMPDIR" | wc -l)" -le 1 ] || fail "left in TMPDIR: $(ls -A "$TMPDIR")"
echo "$((all + alone + one)) programs killed in $round of $rounds rounds ($all with all processes, $alone alone, $one of" \
  "their tuners' processes; $late had ended), $failed failed"
[ $failed = 0 ]
