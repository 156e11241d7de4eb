# SPDX-License-Identifier: Apache-2.0
# `autotune cc --auto`: a kernel whose key has another value in each call. Few tunings decide all of them, and later runs
# tune nothing.
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_MODE=first AUTOTUNE_LOG=info OMP_NUM_THREADS=1 AUTOTUNE_REVERIFY=off
export AUTOTUNE_BUDGET=2s

cat > steps.c << 'EOF_C'
#include <stdio.h>
#include <stdlib.h>
void step(int n, int from, int left, const double *x, double *y)
{
  for (int t = 0; t < 20; t++)
    for (int i = 1; i < n - 1; i++)
      y[i] = (x[i - 1] + x[i] / 3 + x[i + 1]) / (1.5 + y[i]) + (from + left) % 2;
}
int main(int argc, char **argv)
{
  int n = 20000, first = atoi(argv[1]), last = atoi(argv[2]);
  double *x = malloc(n * sizeof *x), *y = calloc(n, sizeof *y), sum = 0;
  for (int i = 0; i < n; i++)
    x[i] = i % 13;
  for (int t = first; t < last; t++)
    step(n, 1000 + t, 3000 - t, x, y);
  for (int i = 0; i < n; i++)
    sum += y[i];
  printf("%.12g\n", sum);
  return argc == 0;
}
EOF_C
gcc -O2 steps.c -o plain
check "builds" autotune cc --auto gcc -O2 steps.c -o steps 2> /dev/null
tunings() { grep -c 'info: step: \(tuned: \|default: none\|default: the only\)' "$1"; }
for run in 1 2 3 4 5 6 7 8; do
  is "run $run: answer" "$(./steps 0 600 2> $run.log)" "$(./plain 0 600)"
  echo "run $run: $(tunings $run.log) tunings"
  [ $run -lt 4 ] || [ "$(tunings $run.log)" -gt 0 ] || break
done
has "hot" 1.log 'step: hot:'
# Without a rule, each of some hundred values is tuned. How many are tuned in which run depends on the machine's load.
cat [1-8].log > all.log
check "at least one tuning" [ "$(tunings all.log)" -ge 1 ]
check "few tunings: $(tunings all.log)" [ "$(tunings all.log)" -le 9 ]
is "the last run tunes nothing" "$(tunings $run.log)" 0
said='info: step: from, left \(are not looked at\|has too many values\).*; a new value is'
has "it is said" all.log "$said"
for run in $(seq $run); do
  check "run $run: each is said once" [ -z "$(grep "$said" $run.log | sort | uniq -d)" ]
done
hasnt "nobody wrote this key" all.log 'write key'
autotune why step > why.out
has "why" why.out '^  from, left \(are not looked at\|has too many values\)'

# A new value in each call, and a winner: two loops whose order is wrong for the cache. When two tunings agree and two further
# values were compared, all others run the winner, also those that come once. Calls whose sections overlap run as written.
cat > turn.c << 'EOF_C'
void turn(int n, int serial, double *x, double *y)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[j * n + i] = x[j * n + i] * 0.5 + serial;
}
EOF_C
# In a library, which the last run closes, so that what belongs to the kernel is freed.
cat > turns.c << 'EOF_C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
  int n = 900, first = atoi(argv[2]), last = atoi(argv[3]);
  double *x = malloc(2 * n * n * sizeof *x), *y = calloc(n * n, sizeof *y), sum = 0;
  void *library = dlopen(argv[1], RTLD_NOW);
  void (*turn)(int, int, double *, double *) = (void (*)(int, int, double *, double *))dlsym(library, "turn");
  for (int i = 0; i < 2 * n * n; i++)
    x[i] = i % 13;
  for (int t = first; t < last; t++)
    if (t % 16 == 5)
      turn(n, t, x, x + n); // each row from the one before
    else
      turn(n, t, x, y), sum += y[t % (n * n)];
  if (argc > 4 && dlclose(library) != 0)
    return 1;
  for (int i = 0; i < n * n; i++)
    sum += y[i] + x[i];
  printf("%.12g\n", sum);
  return argc == 0;
}
EOF_C
export AUTOTUNE_CACHE=$work/turn AUTOTUNE_BUDGET=1s
gcc -O1 turns.c -o turns
gcc -O1 -shared -fPIC turn.c -o plain.so
check "turn: builds" autotune cc --auto gcc -O1 -shared -fPIC turn.c -o turn.so 2> /dev/null
turns() { # NAME LOG FIRST LAST [close]: the answers are those of the library without autotune
  check "turn, $1: ends well" ./turns ./turn.so $3 $4 ${5-} > turns.out 2> $2
  is "turn, $1: answer" "$(cat turns.out)" "$(./turns ./plain.so $3 $4)"
}
trusts='turn: serial is not looked at: .*neither tuned nor compared'
for run in $(seq 16); do
  AUTOTUNE_LOG=debug turns "run $run" $run.log $((run * 100)) $((run * 100 + 300))
  autotune report --follow > follow.log
  ! grep -q "$trusts" $run.log || break
