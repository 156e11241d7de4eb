# SPDX-License-Identifier: Apache-2.0
# bench/gpu/pack.sh and bench.sh, all of it on the emulated device: packed here, unpacked in a bare root, run there in
# two calls, with what comes back in one file. compute-sanitizer refuses the device there, and IPC does not work.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
. "$(dirname "$0")/bare.sh"
for tool in patchelf clang++-22 python3 unshare; do
  command -v $tool > /dev/null || { echo "$tool is missing"; exit 77; }
done
bare_possible || exit 77
. "$(dirname "$0")/../e2e/cc_lib.sh"

"$root/bench/gpu/pack.sh" --emulated "$build" "$work/pack" > log 2>&1 || { cat log; fail "pack.sh"; finish; }
has "all programs are built" log ' \([0-9]*\) of \1 programs built$'
bare_make "$work/bare" || { fail "no bare root could be made"; finish; }
tar -C "$work/bare" -xzf "$work/pack.tar.gz"

# NVRTC's stand-in: this machine's Clang.
cat > "$work/bare/nvrtc" << 'END'
#!/bin/sh
export LD_LIBRARY_PATH=/machine/usr/lib/llvm-22/lib:/machine/usr/lib/x86_64-linux-gnu PATH=/machine/usr/bin
exec /machine/usr/lib/llvm-22/bin/clang++ --sysroot=/machine "$@"
END
mkdir -p "$work/bare/cuda/bin"
cat > "$work/bare/cuda/bin/compute-sanitizer" << 'END'
#!/bin/sh
echo '========= Error: Device not supported'
exit 1
END
chmod +x "$work/bare/nvrtc" "$work/bare/cuda/bin/compute-sanitizer"

call() { # NAME ARGUMENT…
  local name=$1
  shift
  bare_run "$work/bare" CUDA_PATH=/cuda AUTOTUNE_EMULATE_CLANG=/nvrtc AUTOTUNE_EMULATE=fault=ipc:1+ BENCH_PATIENCE=400 \
    /pack/bench/gpu/bench.sh --emulated --out /out "$@" > "$name" 2>&1 || { cat "$name"; fail "$name: exit status $?"; }
}
call first --only suite,sanitizer,triad,launch --seconds 1400
has "the suite" first 'faults: right'
has "the suite: lessons" first '01_triad: right'
has "the suite: unit tests" first 'test_gpu_run: right\|test_gpu_run: not here'
hasnt "the suite: nothing is wrong" first 'FAILED\|not checked\|was not built'
has "IPC" first 'IPC does not work here, trials get copies: '
has "compute-sanitizer" first 'compute-sanitizer does not work here'
has "triad" first '^triad_wide 3000 .*GB/s'
has "launch" first '^tuned launch .* ns against '
hasnt "the first call measures no more" first '^softmax'
call second --only hgemm,attention,rest --seconds 1400
for row in 'hgemm 128' 'attention 1 1 64 64 0 0' 'softmax 32 128' 'spmv 64 8' 'sgemm 128'; do
  has "$row" second "^$row  *copy  *-  *[0-9.]*  "
done
has "what is missing" second '^SGEMM  *cuBLAS .*cuBLAS'
hasnt "no part is left out" first 'no time was left\|not done\|: failed'
hasnt "no part is left out" second 'no time was left\|not done\|: failed'

# What comes back.
is "files" "$(ls "$work/bare/out")" autotune-gpu.tar.gz
mkdir back && tar -C back -xzf "$work/bare/out/autotune-gpu.tar.gz"
has "what was printed, of both calls" back/printed '01_triad: right'
has "what was printed, of both calls" back/printed '^softmax'
check "the logs" test -s back/logs/faults.log
cat > look.py << 'END'
import glob, json
(path,) = glob.glob("back/results/*.json")
result = json.load(open(path))
rows = {(r["row"], r["against"]): r for r in result["rows"]}
assert len(rows) == len(result["rows"])
for row in ("triad 3000", "softmax 32 128", "hgemm 128"):
    assert len(rows[row, "copy"]["samples"]) == 35, row
assert rows["tuned launch", "cuLaunchKernel"]["samples"] and result["report"]["kernels"]
print("fine")
END
is "the results" "$(python3 look.py)" fine
AUTOTUNE_CACHE=$PWD/back/cache autotune report --json > report
has "the store" report '"kernel": "softmax"'
finish
