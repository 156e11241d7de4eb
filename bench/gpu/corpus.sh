#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# corpus.sh BUILD [--sample N] [--jobs N] [--list FILE] [-I FOLDER]… [-D NAME=VALUE]… FOLDER…: how much of real CUDA code is
# taken. Puts one line, `#pragma autotune kernel block(64, 128, 256)`, on each __global__ function of copies of the .cu and .cuh
# files in the folders, one at a time; asks `autotune translate` whether it takes the kernel, and the real NVRTC whether it
# compiles the kernel's unit. Prints a table for each folder, and why kernels were refused and units failed. Fetches nothing,
# needs no GPU, and runs nothing of what it reads. CUDA_PATH: the toolkit.
set -eu
exec python3 "$(dirname "$0")/corpus.py" "$@"
