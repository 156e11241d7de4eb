#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `make check`: the whole suite as released, then under ASan and UBSan, then the threaded parts under
# TSan. AUTOTUNE_CHECK="release" (or asan, tsan; several by blanks) runs only those.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
stages=${AUTOTUNE_CHECK:-release asan tsan}
export CTEST_OUTPUT_ON_FAILURE=1
jobs=$(nproc)
failed=0

# A cache of its own: what the developer has tuned neither helps nor suffers.
AUTOTUNE_CACHE=$(mktemp -d)
export AUTOTUNE_CACHE
trap 'rm -rf "$AUTOTUNE_CACHE"' EXIT

# stage NAME BUILD_DIR CTEST_ARGS…
stage() {
  local name=$1 dir=$2
  shift 2
  echo "== $name"
  ctest --test-dir "$dir" --no-tests=error -j "$jobs" --timeout 600 "$@" || failed=1
}

# built PRESET [TARGET]: in build-PRESET, all of it or TARGET.
built() {
  [ -f "build-$1/build.ninja" ] || cmake --preset "$1" --log-level=WARNING
  cmake --build "build-$1" ${2:+--target "$2"} -- --quiet
}

for s in $stages; do
  case $s in
    release) stage release "$build" ;;
    asan)
      built asan
      # Leaks are looked for in the unit tests; handle_segv stays with the tests' own children.
      ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 stage asan build-asan -LE no-asan ;;
    tsan)
      built tsan tests_threads
      TSAN_OPTIONS=die_after_fork=0 stage tsan build-tsan -L threads ;;
    *) echo "check.sh: unknown stage '$s'" >&2; exit 2 ;;
  esac
done
exit $failed
