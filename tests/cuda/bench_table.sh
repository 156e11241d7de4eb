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
  BENCH_AUTOTUNE=/nowhere python3 "$root/bench/gpu/measure.py" . results --seconds 60 > table 2> errors
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

# A program that hangs costs the others little: it is asked twice only.
printf '#!/bin/sh\nexec sleep 60\n' > spmv
chmod +x spmv
cat > silent.py << 'END'
import sys, time
import measure
measure.PATIENCE = 0.2
bench = measure.Bench(".", time.monotonic() + 60, False)
begin = time.monotonic()
answers = [bench.sample(("spmv", f"spmv {n}"), 1)["error"] for n in range(4)]
print(answers, file=sys.stderr)
assert answers[1].startswith("no answer within") and answers[2] == answers[3] == "spmv gave no answer, 2 times"
assert time.monotonic() - begin < 20
print("fine")
END
is "a program that hangs" "$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$root/bench/gpu" python3 silent.py)" fine
finish
