# SPDX-License-Identifier: Apache-2.0
# When a search ends: budgets in words, and `until: roof`. The times of calls are those that usleep waits.
. "$(dirname "$0")/cc_lib.sh"

# ---- what is compiled ----

for file in a.c a.cpp a.cu; do
  [ "${file#a.c}" != u ] && device= || device=__global__
  cat > "$file" << EOF
#pragma autotune kernel param(W: 1, 2) out(x[0:n]) search(budget: patient, 500, until: 2%, roof 80%)
$device void fill(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = W;
}
EOF
  check "$file: check" autotune check "$file" > out
  check "$file: translate" env CUDA_PATH=/nowhere autotune translate "$file" > out
  has "$file: the time" out '\.budget_seconds = 6\.0*e+01[;,]'
  has "$file: the variants" out '\.budget_variants = 500[;,]'
  has "$file: the improvement" out '\.until = 2\.0*4e-02[;,]'
  has "$file: the roof" out '\.until_roof = 8\.0*44e-01[;,]'
done

# ---- a program ----

cat > wait.c << 'EOF'
#include <stdio.h>
#include <unistd.h>
#pragma autotune kernel param(W = 12: 12, 1, 2, 3, 4, 5, 6, 7, 8, 9) param(N: 1..100) out(x[0:n]) bytes(8.0 * n) LIMITS
void waits(int n, double *x)
{
  usleep(W * 5000 + N);
  for (int i = 0; i < n; i++)
    x[i] = i;
}
int main(int n, char **words)
{
  static double x[1000];
  (void)words;
  for (int i = 0; i < n; i++)
    waits(1000 - i, x);
  printf("%g\n", x[998]);
  return 0;
}
EOF
build() { # PROGRAM SED LIMITS: the source changed by SED
  sed "$2; s/ LIMITS/ $3/" wait.c > "$1.c"
  check "compile $1" autotune cc gcc -O1 -fopenmp "$1.c" -o "$1"
}
run() { # PROGRAM [WORD]: tunes a key, or two, in a new folder
  rm -f "$AUTOTUNE_CACHE"/results*
  AUTOTUNE_MODE=first AUTOTUNE_LOG=info "./$@" > out 2> log
  is "$1: answer" "$(cat out)" 998
  autotune report --verbose > report
}
export AUTOTUNE_CACHE=$work/cache

# ---- budgets in words ----

build quick '' 'search(random, budget: quick)'
run quick
has "the pragma's word: $(grep search report)" report 'random: budget of 2 s spent'
AUTOTUNE_BUDGET='normal,2' run quick
has "the variable's word and number: $(grep search report)" report 'random: budget of 2 variants spent'
rm -r "$AUTOTUNE_CACHE"
check "tune with a word" autotune tune --budget quick,1000 -- ./quick > out 2> err
autotune report --verbose > report
has "the option's word: $(grep search report)" report 'random: budget of 2 s spent'
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=slow ./quick > out 2> err
has "an unknown word" err 'AUTOTUNE_BUDGET=slow: not a budget .* none of the words quick, normal and patient$'
not autotune tune --budget slow -- ./quick > out 2> err
has "an unknown word of the option" err 'none of the words quick, normal and patient$'

# ---- the machine's limits are not known ----

export AUTOTUNE_BUDGET=60s,2
roof='search(auto, until: roof 50%)'
build near '' "$roof"
build untold 's/bytes(8.0 \* n)//' "$roof"
run near twice
is "said once: $(cat log)" "$(grep -c 'warning: waits: until: roof 50% does not end the search: the limits of this machine' log)" 1
has "it goes on with the budget" report 'auto: budget of 2 variants spent'
AUTOTUNE_CACHE=off AUTOTUNE_MODE=first ./near > out 2> log
has "there is no folder" log 'until: roof 50% does not end the search: the limits of this machine are kept with results'
run untold
has "no work is declared" log 'until: roof 50% does not end the search: the pragma declares neither'

# `autotune tune` has them measured, once.
rm "$AUTOTUNE_CACHE"/results*
check "tune near a low roof" autotune tune --budget 60s,2 --until 'roof 0.000001%' -- ./near > out 2> err
has "it measures" err '^autotune tune: measures the limits of this machine$'
has "the default is near enough: $(cat err)" err 'default: no variant was tried: roof reached: .* (1 thread)'
autotune report --verbose > report
has "the report says so" report 'auto: roof reached: '
check "the same again" autotune tune --budget 60s,2 --until 'roof 0.000001%' -- ./near > out 2> err
hasnt "it does not measure again" err 'measures the limits'

# ---- a machine that writes 8000 bytes in 4 ms ----

limits() { # RATE
  sed -i 's/"flops": .*/"flops": 1e15,/; s/"busy": .*/"busy": false,/
    s/"\(l1\|l2\|l3\|memory\)": [^,]*/"\1": '"$1/" "$AUTOTUNE_CACHE/roofs"
}
for w in 6 1 9 8 7 5 4 3; do printf 'W=%s\tN=1\n' $w; done > list
export AUTOTUNE_SEARCH=list:$work/in/list AUTOTUNE_BUDGET=60s,8
limits 2e6
run near
has "the second variant is near: $(cat log)" log 'waits: the search ends: roof reached: [5-9][0-9.]* % of what .* allows (1 thread)$'
has "the others are not tried: $(cat log)" log 'tuned: .* in [1-6] variants*: W=1'
has "the report: why it ended" report ': roof reached: .* allows (1 thread)'
build threads 's/^  for/#pragma omp parallel for num_threads(1)\n  for/' "$roof"
run threads
has "of a kernel with OpenMP some are compiled ahead: $(cat log)" log 'the search ends: roof reached: .* allows ([0-9]* threads*)$'
has "and not tried: $(cat log)" log 'tuned: .* in [1-6] variants*: W=1'
AUTOTUNE_UNTIL='roof 99%' run near
hasnt "the variable asks for more: $(cat log)" log 'roof reached'
has "all are tried" log 'tuned: .* in 8 variants: W=1'
limits 2e4
run near
has "the limits are wrong: $(cat log)" log 'until: roof 50% does not end the search: a variant is faster than the limits'
has "all are tried then" log 'tuned: .* in 8 variants: W=1'
sed -i 's/"when": .*/"when": 1700000000,/' "$AUTOTUNE_CACHE/roofs"
run near
has "old limits do not count: $(cat log)" log 'the limits of this machine are not measured yet'
finish
