#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compose.sh WORK: the programs to measure, as sources in WORK: each lesson of examples/cuda with a server
# (serve.h) in place of its main. Prints the names of those with kernels to tune. All is one file, since launches
# in headers are not rewritten for emulation.
set -eu
mkdir -p "$1"
work=$(cd "$1" && pwd)
cd "$(dirname "$0")"
examples=../../examples/cuda
cp $examples/hopper.h $examples/tensor_map.h "$work"

part() { # FILE NAME: keeps the file's own lines in messages
  printf '#line 1 "%s"\n' "$2"
  cat "$1"
  echo
}
for server in serve_*.cu; do
  name=$(basename "${server#serve_}" .cu)
  for example in "$examples"/*_"$name".cu; do
    [ -f "$example" ] || continue
    {
      part serve.h bench/gpu/serve.h
      echo '#define AUTOTUNE_EXAMPLE_KERNEL_ONLY'
      part "$example" "examples/cuda/$(basename "$example")"
      part "$server" "bench/gpu/$server"
    } >"$work/$name.cu"
    echo "$name"
  done
done
for name in launch reference; do
  { part serve.h bench/gpu/serve.h; part $name.cu bench/gpu/$name.cu; } >"$work/$name.cu"
done
echo launch
