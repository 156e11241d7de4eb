#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compose.sh WORK: the programs to measure, as sources in WORK: each lesson of examples/cuda with a server
# (serve.h) in place of its main. Prints their names.
set -eu
cd "$(dirname "$0")"
work=$1
examples=../../examples/cuda
mkdir -p "$work"
for server in serve_*.cu; do
  name=$(basename "${server#serve_}" .cu)
  for example in "$examples"/*_"$name".cu; do
    [ -f "$example" ] || continue
    {
      echo '#include "serve.h"'
      echo '#define AUTOTUNE_EXAMPLE_KERNEL_ONLY'
      echo "#line 1 \"examples/cuda/$(basename "$example")\""
      cat "$example"
      printf '\n#line 1 "bench/gpu/%s"\n' "$server"
      cat "$server"
    } >"$work/$name.cu"
    echo "$name"
  done
done
cp launch.cu reference.cu "$work"
echo launch
