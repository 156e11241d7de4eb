# SPDX-License-Identifier: Apache-2.0
# clangd reads a build's compile_commands.json, and does not warn of the pragmas if its configuration says so.
. "$(dirname "$0")/lib.sh"
need clangd cmake ninja gcc
install_autotune

project cmake "$work/in/project"
or_end "configure" cmake -G Ninja -S . -B out "-DCMAKE_PREFIX_PATH=$prefix" \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "-DCMAKE_C_FLAGS=-Wall -Werror=unknown-pragmas"
looks() { clangd --enable-config --check="$PWD/smooth.c" --compile-commands-dir=out > looked 2>&1; }
check "an error, where the build says so" not looks
has "of pragmas" looked "unknown pragma"
printf 'CompileFlags:\n  Add: [-Wno-unknown-pragmas]\n' > .clangd
check "none with .clangd" looks
hasnt "of pragmas" looked "unknown pragma"
has "all is well" looked "All checks completed, 0 errors"
finish
