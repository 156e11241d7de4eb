# SPDX-License-Identifier: Apache-2.0
# `autotune cc --auto`: a short program that is run again and again, without a pause. Tunings that end with it before they
# have tried a variant begin less and less often. What the runs save meanwhile pays for one that tries some.
. "$(dirname "$0")/auto_lib.sh"
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_LOG=debug OMP_NUM_THREADS=1

smooth_program brief.c
check "builds" autotune cc --auto gcc -O2 brief.c -o brief
begun() { grep -c 'a tuning begins' "$1"; }
tried() { autotune report --json | grep -c '"tried": [1-9]'; }

# Too short for a trial, and too few to save enough.
for run in $(seq 20); do
  ./brief 0.4 2>> short.log || fail "run $run"
done
if [ "$(tried)" -gt 0 ]; then
  echo "the machine let a tuning go on between two runs: how many began is not checked"
else
  check "tunings begin ($(begun short.log) of 20)" [ "$(begun short.log)" -ge 1 ]
  check "few tunings begin ($(begun short.log) of 20)" [ "$(begun short.log)" -le 8 ]
  has "it says so" short.log 'not tuned in this run: default for now: tuned [2-9] times in vain: the program ended'
fi

# Runs of 0.9 s save enough in some ten runs, if there is a processor for a tuning. What it has found runs at once.
export AUTOTUNE_CACHE=$work/saves
busy() { awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 + $9 }' /proc/stat; }
before=$(busy) start=$(date +%s)
for run in $(seq 40); do
  ./brief 0.9 2>> saves.log || fail "run $run"
  ! grep -q 'smooth: borrowed from its own' saves.log || break
done
seconds=$(($(date +%s) - start)) processors=$(nproc)
used=$((($(busy) - before) / (seconds > 0 ? seconds : 1))) # hundredths of a processor: the program's own are 100
echo "$run runs, $(begun saves.log) tunings, $((used / 100)).$(printf %02d $((used % 100))) processors used"
if ! grep -q 'smooth: borrowed' saves.log && { [ "$processors" -lt 2 ] || [ $used -gt $((100 * processors - 75)) ]; }; then
  echo "the machine was busy: what was tried is not checked"
else
  has "a variant runs" saves.log 'smooth: borrowed from its own unfinished tuning'
fi
finish
