#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tuners.sh [-s SEED] [-t SECONDS] [-k FOLDER] BUILD_DIR [ROUNDS [TUNERS]]
# D3: 32 programs tune at once on one store (tests/e2e/tuners.sh), 20 times. All answer right, and the store is whole.
. "$(dirname "$0")/lib.sh"
repeat tuners.sh "${arguments[0]:-20}" "$(left)" "${arguments[1]:-32}"
result "$said"
