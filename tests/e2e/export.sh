# SPDX-License-Identifier: Apache-2.0
# autotune export: FAIR T4 and T1, compared with their schemas, and read by bench/search; autotune why.
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
. "$here/cc_lib.sh"

export AUTOTUNE_CACHE=$work/cache
schema() { check "schema: $2" node "$here/schema.js" "$here/schemas/$1" "$2"; }

source_of() { # STEPS
  cat << END
#include <stdio.h>
#include <stdlib.h>
#pragma autotune kernel param(STEP: $1) param(SCALE: 0.5, 2.0) key(n) in(x[0:n]) out(y[0:n]) \\
    constraint(STEP <= n) flags("", "-ffp-contract=off")
void twice(int n, const double *x, double *y)
{
  #pragma autotune tile sizes({16, 64}) optional
  for (int i = 0; i < n; i++)
    y[i] = SCALE == 0.5 && STEP == 3 ? abort(), 0 : x[i] * (STEP / STEP + 1);
}
int main(int argc, char **argv)
{
  static double x[4096], y[4096];
  for (int i = 0; i < 4096; i++)
    x[i] = i;
  for (int i = 1; i < argc; i++) {
    twice(atoi(argv[i]), x, y);
    printf("%g\n", y[atoi(argv[i]) - 1]);
  }
  return 0;
}
END
}
source_of "1, 2, 3" > twice.c
check "compile" autotune cc gcc -O1 twice.c -o twice
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=20s AUTOTUNE_LOG=info ./twice 4096 > answer 2> log
is "answer" "$(cat answer)" 8190

autotune export --t4 > t4.json 2> err; is "T4" $? 0
autotune export --t1 twice --key n=4096 -o t1.json 2> err; is "T1" $? 0
autotune export --t4 twice --key n=7 > out 2> err; is "T4: no such key" $? 1
autotune export > out 2> err; is "no format" $? 2
autotune export --t1 --t4 > out 2> err; is "two formats" $? 2
has "T4: variants" t4.json '"STEP": 2'
has "T4: reals" t4.json '"SCALE": 2.0'
has "T4: a failure" t4.json '"invalidity": "runtime"'
has "T4: its value" t4.json '"value": "runtime"'
has "T1: parameter" t1.json '"Values": "\[1, 2, 3\]"'
has "T1: flags" t1.json '"Values": "\[\\"\\", \\"-ffp-contract=off\\"\]"'
has "T1: constraint" t1.json '"Expression": "STEP <= n"'
has "T1: what depends" t1.json '"Expression": "tile@7.1 != \\"no\\" or tile@7.2 == 16"'
if command -v node > /dev/null; then
  schema t4.json t4.json
  schema t1.json t1.json
  sed 's/"correctness": 1/"correctness": "yes"/' t4.json > bad.json
  check "schema: a bad file is refused" not node "$here/schema.js" "$here/schemas/t4.json" bad.json > /dev/null
else
  echo "no node: the schemas are left out"
fi
if [ -x "$build/bench/search" ]; then # bench/search can search in our output
  mkdir folder && cp t4.json folder/ && gzip folder/t4.json
  "$build/bench/search" --seeds 2 folder > out 2> err || cat err
  has "bench/search reads it" out 't4'
fi

# why: what runs; what differs after an edit, on another machine, for another compiler
why() { autotune why "$@" > out 2> err; }
why; is "why: no kernel" $? 2
why nothing; is "why: no such kernel" $? 1
why twice; is "why" $? 0
has "why: what runs" out '^  n = 4096  .*found 20'
AUTOTUNE_MODE=locked ./twice 9 > /dev/null 2>&1
why twice --key n=9
has "why: never tuned" out '^  n = 9  .*the default, until it is tuned: never tuned for this key'
source_of "1, 2, 4" > twice.c
check "compile" autotune cc gcc -O1 twice.c -o twice
AUTOTUNE_MODE=locked ./twice 9 > /dev/null 2>&1
why twice --key 4096
has "why: another list" out 'candidates or the constraint changed; [1-9][0-9]* of [0-9]* timings still hold'
autotune db export -o a.jsonl
sed 's/"threads": [0-9]*/"threads": 77/;s/, "sum": "[0-9a-f]*"//' a.jsonl > threads.jsonl
sed 's/\("toolchain": "clang \)[0-9.]*/\13.0.0/;s/, "sum": "[0-9a-f]*"//' a.jsonl > clang.jsonl
for what in threads clang; do
  check "import" autotune db import $what.jsonl --cache $what > /dev/null
done
autotune why twice --cache threads > out
has "why: threads" out 'the default, until it is tuned: threads 77 → '
autotune why twice --cache clang > out
has "why: compiler" out 'compiler clang 3.0.0 → clang [0-9.]*$'
AUTOTUNE_WISDOM=a.jsonl autotune why twice > out
has "why: wisdom" out '^      wisdom: a.jsonl:1: '
has "why: wisdom of another key" out '^      wisdom: a.jsonl:1 differs: it is for n = 4096'
finish
