#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tuners.sh BUILD_DIR [ROUNDS [SEED [SECONDS [TUNERS]]]]: D3 with whole programs: TUNERS of them tune at once, with one
# store, some of them the same keys. All end with right answers, the store is whole, and each key has its winner.
rounds=1
. "$(dirname "$0")/rounds_lib.sh"
tuners=${5:-6}
rounds_program program
export AUTOTUNE_LOG=error AUTOTUNE_BUDGET=6 # variants: they take as long as they take, also on a busy machine
slowest=0
rounds_keep slowest

while another; do
  rm -rf cache
  mkdir -m 700 cache
  pids=() sessions=
  for ((i = 0; i < tuners; i++)); do
    mode=first calls=0
    [ $((RANDOM % 4)) = 0 ] && mode=background calls=3000
    AUTOTUNE_MODE=$mode setsid timeout -k 2 300 ./program $((1000 + i / 2 * 500)) $calls 500 > "out$i" 2> "err$i" &
    pids+=($!)
  done
  sessions=${pids[*]}
  begun=$SECONDS
  for ((i = 0; i < tuners; i++)); do
    wait "${pids[i]}" || fail "tuner $i: status $?: $(cat "out$i" "err$i")"
    grep -q '^right' "out$i" || fail "tuner $i: $(cat "out$i")"
    [ -s "err$i" ] && fail "tuner $i says: $(cat "err$i")"
    gone "${pids[i]}"
  done
  [ $((SECONDS - begun)) -gt $slowest ] && slowest=$((SECONDS - begun))
  autotune db verify > verify 2>&1 || fail "db verify: $(cat verify)"
  ! ls cache | grep -q bad || fail "a file was set aside: $(ls cache)"
  for ((i = 0; i < tuners; i += 2)); do
    AUTOTUNE_MODE=locked ./program $((1000 + i / 2 * 500)) 0 > out 2> err || fail "afterwards: $(cat out err)"
  done
  autotune db list > list 2> /dev/null
  [ "$(grep -c '^scale ' list)" -gt 0 ] || fail "nothing is tuned"
done
echo "$tuners tuners at once, $round of $rounds rounds, the slowest $slowest s, $failed failed"
[ $failed = 0 ]
