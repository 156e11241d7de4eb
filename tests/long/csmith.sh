#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# csmith.sh [-s SEED] [-t SECONDS] [-k FOLDER] BUILD_DIR [PROGRAMS]
# T2: 5 000 random programs of csmith (Debian's package csmith), with pragmas on their functions and loops
# (tests/e2e/csmith.sh): each variant prints the checksum of the untouched program. The first program's seed is SEED,
# the others follow.
. "$(dirname "$0")/lib.sh"
command -v csmith > /dev/null || skip "csmith is not installed: apt-get install csmith"
repeat csmith.sh "${arguments[0]:-5000}" "$(left)"
result "$said"
