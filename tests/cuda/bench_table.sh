# SPDX-License-Identifier: Apache-2.0
# bench/gpu/measure.py: ratios, targets, missing rows and the reasons, with programs that answer as serve.h says but
# measure nothing.
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v python3 > /dev/null || { echo "python3 is missing"; exit 77; }
. "$(dirname "$0")/../e2e/cc_lib.sh"

# answers COMMAND SECONDS BYTES: a program's line in the table of replies
answers() { printf '%s|{"first": 0.1, "bytes": %s, "flops": 0, "samples": [%s, %s, %s]}\n' "$1" "$3" "$2" "$2" "$2"; }
program() { # NAME, replies on standard input
  cat > "$1.replies"
  cat > "$1" << END
#!/bin/bash
while read -r line; do
  found=
  while IFS='|' read -r command reply; do
    case \$line in "\$command "*) echo "\$reply"; found=1; break ;; esac
  done < "$work/in/$1.replies"
  [ "\$found" ] || echo '{"error": "not known here"}'
done
END
  chmod +x "$1"
}
{ answers copy 1.0 100e9; answers "sgemm 4096" 0.85 0; } | program reference
{ answers triad 2.0 150e9; answers triad_wide 1.0 95e9; } | program triad # 0.75 and 0.95 of the rate
answers sgemm 1.0 0 | program sgemm                                     # 0.85 of cuBLAS
echo 'launch|{"tuned": [3e-6, 3e-6, 9e-6], "direct": [2.9e-6, 2.9e-6, 2.9e-6]}' | program launch
echo 'softmax|{"error": "an illegal memory access"}' | program softmax
printf '#!/bin/sh\nkill -SEGV $$\n' > transpose
chmod +x transpose

check "measure.py" env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$work/in" PATH="$work/in:$PATH" \
  BENCH_AUTOTUNE=/nowhere BENCH_VERSION=1 python3 "$root/bench/gpu/measure.py" . . --seconds 60 > table 2> errors
cat errors >> table
row() { has "$1" table "$2"; }
row "a rate below its target" '^triad, one line  *copy  *>= 0.9  *0.750  MISSED  *75 of 100 GB/s'
row "a rate that reaches it" '^triad  *copy  *>= 0.9  *0.950  reached'
row "speed" '^SGEMM 4096  *cuBLAS  *>= 0.9  *0.850  MISSED'
row "launches" '^tuned launch  *cuLaunchKernel  *<= 200 ns  *100 ns  reached'
row "an error says why" '^softmax  *copy .* softmax.*an illegal memory access'
row "a program that dies" '^transpose .*ended by signal 11'
row "a program that is not there" '^stencil .*stencil2d was not built'
row "without PyTorch" '^SGEMM 4096  *PyTorch .* torch cannot be used'
row "the sum" '^2 below target, '
cat > look.py << 'END'
import json, glob
(path,) = glob.glob("results/*.json")
result = json.load(open(path))
rows = {(r["row"], r["against"]): r for r in result["rows"]}
assert len(rows[("triad", "copy")]["samples"]) == 15
assert "value" not in rows[("softmax", "copy")]
assert not result["emulated"] and result["machine"]["torch"] is None and result["machine"]["date"]
print("fine")
END
is "the file" "$(python3 look.py)" fine

# A part: its rows take the places of those that were there.
answers triad 2.0 180e9 | program triad
check "measure.py --part" env PYTHONDONTWRITEBYTECODE=1 PATH="$work/in:$PATH" BENCH_AUTOTUNE=/nowhere BENCH_VERSION=2 \
  python3 "$root/bench/gpu/measure.py" . . --seconds 60 --part triad > part 2>&1
hasnt "a part has its own rows only" part '^SGEMM'
cat > look.py << 'END'
import json, glob
(path,) = glob.glob("results/*.json")
rows = json.load(open(path))["rows"]
of = {(r["row"], r["against"]): r for r in rows}
assert len(of) == len(rows) > 30
assert of["triad, one line", "copy"]["value"] == 0.9 and of["SGEMM 4096", "cuBLAS"]["value"] == 0.85
assert of["triad", "copy"]["value"] == 0.95 # what could not be measured now stands as it was
assert of["triad", "copy"]["version"] == "1" and of["triad, one line", "copy"]["version"] == "2"
assert all(r["date"] for r in rows)
print("fine")
END
is "the file, after a part" "$(python3 look.py)" fine

# A program that tunes for all of its budget is waited for, also where it is the only one and time is short.
cat > hgemm << 'END'
#!/bin/sh
while read -r line; do
  [ -z "$AUTOTUNE_BUDGET" ] || sleep "${AUTOTUNE_BUDGET%s*}"
  echo '{"first": 0.1, "bytes": 0, "flops": 0, "samples": [1.0]}'
