#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# launch_overhead.sh BUILD: what a launch of a tuned CUDA kernel costs the host, in nanoseconds more than cuLaunchKernel,
# with a driver that does nothing: medians of launch_overhead.cu's rounds, of the processor's time.
set -eu
build=$(cd "${1:-build}" && pwd)
source=$(cd "$(dirname "$0")" && pwd)/launch_overhead.cu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset AUTOTUNE_MODE AUTOTUNE_BUDGET AUTOTUNE_SEARCH AUTOTUNE_LOG AUTOTUNE_EMULATE
export AUTOTUNE_CACHE="$work/cache"
cd "$work"
"$build/bin/autotune" cc --emulate nvcc -O2 "$source" -o launch_overhead
./launch_overhead # tunes
AUTOTUNE_EMULATE=idle ./launch_overhead > rounds
field=7
for what in "one key" "two keys in turn" "four keys in turn" "one key, blocks of two dimensions"; do
  awk -v f=$field '{ print $f - $4 }' rounds | sort -n |
    awk -v what="$what" '{ t[NR] = $1 } END { printf "%s: %.1f ns more\n", what, t[int((NR + 1) / 2)] }'
  field=$((field + 3))
done
