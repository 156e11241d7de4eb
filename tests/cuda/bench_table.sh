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
  BENCH_AUTOTUNE=/nowhere python3 "$root/bench/gpu/measure.py" . . --seconds 60 > table 2> errors
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
{ answers triad 2.0 180e9; answers triad_wide 1.0 95e9; } | program triad
check "measure.py --part" env PYTHONDONTWRITEBYTECODE=1 PATH="$work/in:$PATH" BENCH_AUTOTUNE=/nowhere \
  python3 "$root/bench/gpu/measure.py" . . --seconds 60 --part triad > part 2>&1
hasnt "a part has its own rows only" part '^SGEMM'
cat > look.py << 'END'
import json, glob
(path,) = glob.glob("results/*.json")
rows = json.load(open(path))["rows"]
values = {(r["row"], r["against"]): r.get("value") for r in rows}
assert len(values) == len(rows) > 30
assert values["triad, one line", "copy"] == 0.9 and values["SGEMM 4096", "cuBLAS"] == 0.85
print("fine")
END
is "the file, after a part" "$(python3 look.py)" fine

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
