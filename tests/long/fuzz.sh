#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh [-s SEED] BUILD_DIR [SECONDS_EACH [FUZZER…]]
# Each fuzzer of preset fuzz (or those named), an hour each unless SECONDS_EACH says otherwise, from its committed
# corpus. An input that fails is kept in the folder where this was started, as fuzz-FUZZER-KIND-HASH; add it to
# tests/fuzz/corpus once it is mended.
here=$PWD
. "$(dirname "$0")/lib.sh"
each=${arguments[0]:-3600}
fuzzers=("${arguments[@]:1}")
[ ${#fuzzers[@]} -gt 0 ] || fuzzers=($(cd "$build/tests" && ls fuzz_*.corpus | sed 's/^fuzz_//; s/\.corpus$//'))
[ -e "$build/tests/fuzz_pragma" ] || skip "$build has no fuzzers: make PRESET=fuzz build (Debian's libclang-rt-22-dev)"
said=
for fuzzer in "${fuzzers[@]}"; do
  mkdir "$fuzzer"
  mapfile -t corpus < "$build/tests/fuzz_$fuzzer.corpus"
  "$build/tests/fuzz_$fuzzer" -seed=$((seed % 2147483647 + 1)) -max_total_time="$each" -timeout=30 -rss_limit_mb=4096 \
    -max_len=8192 -close_fd_mask=2 -print_final_stats=1 -dict="$root/tests/fuzz/autotune.dict" \
    -artifact_prefix="$here/fuzz-$fuzzer-" "$fuzzer" "${corpus[@]}" > log 2>&1 || {
    failed=$((failed + 1))
    tail -n 60 log
  }
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' log)
  covered=$(sed -n 's/^#.* cov: \([0-9]*\) ft: \([0-9]*\) .*/\1 edges, \2 features/p' log | tail -n 1)
  echo "$fuzzer: ${runs:-failed after some} inputs, $covered"
  said="$said $fuzzer ${runs:-failed},"
done
result "$each s each:${said%,} inputs"
