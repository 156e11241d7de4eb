#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# c_testsuite.sh [-t SECONDS] BUILD_DIR FOLDER
# T1 and T2 with programs by others: those of c-testsuite (https://github.com/c-testsuite/c-testsuite; FOLDER is a
# checkout of it). Each comes out of the translator byte for byte, and then prints the same with every variant of its
# functions and loops (tests/e2e/c_testsuite.sh).
. "$(dirname "$0")/lib.sh"
folder=${arguments[0]:-}
[ -d "$folder/tests/single-exec" ] || skip "name a checkout of https://github.com/c-testsuite/c-testsuite"
repeat c_testsuite.sh "$folder" "$(left)"
result "$said"
