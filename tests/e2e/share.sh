# SPDX-License-Identifier: Apache-2.0
# What tuning takes from a program is a small part of the time of all its runs, also where each run has another key to tune.
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_LOG=debug AUTOTUNE_AFTER=off OMP_NUM_THREADS=1

# It writes to all of its memory again and again, so each fork makes it copy all pages. No run sees the end of a tuning.
cat > blur.c << 'EOF_C'
#include <stdlib.h>
#include <time.h>
void blur(int n, const double *x, double *y)
{
  for (int t = 0; t < 3; t++)
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      y[i] = (x[i - 1] + x[i] / 3 + x[i + 1]) / (1.5 + y[i]);
}
int main(int argc, char **argv)
{
  int n = 1000000 * (argc > 3 ? atoi(argv[3]) : 3) + 1000 * atoi(argv[1]);
  double seconds = argc > 2 ? atof(argv[2]) : 1.8;
  double *x = malloc(n * sizeof *x), *y = calloc(n, sizeof *y);
  struct timespec now, begin;
  for (int i = 0; i < n; i++)
    x[i] = i % 13;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  do {
    blur(argc > 4 ? n / atoi(argv[4]) : n, x, y);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  } while (now.tv_sec - begin.tv_sec + 1e-9 * (now.tv_nsec - begin.tv_nsec) < seconds);
  free(x);
  free(y);
  return argc == 0;
}
EOF_C
check "builds" autotune cc --auto gcc -O2 blur.c -o blur
for run in $(seq 5); do
  ./blur "$run" 2> "$run.log"
done
begun() { cat "$@" | grep -c 'a tuning begins in the background'; }
taken() { sed -n 's/.*of \([0-9.e+-]*\) s in all runs, tunings and checks took \([0-9.e+-]*\) s; .*/\2 \1/p' "$1"; }
has "hot" 1.log 'blur: hot:'
# On a slow machine copies of pages may be too much of the first run's time: then the second one begins it.
run=1
[ "$(begun 1.log)" = 1 ] || run=2
is "one of the first runs begins a tuning" "$(begun $run.log)" 1
read -r first _ <<< "$(taken $run.log)"
most=$(for run in 1 2 3 4 5; do taken $run.log; done | awk '{ d = $1 - last; last = $1; if (d > most) most = d } END { print most }')
read -r all time <<< "$(taken 5.log)"
echo "tunings begun: $(begun [1-5].log); they took $all s of $time s, the first $first s"
check "it is noted" [ -n "$all" ]
# The first one is free, and a run in which one begins may overdraw by what it is.
check "a small part of the time" awk -v all="$all" -v first="$first" -v most="$most" -v time="$time" \
  'BEGIN { exit !(time > 7 && all <= first + most + 0.05 * time) }'
check "not one in each run" awk -v first="$first" -v time="$time" -v begun="$(begun [1-5].log)" \
  'BEGIN { exit !(begun <= 1 + 0.05 * time / first) }'
# Without what is noted, each run is the first one. Tunings that end before they try a variant are noted in the store.
rm -f "$AUTOTUNE_CACHE/ledger"
./blur 6 2> 6.log
[ "$(begun 6.log)" = 1 ] || ./blur 7 2> 6.log
if grep -q 'times* in vain' 6.log; then
  rm -rf "$AUTOTUNE_CACHE"
  ./blur 8 2> 6.log
  [ "$(begun 6.log)" = 1 ] || ./blur 9 2> 6.log
fi
is "as if it were the first run" "$(begun 6.log)" 1

# A program of half a second with two threads and 400 MB: its tuning begins late, when calls have already asked the store.
check "late: builds" autotune cc --auto gcc -O2 -fopenmp blur.c -o late
# Where page faults are slow, 400 MB take longer than the calls; then these go on for longer.
for seconds in 0.4 2; do
  for run in $(seq 6); do
    OMP_NUM_THREADS=2 AUTOTUNE_AFTER=1s AUTOTUNE_CACHE=$work/late.cache ./late 1 $seconds 24 60 2> "late.$run.log"
  done
  [ "$(begun late.[1-6].log)" = 0 ] || break
done
check "late: a tuning begins" [ "$(begun late.[1-6].log)" -ge 1 ]

# A short program with most of its time in a kernel, 0.15 s: that is hot.
AUTOTUNE_CACHE=$work/short ./blur 1 0.15 1 2> short.log
has "short: hot" short.log 'blur: hot:'
finish
