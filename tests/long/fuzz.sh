#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh [-s SEED] [-t SECONDS] [-k FOLDER] BUILD_DIR [SECONDS_EACH [FUZZER…]]
# Each fuzzer of preset fuzz (or those named), an hour each unless SECONDS_EACH says otherwise, from its committed
# corpus. With -t they share SECONDS. FOLDER also keeps what each has found that reaches new code. An input that fails
# is kept in the folder where this was started, as fuzz-FUZZER-KIND-HASH; add it to tests/fuzz/corpus once it is mended.
here=$PWD
. "$(dirname "$0")/lib.sh"
each=${arguments[0]:-3600}
fuzzers=("${arguments[@]:1}")
[ ${#fuzzers[@]} -gt 0 ] || fuzzers=($(cd "$build/tests" && ls fuzz_*.corpus | sed 's/^fuzz_//; s/\.corpus$//'))
[ -e "$build/tests/fuzz_pragma" ] || skip "$build has no fuzzers: make PRESET=fuzz build (Debian's libclang-rt-22-dev)"
said= rest=${#fuzzers[@]}
for fuzzer in "${fuzzers[@]}"; do
  folder=${kept:-$work}/fuzz_$fuzzer inputs=0 ran=0 covered=
  mkdir -p "$folder"
  [ ! -s "$folder.state" ] || read -r inputs ran < "$folder.state"
  time=$(($(left) / rest < each - ran ? $(left) / rest : each - ran)) rest=$((rest - 1))
  if [ $time -gt 0 ]; then
    mapfile -t corpus < "$build/tests/fuzz_$fuzzer.corpus"
    began=$SECONDS
    "$build/tests/fuzz_$fuzzer" -seed=$(((seed + ran) % 2147483647 + 1)) -max_total_time=$time -timeout=30 \
      -rss_limit_mb=4096 -max_len=8192 -close_fd_mask=2 -print_final_stats=1 -dict="$root/tests/fuzz/autotune.dict" \
      -artifact_prefix="$here/fuzz-$fuzzer-" "$folder" "${corpus[@]}" > log 2>&1 || {
      failed=$((failed + 1))
      tail -n 60 log
    }
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' log)
    covered=$(sed -n 's/^#.* cov: \([0-9]*\) ft: \([0-9]*\) .*/, \1 edges, \2 features/p' log | tail -n 1)
    inputs=$((inputs + ${executed:-0})) ran=$((ran + SECONDS - began)) # one that fails ends early
    echo "$inputs $ran" > "$folder.state"
  fi
  echo "$fuzzer: $inputs inputs in $ran s$covered"
  said="$said $fuzzer $inputs in $ran s,"
done
result "of $each s each:${said%,} (inputs)"
