# SPDX-License-Identifier: Apache-2.0
# A call that is the first to touch its memory spends its time on page faults, which no trial has: report, why and JSON
# say how long, about. Where the memory was touched before, they do not.
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE
export AUTOTUNE_REVERIFY=off
cat > first.c << 'END'
#include <stdlib.h>
#include <string.h>
#pragma autotune kernel flags("-O1", "-O2") out(y[0:n])
static void fill(long n, double *y)
{
  for (long i = 0; i < n; i++)
    y[i] = i;
}
int main(int argc, char **argv)
{
  long n = 4 << 20;
  double *y = malloc(n * sizeof *y);
  if (argc > 1)
    memset(y, 1, n * sizeof *y);
  fill(n, y);
  return y[n - 1] != n - 1;
}
END
check "compiles" autotune cc gcc -O1 first.c -o first
export AUTOTUNE_CACHE=$work/cold
check "the first to touch" ./first
autotune report > report; autotune why fill > why; autotune report --json > json
has "report: $(cat report)" report '^  page faults  about [0-9.]* ms of the tuned call'
has "why: $(cat why)" why 'page faults took about [0-9.]* ms of the tuned call, and no trial has them'
has "JSON" json '"page_faults": [0-9.e-]*[1-9]'
export AUTOTUNE_CACHE=$work/warm
check "touched before" ./first touched
autotune report > report; autotune why fill > why; autotune report --json > json
has "touched: tuned" report '^  variants  *2 tried'
hasnt "touched: report: $(cat report)" report 'page faults'
hasnt "touched: why: $(cat why)" why 'page faults'
has "touched: JSON" json '"page_faults": 0.0'
finish
