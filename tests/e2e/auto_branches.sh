# SPDX-License-Identifier: Apache-2.0
# `autotune cc --auto` where an #if stands within a function: it reads what this build compiles, in which the loop or its
# directive may have other code around it. Directives of OpenMP that a build without it ignores are ignored.
. "$(dirname "$0")/cc_lib.sh"
export OMP_NUM_THREADS=2 AUTOTUNE_LOG=info

cat > step.c << 'EOF_C'
#ifndef CLOSED
#define OPEN
#endif
void threads(int n);
void step(int n, int m, const double *from, double *to, double c)
{
  int i, j;
#ifdef OPEN
#ifndef ALONE
  threads(2);
#endif
#pragma omp parallel for private(j)
#else
  c *= 2;
#endif
  // of each row
  for (i = 1; i < n - 1; i++)
    for (j = 1; j < m - 1; j++) {
#if defined(TWICE) || __STDC_VERSION__ < 0
      to[i * m + j] = to[(i - 1) * m + j] * c;
#else
      to[i * m + j] = from[i * m + j] * c + from[(i - 1) * m + j] + from[(i + 1) * m + j];
#endif
    }
}
int line(void) { return __LINE__; }
long other(int n, const int *x)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
#ifdef __clang__
    sum += x[i];
#else
    sum += 2 * x[i];
#endif
  return sum;
}
EOF_C
cat > main.c << 'EOF_C'
#include <stdio.h>
#include <stdlib.h>
void threads(int n) { (void)n; }
void step(int n, int m, const double *from, double *to, double c);
int line(void);
long other(int n, const int *x);
int main(void)
{
  int n = 300, x[300];
  double *a = calloc(n * n, 8), *b = calloc(n * n, 8), s = 0;
  for (int i = 0; i < n * n; i++)
    a[i] = i % 7, b[i] = i % 3;
  for (int i = 0; i < n; i++)
    x[i] = i;
  for (int t = 0; t < 1500; t++)
    step(n, n, t % 2 ? a : b, t % 2 ? b : a, 0.3);
  for (int i = 0; i < n * n; i++)
    s += a[i] * (i % 13);
  printf("%.17g %d %ld\n", s, line(), other(n, x));
  return 0;
}
EOF_C

for flags in "" -fopenmp "-DTWICE -fopenmp" -DCLOSED; do
  name=flags$(echo "$flags" | tr -d ' ')
  gcc -O1 $flags main.c step.c -o plain
  expected=$(./plain)
  autotune cc --auto gcc -Wall -Werror -Wno-unknown-pragmas -O1 $flags -c step.c 2> log || fail "$name: builds"
  hasnt "$name: no failure" log warning
  hasnt "$name: compilers differ" log other
  if [ "$flags" = "-DTWICE -fopenmp" ]; then
    hasnt "$name: rows depend on each other" <(strings step.o) 'num_threads(THREADS)'
  else
    has "$name: a kernel" log "once they are hot: .*'step'"
  fi
  case $flags in # its author's directive is ignored, or left out
    "" | -DCLOSED) has "$name: threads" <(strings step.o) 'num_threads(THREADS)' ;;
  esac
  check "$name: links" autotune cc gcc $flags main.c step.o -o tuned
  is "$name: answer" "$(AUTOTUNE_MODE=off ./tuned 2> /dev/null)" "$expected"
  is "$name: answer while it is tuned" "$(AUTOTUNE_MODE=first AUTOTUNE_CACHE=$work/$name.cache AUTOTUNE_BUDGET=2s ./tuned 2> run)" "$expected"
  is "$name: tuned answer" "$(AUTOTUNE_CACHE=$work/$name.cache ./tuned 2> /dev/null)" "$expected"
done
finish
