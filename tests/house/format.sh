#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# format.sh BUILD_DIR: clang-format 22 has nothing to change in the C and C++ of the repository.
cd "$(dirname "$0")/../.."
format=$(command -v clang-format-22) || { echo "clang-format-22 is not installed"; exit 77; }
mapfile -t files < <(find runtime translator emulator include bench tests -name node_modules -prune -o \
  \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -print)
[ "${#files[@]}" -gt 300 ] || { echo "only ${#files[@]} files"; exit 1; }
"$format" --dry-run -Werror "${files[@]}"
