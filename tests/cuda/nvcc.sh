#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# nvcc compiles every translated file without a warning, and a template that two files instantiate. A program without
# a device or a driver reports the same errors of launches as without autotune.
set -u
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
nvcc=${CUDA_PATH:-/usr/local/cuda}/bin/nvcc
[ -x "$nvcc" ] || nvcc=$(command -v nvcc) || { echo "no nvcc"; exit 77; }
"$nvcc" --version >/dev/null 2>&1 || { echo "no nvcc that runs"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export XDG_CACHE_HOME=$out/cache AUTOTUNE_LOG=error
cd "$out" || exit 1
failed=0 n=0

compile() # ARGUMENTS
{
  n=$((n + 1))
  "$build/bin/autotune" cc "$nvcc" -gencode arch=compute_90a,code=sm_90a -Werror all-warnings \
    -Xcompiler -Wall,-Wextra,-Werror "$@" > messages 2>&1 && [ ! -s messages ] && return
  cat messages >&2
  echo "failed: $*" >&2
  failed=$((failed + 1))
}

for cu in "$here"/units/*.cu "$here"/golden/translate/launches.cu "$here"/golden/translate/unit.cu \
          "$here/words.cu"; do
  compile -std=c++17 --expt-relaxed-constexpr -I"$here/units" -c "$cu" -o "$(basename "$cu").o"
done
compile -std=c++14 -c "$here/golden/translate/launches.cu" -o launches14.o
compile -std=c++17 "$here"/golden/translate/two_[ab].cu -o two
"$nvcc" -arch=sm_90 -std=c++17 "$here"/golden/translate/two_[ab].cu -o plain 2> messages ||
  { cat messages >&2; failed=$((failed + 1)); }
./two > said; status=$?
./plain > expected
[ $status = $? ] && diff expected said >&2 || failed=$((failed + 1))
echo "$n compilations, $failed failures"
[ $failed = 0 ]