done
END
chmod +x hgemm
answers "hgemm 8192" 0.5 0 >> reference.replies
check "measure.py with a budget that is used up" env PYTHONDONTWRITEBYTECODE=1 PATH="$work/in:$PATH" BENCH_PATIENCE=1 \
  BENCH_AUTOTUNE=/nowhere python3 "$root/bench/gpu/measure.py" . . --seconds 10 --part hgemm > short 2>&1
has "a budget that is used up" short '^half GEMM 8192  *cuBLAS .* 0.500 '

# PyTorch's choice for attention is shown.
mkdir -p torch/nn
cat > torch/__init__.py << 'END'
import time
__version__ = "9.9"
float16 = float32 = bfloat16 = uint8 = 0
class version: cuda = "13.0"
class tensor:
    def uniform_(self, low, high): return self
    def fill_(self, value): return self
def empty(*shape, dtype=None, device=None): return tensor()
class inference_mode:
    def __enter__(self): return self
    def __exit__(self, *what): return False
def _fused_sdp_choice(q, k, v, is_causal=False): return 3 if is_causal else 1
class backends:
    class cudnn:
        @staticmethod
        def version(): return 91900
    class cuda:
        class matmul: pass
class cuda:
    class Event:
        def __init__(self, enable_timing): pass
        def record(self): pass
        def synchronize(self): pass
        def elapsed_time(self, end): return 1000.0
    @staticmethod
    def synchronize(): pass
    @staticmethod
    def get_device_properties(i): return None
END
echo 'from . import functional' > torch/nn/__init__.py
echo 'def scaled_dot_product_attention(q, k, v, is_causal=False): pass' > torch/nn/functional.py
cat > torch/nn/attention.py << 'END'
import enum
class SDPBackend(enum.Enum):
    FLASH_ATTENTION = 1
    CUDNN_ATTENTION = 3
END
while read -r shape; do answers "attention $shape" 0.5 0; done << 'END' | program flash_attention
32 32 512 64 0 0
32 32 512 64 1 0
END
check "measure.py with PyTorch" env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$work/in" PATH="$work/in:$PATH" \
  BENCH_AUTOTUNE=/nowhere python3 "$root/bench/gpu/measure.py" . . --seconds 60 --part attention > attention 2>&1
has "PyTorch" attention '^PyTorch torch 9.9, cuda 13.0, cudnn 91900$'
has "its choice for attention" attention '^attention 64 512  *PyTorch .* 2.000 .*, FLASH_ATTENTION$'
has "its choice for causal attention" attention '^attention 64 causal 512  *PyTorch .*, CUDNN_ATTENTION$'
rm -r torch

# bench.sh: a part that hangs is ended, the others have their time, and all comes back in one file.
mkdir -p pack/bin pack/bench pack/programs/check
touch pack/packed
cp -r "$root/bench/gpu" pack/bench
printf '#!/bin/sh\necho autotune\n' > pack/bin/autotune
chmod +x pack/bin/autotune
for name in reference softmax; do
  sed "s|$work/in/|$work/in/pack/|" $name > pack/programs/$name