done
has "turn: new values take the winner" $run.log "$trusts"
turns "after it" turn.log 150 290 close
hasnt "turn: tunes nothing then" turn.log ': tuned:'
check "turn: few keys are compared" [ "$(autotune report --kernel turn | grep -c '^  for .*serial = ')" -le 12 ]

# A winner that makes vectors of roots and divisions, where the code as written skips them. On other data it is slower: then
# the default runs, and the winner again when it is faster.
cat > masked.c << 'EOF_C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void masked(int n, int serial, const double *x, double *y)
{
  if (n < 0)
    puts("the loop is the kernel: this call is not understood");
  for (int i = 0; i < n; i++)
    y[i] = x[i] > 1 ? sqrt(x[i]) / (x[i] + 1) + x[i] / (x[i] + serial) + sqrt(x[i] / (x[i] + 3)) : y[i] + 1;
}
int main(int argc, char **argv)
{
  int n = 20000, first = atoi(argv[1]), last = atoi(argv[2]);
  double *x = malloc(n * sizeof *x), *y = calloc(n, sizeof *y), sum = 0;
  srand(1);
  for (int t = first; t < last; t++) {
    if (t == first || t == (first + last) / 2) // "some": in both halves; "none": in the second one
      for (int i = 0; i < n; i++)
        x[i] = rand() % 2 && (t != first || strcmp(argv[3], "some") == 0) ? 2 + i % 7 : 0.5;
    masked(n, 1000 + t % 2000, x, y);
    sum += y[t % n];
  }
  printf("%.9g\n", sum);
  return argc == 0;
}
EOF_C
export AUTOTUNE_CACHE=$work/masked
one=$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//') # a processor: no variant has threads
masked() { taskset -c $one ./masked "$@"; }
gcc -O1 masked.c -o plain -lm
check "masked: builds" autotune cc --auto gcc -O1 masked.c -o masked -lm 2> /dev/null
trusts='masked[_0-9a-f]*: serial is not looked at: .*neither tuned nor compared'
for run in $(seq 16); do
  is "masked, run $run: answer" "$(AUTOTUNE_LOG=debug masked $((run * 100)) $((run * 100 + 2000)) some 2> $run.log)" \
    "$(./plain $((run * 100)) $((run * 100 + 2000)) some)"
  ! grep -q "$trusts" $run.log || break
done
has "masked: new values take the winner" $run.log "$trusts"
is "masked: answer" "$(masked 150 40150 none 2> masked.log)" "$(./plain 150 40150 none)"
has "masked: the default runs" masked.log 'info: masked[_0-9a-f]*: for new values of the key the winner is 0[.].* x as fast as the default: the default runs'
has "masked: the winner runs again" masked.log 'info: masked[_0-9a-f]*: for new values of the key the winner is [1-9].* x as fast as the default: it runs again'
finish
