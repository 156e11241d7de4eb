# SPDX-License-Identifier: Apache-2.0
# bench/gpu/pack.sh: a pack runs away from its build folder, with its own libraries, and is enough to build
# libautotune anew.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
command -v patchelf > /dev/null || { echo "patchelf is missing"; exit 77; }
. "$(dirname "$0")/../e2e/cc_lib.sh"

"$root/bench/gpu/pack.sh" "$build" "$work/first" > log 2>&1 || { cat log; fail "pack.sh"; finish; }
mv "$work/first" "$work/moved"
is "the program" "$(env -i "$work/moved/bin/autotune" version | head -n 1)" \
  "$(autotune version | head -n 1)"
for file in bin/autotune lib/libautotune.so lib/autotune-gpu-worker; do
  ldd "$work/moved/$file" > libraries
  hasnt "$file: all is there" libraries "not found"
  hasnt "$file: nothing of the build folder" libraries "$build"
  has "$file: carried libraries" libraries "=> $work/moved/.*lib/libhwloc"
  hasnt "$file: no LLVM" libraries "LLVM\|clang"
done
for example in "$root"/examples/cuda/*.cu; do
  name=$(basename "$example" .cu)
  check "$name: as written" cmp -s "$example" "$work/moved/examples/cuda/$name.cu"
  check "$name: translated" test -s "$work/moved/translated/${name#*_}.cu"
done
check "what lessons include" cmp -s "$root/examples/cuda/lesson.h" "$work/moved/examples/cuda/lesson.h"
is "symbolic links that lead out" "$(find "$work/moved" -type l -lname '/*')" ""

cmake -G Ninja -S "$work/moved" -B anew -DCMAKE_BUILD_TYPE=Debug -DAUTOTUNE_RUNTIME_ONLY=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON -DCMAKE_PREFIX_PATH="$work/moved" \
  -DCMAKE_IGNORE_PATH="/usr/include;/usr/lib;/usr/lib/x86_64-linux-gnu" > log 2>&1 ||
  { cat log; fail "cmake"; finish; }
has "the libraries that were carried" anew/CMakeCache.txt "AUTOTUNE_HWLOC_LIBRARY.*$work/moved/lib"
cmake --build anew -- -j "$(nproc)" > log 2>&1 || { tail -n 20 log; fail "build"; }
check "libautotune" test -f anew/lib/libautotune.so
finish
