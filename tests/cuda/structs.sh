#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# structs.cu under emulation: structs of floats are compared as floats; how elements of other types are.
set -u
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out" || exit 1
export XDG_CACHE_HOME=$out/cache AUTOTUNE_LOG=debug AUTOTUNE_BUDGET=20
unset AUTOTUNE_CACHE AUTOTUNE_MODE
failed=0
"$build/bin/autotune" cc --emulate nvcc -std=c++17 -Wall -Wextra "$here/structs.cu" -o program || exit 1
./program >said 2>log || { echo "exit status $?" >&2; failed=1; }
diff -u "$here/structs.out" said >&2 || failed=1
grep -q 'rotate: wrong' log && { echo "a right variant is wrong" >&2; failed=1; }
grep -qE 'info: rotate: (tuned|default: (none of|the only variant))' log || { echo "not tuned" >&2; failed=1; }
[ $failed = 0 ] || cat log >&2
exit $failed
