# SPDX-License-Identifier: Apache-2.0
# A program under a memory limit of its control group (cgroup): a variant that takes too much dies before the program,
# and what was short is said. Needs a group that this user may make; else it is skipped.
. "$(dirname "$0")/cc_lib.sh"

mine=$(sed -n 's/^[0-9]*:memory:/\/sys\/fs\/cgroup\/memory/p' /proc/self/cgroup) limit=memory.limit_in_bytes
[ -n "$mine" ] || { mine=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup) limit=memory.max; }
group=$mine/autotune-test-$$
mkdir "$group" 2> /dev/null && trap 'rmdir "$group"; rm -rf "$work"' EXIT &&
  echo 250M > "$group/$limit" 2> /dev/null ||
  { echo "skipped: no group with a memory limit can be made in $mine"; exit 77; }
# With swap the limit would not be reached in time.
[ ! -e "$group/memory.swap.max" ] || echo 0 > "$group/memory.swap.max"
[ ! -e "$group/memory.memsw.limit_in_bytes" ] || echo 250M > "$group/memory.memsw.limit_in_bytes"

cat > hog.c << 'END'
#include <autotune.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define HOG 0
#pragma autotune kernel param(HOG: 0, 1) key(n) inout(x[0:n])
double sum(int n, double *x)
{
  double s = 0;
  usleep(300000); // so that the limit of time is not reached first
#if HOG
  char *p = malloc(1 << 30);
  for (int k = 0; p && k < 1 << 30; k += 4096)
    ((volatile char *)p)[k] = 1;
#endif
  for (int i = 0; i < n; i++)
    s += x[i] = i;
  return s;
}
int main(void)
{
  static double x[1 << 16];
  char *why = NULL;
  printf("%g\n", sum(1 << 16, x));
  if (autotune_why("sum", NULL, &why) == AUTOTUNE_OK)
    puts(why), free(why);
  return 0;
}
END
include=$(dirname "$(command -v autotune)")/../include
check "compile" autotune cc gcc -O1 -I "$include" hog.c -o hog
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=20s AUTOTUNE_MODE=first AUTOTUNE_LOG=debug
# shellcheck disable=SC2016 # the inner shell's own number
timeout 120 sh -c 'echo $$ > "$1/cgroup.procs" && exec ./hog' sh "$group" > out 2> err; is "the program's end" $? 0
has "the answer" out '^2.14745e+09$'
has "what was short" err "out of memory ($limit of the cgroup: 250 MiB)"
autotune report --verbose > report 2>&1
has "the report" report "out of memory ($limit of the cgroup: 250 MiB)"
