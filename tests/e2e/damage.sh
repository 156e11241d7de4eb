#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# damage.sh BUILD_DIR [ROUNDS [SEED [SECONDS]]]: D5 with whole programs: their file of results or a winner's code is
# damaged (bits, bytes, pages, ends) before they begin. They never crash or hang, and every answer is right, although
# the store holds a faster variant that is known to be wrong.
rounds=60
. "$(dirname "$0")/rounds_lib.sh"
mutate=$build/tests/mutate
[ -x "$mutate" ] || { echo "skipped: $mutate is not built"; exit 77; }
rounds_program program
export AUTOTUNE_LOG=error
for n in 1000 4000; do
  AUTOTUNE_BUDGET=4s AUTOTUNE_MODE=first ./program $n 0 > out || fail "tuning: $(cat out)"
done
autotune db list | grep -q '^scale ' || fail "nothing is tuned"
mv cache whole
objects=(whole/*.so whole/*/*.so)
files=(results.db)
for object in "${objects[@]}"; do
  [ -f "$object" ] && files+=("${object#whole/}")
done
[ ${#files[@]} -gt 1 ] || fail "no winner's code is kept: $(ls -R whole)"
tuned=0

while another; do
  rm -rf cache
  cp -r whole cache
  file=${files[RANDOM % 2 ? 0 : RANDOM % ${#files[@]}]}
  "$mutate" "cache/$file" $((seed * 1000003 + round)) || fail "$file cannot be damaged"
  mode=locked
  if [ $((RANDOM % 16)) = 0 ]; then
    mode=first
    tuned=$((tuned + 1))
  fi
  AUTOTUNE_MODE=$mode AUTOTUNE_BUDGET=5 timeout -k 2 30 ./program $((RANDOM % 2 ? 1000 : 4000)) 0 > out 2> err ||
    fail "$mode, $file: status $?: $(cat out err)"
  grep -q '^right' out || fail "$mode, $file: $(cat out err)"
done
echo "$round of $rounds damaged stores ($tuned of them tuned again), $failed failed"
[ $failed = 0 ]
