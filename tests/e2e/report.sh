# SPDX-License-Identifier: Apache-2.0
# autotune report: from a kernel's first call to the report's text on it.
. "$(dirname "$0")/cc_lib.sh"

export AUTOTUNE_CACHE=$work/cache
report() { autotune report "$@" > out 2> err; }

report; is "nothing measured: exit status" $? 1
has "nothing measured: said" out "nothing was ever measured"
report --json; is "nothing measured: exit status" $? 1
has "nothing measured: JSON" out '"kernels": \[\]'
report --cache "$work/elsewhere"; is "another folder: exit status" $? 1
check "a report makes no folder" [ ! -e "$AUTOTUNE_CACHE" ]
report > /dev/null; autotune report --help > /dev/full 2> err; is "a full disk: exit status" $? 1
has "a full disk: said" err '^autotune report: standard output: No space left'
for command in check db doctor report suggest translate tune why; do
  is "$command -h" "$(autotune $command -h)" "$(autotune $command --help)"
done
report --verbos; is "unknown option: exit status" $? 2
has "unknown option: suggestion" err "did you mean --verbose?"
report --kernel; is "no value: exit status" $? 2

cat > sum.c << 'END'
#include <stdio.h>
#pragma autotune kernel param(STEP: 1, 2, 4) in(x[0:n]) flops(n)
double sum(int n, const double *x)
{
  double s[STEP] = { 0 };
  for (int i = 0; i + STEP <= n; i += STEP)
    for (int k = 0; k < STEP; k++)
      s[k] += x[i + k];
  for (int k = 1; k < STEP; k++)
    s[0] += s[k];
  return s[0];
}
int main(void)
{
  static double x[1 << 16];
  for (int i = 0; i < 1 << 16; i++)
    x[i] = i % 8;
  printf("%g\n", sum(1 << 16, x));
  return 0;
}
END
check "compile" autotune cc gcc -O1 sum.c -o sum
is "answer" "$(AUTOTUNE_MODE=first AUTOTUNE_BUDGET=60s ./sum)" 229376
if [ -e "$AUTOTUNE_CACHE/results.db" ]; then
  report sum; is "exit status" $? 0
  has "kernel" out '^sum  (sum.c:[0-9]*)$'
  has "key" out 'for  *n = 65536$'
  has "default" out '^  default  *[0-9.]* [^ ]*s  *[0-9.]* .* [0-9.]* [^ ]*s  *[0-9.]*$'
  has "variants" out '^  variants  *[0-9]* tried'
  has "tuned" out '^  tuned  *20.*, in .*s (compiling .*, verifying '
  has "why" out 'STEP  ('
  hasnt "no trailing blanks" out ' $'
  report --json; is "JSON: exit status" $? 0
  has "JSON: kernel" out '"kernel": "sum"'
  has "JSON: key" out '"n": 65536'
  report --cache="$AUTOTUNE_CACHE" --kernel summ; is "another kernel: exit status" $? 1
  has "another kernel: said" out "kernel 'summ' was never measured; those that were: sum"
else
  fail "nothing was stored"
fi

printf 'STEP=4\t\nSTEP=3\t\nnonsense\n' > list
AUTOTUNE_MODE=first AUTOTUNE_CACHE=$work/listed AUTOTUNE_SEARCH=list:list ./sum > /dev/null 2> err
has "a list of variants: what is none is said" err 'list of variants: 2 lines name no variant of sum, line 2'
report --cache "$work/listed"
has "a list of variants: those, and no others" out '^  variants  *1 tried of 3'
finish