done
printf '%s\n' 'copy 65536|{"first": 0.1, "bytes": 100, "samples": [1.0]}' > pack/reference.replies
printf '%s\n' 'softmax 32 128|{"first": 0.1, "bytes": 50, "samples": [1.0]}' > pack/softmax.replies
cat > pack/programs/launch << 'END'
#!/bin/sh
trap "" TERM
echo $$ > launch.pid
while :; do sleep 1; done
END
chmod +x pack/programs/*
BENCH_PATIENCE=1000 pack/bench/gpu/bench.sh --emulated --only rest,launch --seconds 300 --out out > bench 2>&1
is "bench.sh with a part that hangs: exit status" $? 1
has "the part that hangs" bench 'launch: ended after [0-9]* s, not done'
for _ in $(seq 100); do kill -0 "$(cat launch.pid)" 2> none || break; sleep 0.1; done # until it is reaped
check "it is ended" not kill -0 "$(cat launch.pid)"
has "the next part" bench '^softmax 32 128  *copy .* 0.500 '
mkdir back
tar -C back -xzf out/autotune-gpu.tar.gz
check "what comes back" test -s back/printed -a -s back/logs/rest.txt
pack/bench/gpu/bench.sh --emulated --only nothing > bench 2>&1
is "a part that there is not: exit status" $? 2
has "the parts" bench 'suite sanitizer triad launch hgemm attention rest'

# bench.sh --from with a file that has no store.
tar -C back -czf less.tar.gz results printed
pack/bench/gpu/bench.sh --emulated --only rest --seconds 300 --from less.tar.gz > bench 2>&1
is "bench.sh --from: exit status" $? 0
has "what is not there is said" bench 'less.tar.gz has no cache'
check "what is there" grep -q 'softmax 32 128' pack/gpu-bench/results/*.json

# Results join those of the same machine that are in another folder.
mkdir -p to
cp results/*.json to
cat > look.py << 'END'
import glob, json, sys
(path,) = glob.glob("to/*.json")
result = json.load(open(path))
if len(sys.argv) > 1: # rows as they were written before they had dates
    one = {"row": "new", "against": "copy", "kind": "rate", "value": 2}
    json.dump({**result, "rows": [one], "report": None}, open("new.json", "w"))
    for row in result["rows"]:
        row.pop("date")
    result["machine"]["date"] = "long ago"
    json.dump(result, open("to/new.json", "w"))
else:
    rows = {(r["row"], r["against"]): r for r in result["rows"]}
    assert rows["triad", "copy"]["value"] == 0.95 and rows["triad", "copy"]["date"] == "long ago"
    assert rows["new", "copy"]["value"] == 2 and rows["new", "copy"]["date"][0] == "2"
    print("fine")
END
python3 look.py first
rm to/unknown.json
PYTHONDONTWRITEBYTECODE=1 python3 "$root/bench/gpu/results.py" join new.json to
is "results joined in another folder" "$(python3 look.py)" fine

# check.sh: answers that are wrong under compute-sanitizer only, variants that fail, programs that hang.
suite() { # PART SECONDS: what check.sh prints
  timeout -k 3 "${3:-60}" pack/bench/gpu/check.sh "$1" . pack/programs checked "$2"
}
mkdir -p cuda/bin pack/tests/cuda/device pack/examples/cuda pack/programs/check checked
: > pack/examples/cuda/01_triad.cu
: > pack/examples/cuda/02_transpose.cu
printf '#!/bin/sh\nexit 0\n' > pack/programs/check/01_triad
cp pack/programs/check/01_triad pack/programs/check/02_transpose
cat > cuda/bin/compute-sanitizer << 'END'
#!/bin/sh
case $* in
  *transpose*) echo "  WRONG ANSWER"; echo "========= ERROR SUMMARY: 0 errors"; exit 1 ;;
  *) [ ! "$SLOW" ] || sleep 30; echo "========= ERROR SUMMARY: 0 errors" ;;
esac
END
chmod +x cuda/bin/compute-sanitizer pack/programs/check/*
export CUDA_PATH=$PWD/cuda
suite sanitizer 40 > checks 2>&1
is "a wrong answer under compute-sanitizer: exit status" $? 1
has "what is right" checks '01_triad: racecheck found nothing'
has "a wrong answer" checks '02_transpose: FAILED under memcheck'
SLOW=1 suite sanitizer 0 > checks 2>&1
has "without time" checks "no time was left"
hasnt "without time" checks "found nothing"
cat > report << 'END'
#!/bin/sh
echo '{"kernels": [{"kernel": "wrong_one", "file": "/x/examples/cuda/06_hgemm.cu", "variants": {"right": 1, "wrong": 2}},
  {"kernel": "hangs", "file": "tests/cuda/device/hangs.cu", "variants": {"right": 1, "timeout": 2}}]}'
END
chmod +x report
BENCH_AUTOTUNE=$PWD/report suite suite 40 > checks 2>&1
is "variants that fail: exit status" $? 1
has "variants that fail" checks '^wrong_one: FAILED variants: 2 wrong$'
hasnt "variants that are to fail" checks '^hangs'
has "another device" checks '06_wgmma: not for this device'
BENCH_CC=90 suite suite 40 > checks 2>&1
has "a device of compute capability 9.0" checks '06_wgmma_BM128_BN64: was not built'
printf '#!/bin/sh\ntrap "" TERM\necho $$ > hangs.pid\nwhile :; do sleep 1; done\n' > pack/programs/check/01_triad
suite suite 100 3 > checks 2>&1
for _ in $(seq 50); do kill -0 "$(cat hangs.pid)" 2> none || break; sleep 0.1; done
check "a program that hangs ends with check.sh" not kill -0 "$(cat hangs.pid)"
unset CUDA_PATH

# A program that hangs costs the others little: it is asked twice only.
printf '#!/bin/sh\nexec sleep 60\n' > spmv
chmod +x spmv
cat > silent.py << 'END'
import sys, time
import measure
measure.PATIENCE = 0.2
bench = measure.Bench(".", ".", time.monotonic() + 60, False)
begin = time.monotonic()
answers = [bench.sample(("spmv", f"spmv {n}"), 1)["error"] for n in range(4)]
print(answers, file=sys.stderr)
assert answers[1].startswith("no answer within") and answers[2] == answers[3] == "spmv gave no answer, 2 times"
assert time.monotonic() - begin < 20
print("fine")
END
is "a program that hangs" "$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$root/bench/gpu" python3 silent.py)" fine
finish
