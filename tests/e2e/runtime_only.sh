# SPDX-License-Identifier: Apache-2.0
# Without LLVM, Tree-sitter and pkg-config, libautotune alone is built, and the summary says why. Warnings are no errors.
# AUTOTUNE_PROGRAM is never the program of an earlier configuration.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
. "$(dirname "$0")/cc_lib.sh"

configure() { # FOLDER OPTION…: configures as on a machine that has neither clang-22 nor pkg-config
  cmake -G Ninja -S "$root" -B "$@" -DAUTOTUNE_LLVM_ROOT=/nowhere -DCMAKE_BUILD_TYPE=Debug \
    -DAUTOTUNE_CLANG=AUTOTUNE_CLANG-NOTFOUND -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON \
    -DAUTOTUNE_TESTS=ON > log 2>&1
}

if configure refused -DAUTOTUNE_RUNTIME_ONLY=OFF; then fail "configured without LLVM"; fi
has "what is missing" log "not found: LLVM and Clang 22"

configure alone || { cat log; fail "cmake"; finish; }
has "the summary" log "Building libautotune alone.*not found: LLVM and Clang 22"
# A compiler with more warnings than ours, as a packager's newer one may have, breaks no build.
cmake -DCMAKE_C_FLAGS=-Wpadded alone > log 2>&1
cmake --build alone -- -j "$(nproc)" > log 2>&1 || { cat log; fail "build"; finish; }
has "warnings" log -Wpadded
cmake --install alone --prefix "$work/installed" > log 2>&1 || { cat log; fail "install"; finish; }
check "no program" test ! -e "$work/installed/bin/autotune"
cat > main.c << 'E2'
#include <autotune.h>
#include <stdio.h>
int main(void) { return puts(autotune_version()) < 0; }
E2
check "link" gcc main.c -I"$work/installed/include" -L"$work/installed/lib" -lautotune \
  -Wl,-rpath,"$work/installed/lib" -o main
is "version" "$(./main)" "$("$build/bin/autotune" version | head -n 1)"

# A folder that was configured with the program forgets it.
program() { sed -n 's/^AUTOTUNE_PROGRAM:[A-Z]*=//p' both/CMakeCache.txt; }
check "configure all" cmake -G Ninja -S "$root" -B both -DAUTOTUNE_TESTS=OFF \
  "-DAUTOTUNE_LLVM_ROOT=$(sed -n 's/^AUTOTUNE_LLVM_ROOT:[A-Z]*=//p' "$build/CMakeCache.txt")" > log 2>&1
is "the program" "$(program)" "$PWD/both/bin/autotune"
check "configure libautotune alone" cmake -DAUTOTUNE_RUNTIME_ONLY=ON both > log 2>&1
is "no program" "$(program)" ""
check "configure with an installed one" cmake -DAUTOTUNE_PROGRAM=/usr/bin/true both > log 2>&1
check "once more" cmake both > log 2>&1
is "the installed one" "$(program)" /usr/bin/true
finish
