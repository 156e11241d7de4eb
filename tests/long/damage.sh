#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# damage.sh [-s SEED] [-t SECONDS] [-k FOLDER] BUILD_DIR [FILES [PROGRAMS]]
# D5: 100 000 damaged files of results (unit.store_damage), and 10 000 programs that begin with damaged results or
# damaged code (tests/e2e/damage.sh): flipped bits, exchanged, zeroed and missing pages, cut and longer files. No row
# comes out that was not written, no program crashes, hangs or answers wrong.
. "$(dirname "$0")/lib.sh"
rounds store_damage test_no_mutant_is_believed "${arguments[0]:-100000}" $((seconds / 2))
files=$said
repeat damage.sh "${arguments[1]:-10000}" "$(left)"
result "$files; $said"
