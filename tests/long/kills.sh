#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kills.sh [-s SEED] [-t SECONDS] [-k FOLDER] BUILD_DIR [KILLS]
# D1: SIGKILL at random moments, 10 000 times: first to writers of a store (unit.store_crash), then to whole programs
# (tests/e2e/kills.sh). Nothing is torn or lost.
. "$(dirname "$0")/lib.sh"
kills=${arguments[0]:-10000}
rounds store_crash test_killed_writers_lose_nothing "$kills" $((seconds / 2))
writers=$said
repeat kills.sh "$kills" "$(left)"
result "$writers; $said"
