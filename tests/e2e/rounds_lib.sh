# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests with random rounds, as `bash NAME.sh BUILD_DIR [ROUNDS [SEED [SECONDS]]]`: a few rounds in the
# test of each commit, many in tests/long. They end after SECONDS at the latest. Before it, `rounds` is the default.
# Round N of a seed is the same in each run. With ROUNDS_STATE=FILE in the environment a run goes on where the last one
# with that file ended; see rounds_keep.
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
SECONDS=0 round=0 failed=0
rounds_state=${ROUNDS_STATE:-} rounds_kept=(round failed) rounds_saved=0 rounds_before=0
unset ROUNDS_STATE
fail() { echo "FAILED: round $round, seed $seed: $*"; failed=$((failed + 1)); }
# COUNTER…: these go on as well, besides `round` and `failed`.
rounds_keep() {
  local name value
  rounds_kept+=("$@")
  [ -n "$rounds_state" ] && [ -e "$rounds_state" ] || return 0
  while IFS== read -r name value; do
    printf -v "$name" %d "$value"
  done < "$rounds_state"
  rounds_before=$failed
}
rounds_save() {
  local name
  [ -n "$rounds_state" ] || return 0
  for name in "${rounds_kept[@]}"; do
    echo "$name=${!name}"
  done > "$rounds_state.new" && mv "$rounds_state.new" "$rounds_state"
  rounds_saved=$SECONDS
}
# [DONE]: true if there is another round, because DONE (else the number of rounds) is less than `rounds`. What was
# counted until then is kept at least every 10 seconds.
another() {
  if [ "${1:-$round}" -ge "$rounds" ] || [ "$SECONDS" -ge "$seconds" ] || [ $((failed - rounds_before)) -ge 20 ]; then
    rounds_save
    return 1
  fi
  [ $((SECONDS - rounds_saved)) -lt 10 ] || rounds_save
  round=$((round + 1))
  RANDOM=$(((seed * 65599 + round * 2654435761) & 0x7fffffff))
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
