#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# damage.sh BUILD_DIR [ROUNDS [SEED [SECONDS]]]: D5 with whole programs: their file of results or a winner's code is
# damaged (bits, bytes, pages, ends) before they begin. They never crash or hang, and every answer is right, although
# the store holds a faster variant that is known to be wrong.
rounds=60
. "$(dirname "$0")/rounds_lib.sh"
mutate=$build/tests/mutate killer=$build/tests/killer
[ -x "$mutate" ] && [ -x "$killer" ] || { echo "skipped: $mutate and $killer are not built"; exit 77; }
rounds_program program
export AUTOTUNE_LOG=error
for n in 1000 4000; do
  AUTOTUNE_BUDGET=4s AUTOTUNE_MODE=first "$killer" 0 60000000 ./program $n 0 3> told > out || fail "tuning: $(cat told out)"
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
rounds_keep tuned

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
  # It is killed after 30 seconds. Nothing may write in this store when the next one is made.
  AUTOTUNE_MODE=$mode AUTOTUNE_BUDGET=5 "$killer" 0 30000000 ./program $((RANDOM % 2 ? 1000 : 4000)) 0 \
    3> told > out 2> err
  [[ $(< told) == 'nobody 0 '*' 0' ]] && [[ $(< out) == right* ]] || fail "$mode, $file: $(cat told out err)"
done
echo "$round of $rounds damaged stores ($tuned of them tuned again), $failed failed"
[ $failed = 0 ]
