#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pack.sh [--emulated] [--some] BUILD FOLDER: makes FOLDER, and of it the archive FOLDER.tar.gz, hold all that bench.sh needs on a
# machine that has a device with its driver, NVRTC and Python: libautotune, its helper and the program autotune with the
# shared libraries under them, and all programs of the bench (programs.sh), built here with nvcc.
# `FOLDER/bench/gpu/bench.sh` is then one command there. `make tests` before adds the unit tests for a device.
#
# The programs have machine code for AUTOTUNE_PACK_ARCH (90a 80) and PTX for later devices. The C library is the machine's
# own: nothing carried may need a newer one than AUTOTUNE_PACK_GLIBC (2.39).
# --emulated: programs for the emulated device, to try all of it where there is no device.
# --some: a pack is made also where not all of the programs could be built. Without it that is an error.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
emulated= some=
while [ $# -gt 0 ]; do
  case $1 in
    --emulated) emulated=--emulated ;;
    --some) some=1 ;;
    *) break ;;
  esac
  shift
done
[ $# -eq 2 ] || { echo "usage: pack.sh [--emulated] [--some] BUILD FOLDER" >&2; exit 2; }
build=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
glibc=${AUTOTUNE_PACK_GLIBC:-2.39}
architectures=${AUTOTUNE_PACK_ARCH:-90a 80}
limit=$((64 * 1024 * 1024))
NVCC=${NVCC:-$(command -v nvcc || echo "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc")}
export NVCC

die() { echo "pack.sh: $*" >&2; exit 1; }
for tool in patchelf objdump ldd; do
  command -v $tool >/dev/null || die "$tool is missing"
done
[ -n "$emulated" ] || command -v "$NVCC" >/dev/null || die "nvcc is missing (CUDA_PATH says where the toolkit is)"
[ -z "$(ls -A "$folder")" ] || [ -f "$folder/packed" ] || die "$folder is neither empty nor a pack"
rm -rf "$folder"/* "$folder.tar.gz"
mkdir -p "$folder/bin" "$folder/lib"

# ---- programs and libraries ----

helper=$(find "$build/lib" "$build/bin" -name autotune-gpu-worker -type f | head -n 1)
[ -n "$helper" ] || die "$build has no autotune-gpu-worker"
cp "$build/bin/autotune" "$folder/bin"
cp "$build/lib/libautotune.so.0" "$helper" "$folder/lib"
if [ -n "$emulated" ]; then
  cp "$build/lib/libautotune-emulate.so.0" "$folder/lib"
  mkdir -p "$folder/include"
  cp -r "$root/emulator/include" "$folder/include/autotune-emulate"
  flags=-O1
else
  flags=-O3 newest=
  for arch in $architectures; do
    flags="$flags -gencode arch=compute_$arch,code=sm_$arch"
    case $arch in
      *[af]) ;; # their code runs on one kind of device only
      *) [ "$arch" -le "${newest:-0}" ] || newest=$arch ;;
    esac
  done
  [ -z "$newest" ] || flags="$flags -gencode arch=compute_$newest,code=compute_$newest"
fi
BENCH_FLAGS=$flags "$root/bench/gpu/programs.sh" $emulated "$build" "$folder/programs" >"$folder/built" ||
  { cat "$folder/built" >&2; die "no program could be built"; }
grep -v ' programs built$' "$folder/built" >&2 || :
built=$(tail -n 1 "$folder/built") # N of M programs built
[ -n "$some" ] || echo "$built" | grep -q '^\([0-9]*\) of \1 ' || die "only $built (--some packs these)"
rm -rf "$folder/programs/logs"

binaries() { find "$folder/bin" "$folder/lib" "$folder/programs" -type f; }
# The C library and the compiler's libraries exist there; all others are copied.
binaries | xargs ldd | sed -n 's/.* => \(\/[^ ]*\).*/\1/p' | sort -u |
  grep -vE '/(ld-linux.*|lib(c|m|mvec|dl|rt|pthread|resolv|gcc_s|stdc\+\+|autotune|autotune-emulate))\.so[.0-9]*$' |
  while read -r library; do
    cp -L "$library" "$folder/lib"
  done
binaries | xargs strip --strip-unneeded
for file in $(cd "$folder" && find bin lib programs -type f); do
  up=$(dirname "$file" | sed 's|[^/]*|..|g')
  patchelf --set-rpath "\$ORIGIN/$up/lib" "$folder/$file"
done
needed=$(binaries | xargs objdump -T | sed -n 's/.*(\{0,1\}GLIBC_\([0-9][0-9.]*\).*/\1/p' | sort -uV | tail -n 1)
[ "$(printf '%s\n%s\n' "$needed" "$glibc" | sort -V | tail -n 1)" = "$glibc" ] ||
  die "what was built here needs glibc $needed, the machine has $glibc (AUTOTUNE_PACK_GLIBC)"

# ---- what runs them, and their sources ----

mkdir -p "$folder/examples" "$folder/bench" "$folder/tests/cuda"
cp -r "$root/examples/cuda" "$folder/examples"
cp -r "$root/tests/cuda/device" "$folder/tests/cuda"
cp -r "$root/bench/gpu" "$folder/bench"
rm -rf "$folder/bench/gpu/__pycache__"
mv "$folder/built" "$folder/packed"
{
  git -C "$root" describe --always --dirty 2>/dev/null || "$folder/bin/autotune" version | head -n 1
  [ -n "$emulated" ] || "$NVCC" --version | sed -n 's/.* V\([0-9.]*\)$/\1/p'
} >"$folder/version" # what was packed; the compiler

tar -C "$(dirname "$folder")" -czf "$folder.tar.gz" "$(basename "$folder")"
bytes=$(wc -c <"$folder.tar.gz")
[ "$bytes" -le $limit ] || die "$folder.tar.gz has $bytes bytes, more than $limit"
echo "$folder.tar.gz: $((bytes / 1024)) KiB, for glibc $needed and later, $built"
