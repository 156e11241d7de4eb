# SPDX-License-Identifier: Apache-2.0
# bench/gpu/pack.sh with nvcc: programs for several devices, which run away from the build folder with the pack's own
# libraries. cuda.pack_run runs a whole pack on the emulated device.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
command -v patchelf > /dev/null || { echo "patchelf is missing"; exit 77; }
nvcc=$(command -v nvcc || ls "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc" 2> /dev/null)
[ -n "$nvcc" ] && "$nvcc" --version > /dev/null 2>&1 || { echo "nvcc is missing"; exit 77; }
. "$(dirname "$0")/../e2e/cc_lib.sh"

NVCC=$nvcc BENCH_ONLY="triad check/faults" "$root/bench/gpu/pack.sh" "$build" "$work/first" > log 2>&1 ||
  { cat log; fail "pack.sh"; finish; }
has "what was built" log '2 of 2 programs built$'
mkdir "$work/moved"
tar -C "$work/moved" -xzf "$work/first.tar.gz"
rm -rf "$work/first"
pack=$work/moved/first
is "the program" "$(env -i "$pack/bin/autotune" version | head -n 1)" "$(autotune version | head -n 1)"
for file in bin/autotune lib/libautotune.so.0 lib/autotune-gpu-worker programs/triad programs/check/faults; do
  ldd "$pack/$file" > libraries
  hasnt "$file: all is there" libraries "not found"
  hasnt "$file: nothing of the build folder" libraries "$build"
  has "$file: carried libraries" libraries "=> $pack/.*lib/lib\(hwloc\|autotune\)"
  hasnt "$file: no LLVM" libraries "LLVM\|clang"
done
for code in sm_90a sm_80; do
  check "machine code for $code" grep -qa "$code" "$pack/programs/triad"
done
for example in "$root"/examples/cuda/*.cu; do
  check "$(basename "$example"): as written" cmp -s "$example" "$pack/examples/cuda/$(basename "$example")"
done
is "symbolic links that lead out" "$(find "$pack" -type l -lname '/*')" ""
AUTOTUNE_PACK_ARCH=x BENCH_ONLY="triad" NVCC=$nvcc "$root/bench/gpu/pack.sh" "$build" "$work/none" > log 2>&1
is "no program can be built: exit status" $? 1
nvidia-smi > /dev/null 2>&1 && finish
"$pack/bench/gpu/bench.sh" --only triad > log 2>&1
is "without a device: exit status" $? 77
has "without a device" log 'there is no device'
finish
