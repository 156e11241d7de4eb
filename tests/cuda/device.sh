# SPDX-License-Identifier: Apache-2.0
# The programs of tests/cuda/device under emulation, tuned first from an empty store and then with its results. On a
# device bench/gpu/check.sh runs them.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/../e2e/cc_lib.sh"
command -v clang++-22 > /dev/null || { echo "clang++-22 is missing"; exit 77; }
source=$root/tests/cuda/device
export AUTOTUNE_MODE=first AUTOTUNE_LOG=info

build() { # NAME FILE…
  local name=$1
  shift
  autotune cc --emulate nvcc -std=c++17 "$@" -o "$name" > "$name.build" 2>&1 ||
    { cat "$name.build"; fail "$name: build"; return 1; }
}
run() { # NAME: twice, from an empty store
  export AUTOTUNE_CACHE=$work/$1.cache
  for time in first second; do
    timeout 120 "./$1" > "$1.$time" 2>&1 || fail "$1: exit status $?, the $time time"
    has "$1: the $time time" "$1.$time" '^right$' || cat "$1.$time"
  done
  hasnt "$1: the second time is not tuned" "$1.second" ': tuned: '
  autotune report --verbose > "$1.report" 2>&1
}

for file in "$source"/*.cu; do
  name=$(basename "$file" .cu)
  case $name in
    *_other) continue ;;
    templates) build "$name" "$file" "$source/templates_other.cu" && run "$name" ;;
    *) build "$name" "$file" && run "$name" ;;
  esac
done
if [ -f faults.report ]; then
  has "faults: what is wrong" faults.report '[0-9] wrong'
  has "faults: what faults" faults.report '[0-9] crashed'
  has "faults: what has no end" faults.report '[0-9] timed out'
  has "faults: only the first is right" faults.report '2 right\|winner  *BAD=0'
fi
[ ! -f inplace.report ] || has "inplace: compared" inplace.report 'verified against'
[ ! -f inplace.report ] || has "inplace: behind addresses in memory" inplace.report '^rows'
if [ -f steps.first ]; then
  check "steps: few are tuned" [ "$(grep -c 'info: advance: tuned: ' steps.first)" -le 5 ]
  has "steps: the step is given up" steps.first 'advance: step is not looked at: its values 0, 1, 2 chose the same'
  has "steps: new ones are compared" steps.first 'advance: step is .*; compared with the default for this key'
fi
[ ! -f templates.report ] || has "templates: a name for each" templates.report 'increase<double, 10>'
finish
