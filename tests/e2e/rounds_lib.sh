# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests with random rounds, as `bash NAME.sh BUILD_DIR [ROUNDS [SEED [SECONDS]]]`: a few rounds in the
# test of each commit, many in tests/long. They end after SECONDS at the latest. Before it, `rounds` is the default.
set -u
here=$(cd "$(dirname "$0")" && pwd) build=$(cd "$1" && pwd)
rounds=${2:-$rounds} seed=${3:-1} seconds=${4:-100000}
PATH=$build/bin:$PATH
command -v pgrep > /dev/null || { echo "skipped: pgrep is not here to look for what is left"; exit 77; }
work=$(mktemp -d) || exit 1
sessions=
# Ends what was started here, if anything is left of it.
rounds_end() {
  local session
  for session in $sessions; do
    pkill -KILL -s "$session"
  done
  rm -rf "$work"
}
trap rounds_end EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1
for name in $(env | sed -n 's/^\(AUTOTUNE_[A-Z]*\)=.*/\1/p'); do unset "$name"; done
export TMPDIR=$work/tmp LC_ALL=C OMP_WAIT_POLICY=passive AUTOTUNE_CACHE=$work/cache
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
mkdir "$TMPDIR"
RANDOM=$seed
SECONDS=0 round=0 failed=0
fail() { echo "FAILED: round $round, seed $seed: $*"; failed=$((failed + 1)); }
another() { # true if there is another round
  [ "$round" -lt "$rounds" ] && [ "$SECONDS" -lt "$seconds" ] && [ "$failed" -lt 20 ] && round=$((round + 1))
}
# NAME: compiles rounds.c as a program.
rounds_program() {
  autotune cc gcc -O1 "$here/rounds.c" -o "$1" -lm || { echo "FAILED: it does not compile"; exit 1; }
}
# SESSION [OPTION]: its processes, but for zombies, for which the system's first process is late.
living() { pgrep -r D,R,S,T,t -s "$@"; }
gone() { # SESSION: its processes end within some seconds
  local try
  for ((try = 0; try < 400; try++)); do
    living "$1" > /dev/null || return 0
    sleep 0.02
  done
  fail "processes are left: $(living "$1" -l | tr '\n' ' ')"
  pkill -KILL -s "$1"
}
