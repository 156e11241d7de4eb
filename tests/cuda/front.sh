#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# front/front.cu, pointers.cu, overloads.cu and functions.cu under emulation: launches of every form are tuned and right, also when the program
# runs again.
set -u
build=$(realpath "$1")
sources=$(realpath "$(dirname "$0")/front")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out" || exit 1
export XDG_CACHE_HOME=$out/cache AUTOTUNE_LOG=info AUTOTUNE_BUDGET=20
failed=0

try() { # NAME KERNEL…
  name=$1
  shift
  "$build/bin/autotune" cc --emulate nvcc "$sources/$name.cu" -o program || exit 1
  ./program >said 2>log || { cat said log >&2; exit 1; }
  grep -qx right said || { cat said >&2; exit 1; }
  for kernel; do
    grep -qE "info: $kernel: (tuned|default: (none of|the only variant))" log || { echo "not tuned: $kernel" >&2; failed=1; }
  done
  ./program >said 2>log.again && grep -qx right said && ! grep -q 'never tuned' log.again || failed=1
  [ $failed = 0 ] || cat log log.again >&2
}
try front 'scale<float, 2>' 'scale<float, 3>' 'scale<float, 5>' add_one twin::bump 'other::bump<float>'
try pointers by_pointer by_table 'by_instance<float, 4>' 'by_instance<float, 1>' in_macro handed conditional
try overloads add twin outside 'outside_too<float>' chosen
try functions 'apply<m::twice, float>' 'apply<thrice, float>'
exit $failed
