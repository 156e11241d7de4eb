#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# floor.sh BUILD_DIR NAME: runs the corpus of fuzzer NAME once and prints how many edges and features it covers. Fails
# where that is below floors.txt. The numbers hold for preset fuzz.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) name=$2
read -r _ edges features < <(grep "^$name " "$here/floors.txt") || { echo "FAILED: no floor for $name"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
mapfile -t corpus < "$build/tests/fuzz_$name.corpus"
cd "$work" || exit 1
"$build/tests/fuzz_$name" -runs=0 -seed=1 -timeout=60 "${corpus[@]}" > log 2>&1 || { tail -n 40 log; exit 1; }
read -r reached_edges reached_features < <(sed -n 's/^#.*INITED *cov: \([0-9]*\) ft: \([0-9]*\).*/\1 \2/p' log)
echo "$name: ${reached_edges:=0} edges of at least $edges, ${reached_features:=0} features of at least $features"
[ "$reached_edges" -ge "$edges" ] && [ "$reached_features" -ge "$features" ] ||
  { echo "FAILED: the corpus of $name covers too little: is the code instrumented, and does the fuzzer reach it?"; exit 1; }
