#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `make check`: the whole suite as released, then the threaded parts under TSan, then what the fuzzers' corpora cover,
# then the suite under ASan and UBSan, the longest of these. AUTOTUNE_CHECK="release" (or asan, tsan, fuzz; several by
# blanks) runs only those. AUTOTUNE_CHECK_MINUTES (80): a stage that would end later, judged by what the release took, is
# skipped, and the end of the output says so.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
stages=${AUTOTUNE_CHECK:-release tsan fuzz asan}
export CTEST_OUTPUT_ON_FAILURE=1
jobs=$(($(nproc) + 1)) # tests of tuners wait for more than half of their time
limit=$((${AUTOTUNE_CHECK_MINUTES:-80} * 60))
unset AUTOTUNE_CHECK_MINUTES # the library warns of a variable that it does not know
release_took=0
failed=0
flaky=
findings=
skipped=

# A cache of its own: the developer's results neither help nor suffer. The emulator's compilations are next to it.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export AUTOTUNE_CACHE=$scratch/results COMPILE_ONCE_IN=$scratch/compiled
mkdir -m 700 "$AUTOTUNE_CACHE"

# findings_of NAME BUILD_DIR: notes what the tests that just failed said, to be printed at the end.
findings_of() {
  local said='^FAILED|^\[ +(ERROR|LINE) +\]|ERROR: AddressSanitizer|runtime error:'
  said=$(grep -E "$said" "$2/Testing/Temporary/LastTest.log" | head -20 | cut -c1-300 | sed "s/^/  $1: /" || true)
  findings+=${said:+$said$'\n'}
}

# again NAME BUILD_DIR: tests run at the same time as others, also on busy machines, so failed ones are run once more,
# alone. Their names are printed: a test that needs this is a defect, though a small one.
again() {
  local list=$2/Testing/Temporary/LastTestsFailed.log some
  [ -s "$list" ] && [ "$(wc -l < "$list")" -le 3 ] || return 1
  some=$(cut -d: -f2 "$list" | xargs)
  echo "== $1: once more, alone: $some"
  ctest --test-dir "$2" --no-tests=error --rerun-failed --timeout 600 || { findings_of "$1, alone" "$2"; return 1; }
  flaky+=" $1:$some"
}

# stage NAME BUILD_DIR CTEST_ARGS…
stage() {
  local name=$1 dir=$2
  shift 2
  rm -f "$dir/Testing/Temporary/LastTestsFailed.log"
  echo "== $name, $((SECONDS / 60)) min after the start"
  ctest --test-dir "$dir" --no-tests=error -j "$jobs" --timeout 600 "$@" && return
  findings_of "$name" "$dir"
  again "$name" "$dir" || failed=1
}

# there_is_time SECONDS WHAT: true if so many seconds are left. Else notes that WHAT is skipped, for the end of the output.
there_is_time() {
  [ $((SECONDS + $1)) -le "$limit" ] && return
  skipped+="== skipped: $2: $((SECONDS / 60)) of $((limit / 60)) min (AUTOTUNE_CHECK_MINUTES) are used"$'\n'
  return 1
}

# built PRESET [TARGET]: in build-PRESET, all of it or TARGET.
built() {
  [ -f "build-$1/build.ninja" ] || cmake --preset "$1" --log-level=WARNING
  cmake --build "build-$1" ${2:+--target "$2"} -- --quiet
}

for s in $stages; do
  case $s in
    release)
      stage release "$build"
      release_took=$SECONDS ;;
    asan)
      there_is_time $((release_took / 4)) "asan" || continue
      built asan
      some=()
      there_is_time $((release_took / 2)) "asan: all but the unit tests" || some=(-L unit)
      # Only the unit tests look for leaks; handle_segv stays with the tests' own children.
      ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 stage asan build-asan -LE no-asan "${some[@]}" ;;
    tsan)
      there_is_time $((release_took / 10)) "tsan" || continue
      built tsan tests_threads
      TSAN_OPTIONS=die_after_fork=0 stage tsan build-tsan -L threads ;;
    fuzz)
      there_is_time $((release_took / 10)) "fuzz" || continue
      # Clang's runtime for fuzzers may be missing, and everything else works without it.
      if [ -e "$(clang-22 -print-file-name=lib/linux/libclang_rt.fuzzer-$(uname -m).a 2> /dev/null)" ]; then
        built fuzz tests_fuzz
        stage fuzz build-fuzz -L fuzz
      else
        echo "== fuzz: skipped: clang-22 has no libFuzzer here (Debian's libclang-rt-22-dev)"
      fi ;;
    *) echo "check.sh: unknown stage '$s'" >&2; exit 2 ;;
  esac
done
[ -z "$flaky" ] || echo "== failed beside other tests, passed alone:$flaky"
printf '%s' "$skipped"
[ -z "$findings" ] || printf '== what failed tests said:\n%s' "$findings"
exit $failed
