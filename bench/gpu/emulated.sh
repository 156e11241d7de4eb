#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# emulated.sh FOLDER BUILD [--arguments FILE] [--list FILE] [--seconds S] [NAME…]: do programs that check themselves
# still pass when they are tuned? FOLDER is a clone of HeCBench, or another folder of programs with a Makefile each that
# takes CC and has a target `run`. Takes those whose sources print PASS or FAIL (NAME…: those named). Builds each with `autotune cc
# --emulate nvcc` as it is, and once more with the line `#pragma autotune kernel block(64, 128, 256)` on each kernel; runs
# both with small arguments, the first for S seconds (30) at most, the one that tunes for four times that. Prints a line for each program and a summary. --arguments: lines `NAME ARGUMENTS…`
# that replace the arguments chosen here. --list: a file for the rows; programs that it has rows of are not run again. Fetches nothing,
# needs no GPU. It runs the programs of FOLDER: take one that you trust.
set -eu
exec python3 "$(dirname "$0")/emulated.py" "$@"
