# SPDX-License-Identifier: Apache-2.0
# Sourced by the long runs: SCRIPT [-s SEED] [-t SECONDS] [-k FOLDER] BUILD_DIR [ROUNDS …]. A run ends after its rounds,
# or after SECONDS if that is sooner, and its last line is the result, to be pasted in docs/testing.md. With -k, FOLDER
# keeps the seed and what was done, so that the next run with FOLDER goes on from there, and the result is of all of
# them. Exit status 0: nothing failed; 1: something did; 77: it cannot run here, and the last line says why. Before it
# come `build`, `seed`, `seconds` and `work` (a folder of its own, the current one); the other arguments are in
# `arguments`.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
name=$(basename "$0" .sh)
usage() { sed -n "s/^# \($name\.sh .*\)/usage: \1/p" "$0" >&2; exit 2; }
seed= seconds=$((24 * 3600)) kept=
while getopts s:t:k: option; do
  case $option in
    s) seed=$OPTARG ;;
    t) seconds=$OPTARG ;;
    k) kept=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || usage
build=$(cd "$1" && pwd) || usage
shift
arguments=("$@")
runs=1 spent=0
if [ -n "$kept" ]; then
  mkdir -p "$kept" && kept=$(cd "$kept" && pwd) || usage
  if [ -e "$kept/$name" ]; then
    read -r before runs spent < "$kept/$name"
    [ "${seed:-$before}" = "$before" ] || { echo "$name: $kept/$name has seed $before" >&2; exit 2; }
    seed=$before runs=$((runs + 1))
  fi
fi
seed=${seed:-$((RANDOM * 32768 + RANDOM))}
keep() { [ -z "$kept" ] || echo "$seed $runs $((spent + SECONDS))" > "$kept/$name"; }
# Stores are quick to make there. What SIGKILL leaves is the same: it does not reach what the kernel has already got.
export TMPDIR=${TMPDIR:-/dev/shm}
work=$(mktemp -d 2> /dev/null) || { unset TMPDIR && work=$(mktemp -d); } || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
export TMPDIR=$work
cd "$work" || exit 1
SECONDS=0 failed=0
keep
# TEST CMOCKA_TEST ROUNDS SECONDS: runs one test of a unit test's program. What it says is in `said`.
rounds() {
  local done=0 what=$1 state=${kept:+$kept/$1.state}
  [ ! -s "$state" ] || read -r done what < "$state"
  : > log
  [ "$done" -ge "$3" ] || [ "$4" -le 0 ] ||
    AUTOTUNE_TEST_ROUNDS=$(($3 - done)) AUTOTUNE_TEST_SECONDS=$4 AUTOTUNE_TEST_SEED=$((seed + done)) \
      AUTOTUNE_TEST_ONLY=$2 "$build/tests/test_$1" > log 2>&1 || { failed=$((failed + 1)); tail -n 30 log; }
  said=$(sed -n 's/, seed .*//; s/^\([0-9]* of [0-9]* .*\)/\1/p' log | tail -n 1)
  if [ -n "$said" ]; then
    done=$((done + ${said%% *})) what=${said#* of * }
    [ -z "$state" ] || echo "$done $what" > "$state"
  fi
  said="$done of $3 $what"
}
# SCRIPT ROUNDS SECONDS [ARGUMENT…]: runs a script of tests/e2e. The last line that it prints, but for its number of
# failures, is in `said`.
repeat() {
  local script=$1 count=$2 limit=$3
  shift 3
  ROUNDS_STATE=${kept:+$kept/$script.state} \
    bash "$root/tests/e2e/$script" "$build" "$count" "$seed" "$limit" "$@" 2>&1 | tee log
  case ${PIPESTATUS[0]} in
    0) ;;
    77) skip "$(tail -n 1 log)" ;;
    *) failed=$((failed + 1)) ;;
  esac
  said=$(tail -n 1 log | sed 's/, [0-9]* failed$//')
}
skip() { echo "$name: skipped: $*"; exit 77; }
left() { local n=$((seconds - SECONDS)); echo $((n > 0 ? n : 0)); } # seconds
cpu() { sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1; }
revision() { git -C "$root" describe --always --dirty 2> /dev/null || echo "no repository"; }
result() { # TEXT…: prints the result and ends
  local sessions=
  keep
  [ $runs = 1 ] || sessions="$runs runs, "
  echo "$name: $*, $failed failed (seed $seed, $sessions$((spent + SECONDS)) s, $(date +%F), $(cpu), $(nproc) threads," \
    "$(revision))"
  exit $((failed > 0))
}
echo "$name: seed $seed"
