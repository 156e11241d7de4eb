# SPDX-License-Identifier: Apache-2.0
# An installation works on its own: no file in it names the build folder or an absolute place of its own, and CMake's
# find_package and compiler launcher work.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
. "$(dirname "$0")/cc_lib.sh"

cmake --install "$build" --prefix "$work/first" > log 2>&1 || { cat log; fail "cmake --install"; finish; }
mv "$work/first" "$work/moved"
PATH=$work/moved/bin:$PATH
is "the program" "$(command -v autotune)" "$work/moved/bin/autotune"

# Build folders in run paths or CMake files would hide missing files.
for file in bin/autotune lib/libautotune.so lib/libautotune-jit.so; do
  readelf -d "$work/moved/$file" > dynamic
  hasnt "$file: run path" dynamic "RUNPATH.*$build"
done
hasnt "CMake package" "$work/moved/lib/cmake/autotune/autotuneConfig.cmake" "$build"
symbols() { nm -D --defined-only "$work/moved/lib/$1.so" | awk '{ print $3 }' | sort; }
is "libautotune-jit's visible symbols" "$(symbols libautotune-jit)" autotune_jit
sed -nE 's,^AUTOTUNE_API.*[ *](autotune_[a-z_]+)\(.*,\1,p' "$work"/moved/include/autotune{,_abi}.h |
  sort > declared
symbols libautotune > symbols
same "visible symbols are those of the headers" symbols declared

same "the schema of the report" "$root/docs/report.schema.json" "$work/moved/share/autotune/report.schema.json"

# A kernel, compiled and tuned with the installed files only.
kernel k.c
plain main.c
check "compile and link" autotune cc gcc -O2 k.c main.c -o prog
ldd prog > libraries
has "libautotune" libraries "=> $work/moved/lib/libautotune.so"
hasnt "nothing of the build folder" libraries "$build"
is "answer" "$(AUTOTUNE_MODE=first AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=60s,3 ./prog)" "3 k.c"
autotune report --cache "$work/cache" > report
has "libautotune-jit.so was found" report 'variants  *[1-9][0-9]* tried'

# find_package, and the launcher before the compiler.
cat > CMakeLists.txt << 'E'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(autotune 0.1 REQUIRED)
set(CMAKE_C_COMPILER_LAUNCHER ${AUTOTUNE_PROGRAM} cc)
set(CMAKE_C_LINKER_LAUNCHER ${AUTOTUNE_PROGRAM} cc)
add_executable(tuned k.c main.c)
add_executable(version version.c)
target_link_libraries(version PRIVATE autotune::autotune)
E
cat > version.c << 'E'
#include <autotune.h>
#include <stdio.h>
int main(void) { return puts(autotune_version()) < 0; }
E
if cmake -G Ninja -S . -B out -DCMAKE_PREFIX_PATH="$work/moved" > log 2>&1 &&
   cmake --build out >> log 2>&1; then
  is "version" "$(out/version)" "$(autotune version | head -n 1)"
  has "the launcher" <(out/tuned) "^3 .*k.c"
  check "a site" grep -q autotune_begin out/tuned
else
  cat log
  fail "CMake with find_package(autotune)"
fi
finish
