# SPDX-License-Identifier: Apache-2.0
# Sourced by the long runs: SCRIPT [-s SEED] [-t SECONDS] BUILD_DIR [ROUNDS …]. A run ends after its rounds, or after
# SECONDS if that is sooner, and its last line is the result, to be pasted in docs/testing.md. Exit status 0: nothing
# failed; 1: something did; 77: it cannot run here, and the last line says why. Before it come `build`, `seed`,
# `seconds` and `work` (a folder of its own, the current one); the other arguments are in `arguments`.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
name=$(basename "$0" .sh)
usage() { sed -n "s/^# \($name\.sh .*\)/usage: \1/p" "$0" >&2; exit 2; }
seed=$((RANDOM * 32768 + RANDOM)) seconds=$((24 * 3600))
while getopts s:t: option; do
  case $option in
    s) seed=$OPTARG ;;
    t) seconds=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || usage
build=$(cd "$1" && pwd) || usage
shift
arguments=("$@")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1
SECONDS=0 failed=0
# TEST CMOCKA_TEST ROUNDS SECONDS: runs one test of a unit test's program. What it says is in `said`.
rounds() {
  AUTOTUNE_TEST_ROUNDS=$3 AUTOTUNE_TEST_SECONDS=$4 AUTOTUNE_TEST_SEED=$seed AUTOTUNE_TEST_ONLY=$2 \
    "$build/tests/test_$1" > log 2>&1 || { failed=$((failed + 1)); tail -n 30 log; }
  said=$(sed -n "s/, seed .*//; s/^\([0-9]* of [0-9]* .*\)/\1/p" log | tail -n 1)
  said=${said:-$1 has ended early}
}
# SCRIPT ROUNDS SECONDS [ARGUMENT…]: runs a script of tests/e2e. The last line that it prints, but for its number of
# failures, is in `said`.
repeat() {
  local script=$1 count=$2 limit=$3
  shift 3
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
  echo "$name: $*, $failed failed (seed $seed, $SECONDS s, $(date +%F), $(cpu), $(nproc) threads, $(revision))"
  exit $((failed > 0))
}
echo "$name: seed $seed"
