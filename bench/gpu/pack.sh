#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pack.sh BUILD FOLDER: makes FOLDER hold what a bare machine with a device needs to run bench.sh: libautotune,
# its helper and the program autotune with the shared libraries under them, headers, the lessons and
# the bench, as written and translated. `FOLDER/bench/gpu/bench.sh` is then one command there.
#
# The C library is the machine's own: nothing carried may need a newer one than AUTOTUNE_PACK_GLIBC (2.39).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -eq 2 ] || { echo "usage: pack.sh BUILD FOLDER" >&2; exit 2; }
build=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
glibc=${AUTOTUNE_PACK_GLIBC:-2.39}
limit=$((64 * 1024 * 1024))

die() { echo "pack.sh: $*" >&2; exit 1; }
for tool in patchelf objdump ldd; do
  command -v $tool >/dev/null || die "$tool is missing"
done
[ -z "$(ls -A "$folder")" ] || [ -f "$folder/packed" ] || die "$folder is neither empty nor a pack"
rm -rf "$folder"/*
mkdir -p "$folder/bin" "$folder/lib" "$folder/include" "$folder/translated"
touch "$folder/packed"

# ---- programs and libraries ----
helper=$(find "$build/lib" "$build/bin" -name autotune-gpu-worker -type f | head -n 1)
[ -n "$helper" ] || die "$build has no autotune-gpu-worker"
cp "$build/bin/autotune" "$folder/bin"
cp "$build/lib/libautotune.so.0" "$helper" "$folder/lib"
ln -s libautotune.so.0 "$folder/lib/libautotune.so"

# The C library and the compiler's libraries exist there; all others are copied.
ldd "$folder/bin/autotune" "$folder/lib/libautotune.so.0" "$folder/lib/autotune-gpu-worker" |
  sed -n 's/.* => \(\/[^ ]*\).*/\1/p' | sort -u |
  grep -vE '/(ld-linux.*|lib(c|m|mvec|dl|rt|pthread|resolv|gcc_s|stdc\+\+|autotune))\.so[.0-9]*$' |
  while read -r library; do
    cp -L "$library" "$folder/lib"
  done
# To build libautotune there (CMAKE_PREFIX_PATH): headers, and the names that the linker looks for.
for name in hwloc sqlite3 jansson xxhash; do
  (cd "$folder/lib" && ln -sf lib$name.so.* lib$name.so)
done
printf '#include <%s>\n' hwloc.h sqlite3.h jansson.h xxhash.h | gcc -M -x c - | tr -s ' \\' '\n\n' |
  grep -E '/include/.*(hwloc|sqlite3|jansson|xxhash)' | while read -r header; do
    to=$folder/include/$(echo "$header" | sed 's|^.*/include/||; s|^[^/]*-linux-[^/]*/||')
    mkdir -p "$(dirname "$to")"
    cp -L "$header" "$to"
  done
cp "$root"/include/*.h "$folder/include"

find "$folder/lib" -type f -exec strip --strip-debug {} +
strip --strip-debug "$folder/bin/autotune"
find "$folder/lib" -type f -exec patchelf --set-rpath '$ORIGIN' {} \;
patchelf --set-rpath '$ORIGIN/../lib' "$folder/bin/autotune"

needed=$(find "$folder/lib" "$folder/bin" -type f -exec objdump -T {} + |
  sed -n 's/.*(\{0,1\}GLIBC_\([0-9][0-9.]*\).*/\1/p' | sort -uV | tail -n 1)
[ "$(printf '%s\n%s\n' "$needed" "$glibc" | sort -V | tail -n 1)" = "$glibc" ] ||
  die "what was built here needs glibc $needed, the machine has $glibc (AUTOTUNE_PACK_GLIBC)"

# ---- sources, and their translations ----
mkdir -p "$folder/examples" "$folder/bench" "$folder/tests/cuda"
cp -r "$root/examples/cuda" "$folder/examples"
cp -r "$root/tests/cuda/device" "$folder/tests/cuda"
cp -r "$root/bench/gpu" "$folder/bench"
rm -rf "$folder/bench/gpu/__pycache__"
for part in CMakeLists.txt cmake/Install.cmake cmake/Options.cmake cmake/autotuneEnable.cmake runtime; do # to build libautotune there
  mkdir -p "$folder/$(dirname $part)"
  cp -r "$root/$part" "$folder/$part"
done
rm -rf "$folder"/runtime/tools/report/page/node_modules # the report's page is made where Node.js is
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$folder/bench/gpu/compose.sh" "$work/programs" >"$work/names"
for name in $(cat "$work/names"); do
  "$folder/bin/autotune" translate "$work/programs/$name.cu" -o "$folder/translated/$name.cu" -- \
    -std=c++17 "-I$folder/bench/gpu" || die "$name.cu cannot be translated"
done

bytes=$(du -sb "$folder" | cut -f 1)
[ "$bytes" -le $limit ] || die "$folder has $bytes bytes, more than $limit"
echo "$folder: $((bytes / 1024)) KiB, for glibc $needed and later"
