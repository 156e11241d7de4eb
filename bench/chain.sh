#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# chain.sh BUILD: filters of images, and waves (chain.c), by gcc and clang, with their nests tuned apart, and with `chain` or
# `reschedule` (joined): seconds of a call. Tuned programs run once before, and the second run is measured. Results are kept below BUILD, and forgotten first.
# BUDGET: of the tuning of one kernel.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
work=$build/chain
flags='-O3 -march=native -w -D_GNU_SOURCE'
rm -rf "$work"
mkdir -p "$work"
unset AUTOTUNE_MODE AUTOTUNE_SEARCH
export AUTOTUNE_CACHE="$work/cache" AUTOTUNE_BUDGET="${BUDGET:-60s}"

gcc $flags bench/chain.c -o "$work/gcc"
clang-22 $flags bench/chain.c -o "$work/clang"
for kind in apart joined; do
  sed "s/#pragma $kind /#pragma autotune /" bench/chain.c > "$work/$kind.c"
  PATH="$build/bin:$PATH" autotune cc gcc $flags "$work/$kind.c" -o "$work/$kind" 2> "$work/$kind.log"
  AUTOTUNE_MODE=first "$work/$kind" > "$work/$kind.first"
done
for name in gcc clang apart joined; do
  "$work/$name" > "$work/$name.out"
  sed "s/^/$name: /" "$work/$name.out"
done
