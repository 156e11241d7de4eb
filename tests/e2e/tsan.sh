# SPDX-License-Identifier: Apache-2.0
# Programs that are built with ThreadSanitizer, with libautotune as it is shipped: threads that call kernels while these
# are tuned give no report, and the program's own races are still found.
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=2s TSAN_OPTIONS=die_after_fork=0
include=$(dirname "$(command -v autotune)")/../include

cat > t.c << 'END'
#include <autotune.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#pragma autotune kernel param(STEP = 1: 1, 2, 4) key(n) inout(x[0:n])
long sum(int n, double *x)
{
  long s = 0;
  for (int i = 0; i < n; i += STEP)
    for (int j = i; j < n && j < i + STEP; j++)
      s += (long)(x[j] = (double)j);
  return s;
}
static int shared;
static void *calls(void *p)
{
  double *x = calloc(20000, sizeof *x);
  for (int i = 0; i < 500; i++, usleep(2000))
    sum(20000 - i % 3, x);
  free(x);
#ifdef RACE
  shared++;
#endif
  return p;
}
int main(void)
{
  pthread_t t[4];
  char *why = NULL;
  for (int i = 0; i < 4; i++)
    pthread_create(&t[i], NULL, calls, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], NULL);
  autotune_wait(-1);
  if (autotune_why("sum", NULL, &why) == AUTOTUNE_OK)
    puts(why), free(why);
  return shared == 9;
}
END
ran=0
for cc in $compilers; do
  echo 'int main(void) { return 0; }' > probe.c
  "$cc" -fsanitize=thread probe.c -o probe 2> /dev/null && ./probe || continue
  ran=$((ran + 1))
  check "$cc: compile" autotune cc "$cc" -g -O1 -fsanitize=thread t.c -I "$include" -pthread -o t
  for mode in first background online locked; do
    rm -rf "$AUTOTUNE_CACHE"
    AUTOTUNE_MODE=$mode timeout 100 ./t > out 2> err; is "$cc, $mode: exit status" $? 0
    hasnt "$cc, $mode: a report: $(grep -m 1 SUMMARY err)" err 'ThreadSanitizer'
  done
  check "$cc: compile" autotune cc "$cc" -g -O1 -fsanitize=thread -DRACE t.c -I "$include" -pthread -o t
  AUTOTUNE_MODE=locked timeout 100 ./t > out 2> err; is "$cc: a race: exit status" $? 66
  has "$cc: a race" err 'data race .*t.c:'
done
[ $ran -gt 0 ] || { echo "skipped: no compiler here has ThreadSanitizer"; exit 77; }
finish
