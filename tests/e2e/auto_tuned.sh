# SPDX-License-Identifier: Apache-2.0
# `autotune cc --auto`: what it proposes is tuned, and the answers stay. Loops with the author's OpenMP, where sums may
# be reordered only by --auto=fast-math; and a winner that is right only for arrays that do not overlap.
. "$(dirname "$0")/cc_lib.sh"
export OMP_NUM_THREADS=2 AUTOTUNE_MODE=first AUTOTUNE_BUDGET=60s

cat > nearest.c << 'EOF_C'
#include <stdio.h>
#include <stdlib.h>

static float distance(const float *a, const float *b, int n)
{
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

double nearest(int n, int m, float **x, const float *y, int *best)
{
  double far = 0;
  int i, k;
#pragma omp parallel for private(k) reduction(+ : far)
  for (i = 0; i < n; i++) {
    float least = 1e30f;
    for (k = 0; k < 16; k++) {
      float d = distance(x[i], y + k * m, m);
      if (d < least) {
        least = d;
        best[i] = k;
      }
    }
    far += least;
  }
  return far;
}

int main(void)
{
  int n = 1000, m = 64, steps = 2500; // a hot kernel, also on fast machines
  float **x = malloc(n * sizeof *x), *y = malloc(16 * m * sizeof *y);
  int *best = calloc(n, sizeof *best);
  double far = 0;
  long sum = 0;
  for (int i = 0; i < n; i++) {
    x[i] = malloc(m * sizeof **x);
    for (int j = 0; j < m; j++)
      x[i][j] = (i * 7 + j * 3) % 31 * 0.25f;
  }
  for (int j = 0; j < 16 * m; j++)
    y[j] = j % 13 * 0.5f;
  for (int t = 0; t < steps; t++) {
    y[t % m] = t % 11 * 0.25f;
    far += nearest(n, m, x, y, best) / 1024;
  }
  for (int i = 0; i < n; i++)
    sum += best[i] * (i % 17);
  printf("%ld %.9g\n", sum, far);
  return 0;
}
EOF_C

# The numbers are multiples of 1/16 and small, so that sums are exact in any order.
gcc -O2 -fopenmp nearest.c -o plain
expected=$(./plain)
autotune suggest nearest.c -- -fopenmp > strict.patch 2> strict.notes
autotune suggest --fast-math nearest.c -- -fopenmp > fast.patch 2> fast.notes
hasnt "suggest: no -ffast-math unasked" strict.patch ffast-math
has "suggest: before the author's directive" strict.patch 'compiler(clang, gcc)'
has "suggest: --fast-math" fast.patch '"-ffast-math"'
has "suggest: only compilers and flags" strict.notes "of the loop in line 17 of 'nearest' only compilers and flags vary"
check "suggest: applies" patch -s -p1 -o patched.c nearest.c fast.patch
check "suggest: the line before" grep -q -B1 '#pragma omp parallel for' patched.c
is "suggest: one kernel of the loop" "$(grep -A1 'compiler(clang, gcc)' patched.c | tail -1 | cut -c1-24)" "#pragma omp parallel for"
for how in auto auto=fast-math; do
  check "--$how" autotune cc --$how gcc -O2 -fopenmp nearest.c -o "$how"
  is "--$how: untuned answer" "$(AUTOTUNE_MODE=off "./$how" 2> /dev/null)" "$expected"
  is "--$how: answer while it is tuned" "$(AUTOTUNE_CACHE=$work/$how.cache AUTOTUNE_LOG=info "./$how" 2> "$how.log")" "$expected"
  has "--$how: hot" "$how.log" 'nearest_[0-9a-f]*: hot:'
  is "--$how: tuned answer" "$(AUTOTUNE_CACHE=$work/$how.cache "./$how" 2> /dev/null)" "$expected"
done
has "--auto=fast-math: tuned" auto=fast-math.log 'nearest_[0-9a-f]*: tuned:'
check "AUTOTUNE_AUTO=fast-math" env AUTOTUNE_AUTO=fast-math autotune cc gcc -O2 -fopenmp -c nearest.c -o by_variable.o
check "AUTOTUNE_AUTO=fast-math: a variant" grep -q -e -ffast-math by_variable.o
# Of a build by -Ofast each compiler orders sums in its own way; these are not exact.
sed -e 's/\* 0\.25f/* 0.1f/' -e 's/\* 0\.5f/* 0.3f/' -e 's/steps = 2500/steps = 30000/' \
  -e 's/far += least;/far += least * (1 + i * 0.001);/' nearest.c > rounds.c # errors cancel in no sum
has "suggest: --exact" <(autotune suggest --exact rounds.c -- -fopenmp 2> notes) 'verify(exact)'
cat > global.c << 'EOF_C'
struct cell { float re, im; } cells[100000];
double u[200][200];
void turn(int n)
{
  for (int i = 0; i < n; i++)
    cells[i].re += cells[i].im;
}
void scale(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i][j] *= 2;
}
EOF_C
is "suggest: --exact, arrays of the file" "$(autotune suggest --exact global.c 2> /dev/null | grep -c '^+.*verify(exact)')" 2
is "suggest: --fast-math, arrays of the file" "$(autotune suggest --fast-math global.c 2> /dev/null | grep -c '^+.*-ffast-math')" 2
check "suggest: one of both" not autotune suggest --exact --fast-math rounds.c 2> log
has "suggest: one of both: usage" log '--fast-math | --exact'
check "--auto=exact" autotune cc --auto=exact gcc -Ofast -march=native -fopenmp rounds.c -o rounds
expected=$(AUTOTUNE_MODE=off ./rounds 2> /dev/null)
is "--auto=exact: answer while it is tuned" "$(AUTOTUNE_CACHE=$work/rounds.cache AUTOTUNE_MODE=first AUTOTUNE_LOG=info ./rounds 2> rounds.log)" "$expected"
has "--auto=exact: hot" rounds.log 'nearest_[0-9a-f]*: hot:'
has "--auto=exact: clang's sums are wrong" rounds.log 'cannot win'
is "--auto=exact: tuned answer" "$(AUTOTUNE_CACHE=$work/rounds.cache ./rounds 2> /dev/null)" "$expected"
check "AUTOTUNE_AUTO=exact" env AUTOTUNE_AUTO=exact autotune cc gcc -Ofast -march=native -fopenmp rounds.c -o by_variable
is "AUTOTUNE_AUTO=exact: answer" "$(AUTOTUNE_CACHE=$work/variable.cache AUTOTUNE_MODE=first AUTOTUNE_LOG=info ./by_variable 2> variable.log)" "$expected"
has "AUTOTUNE_AUTO=exact: clang's sums are wrong" variable.log 'cannot win'
# The checks of a kernel are in the object: a wrong variant by one bit.
for how in "autotune auto --exact --" "env AUTOTUNE_AUTO=exact autotune auto --" \
  "env AUTOTUNE_AUTO=fast-math autotune auto --exact --" "autotune cc --auto=exact"; do
  check "$how" $how gcc -Ofast -march=native -fopenmp rounds.c -o by_command
  AUTOTUNE_CACHE=$work/command.cache AUTOTUNE_MODE=first AUTOTUNE_LOG=info ./by_command > /dev/null 2> command.log
  has "$how: bits count" command.log 'cannot win'
  rm -rf "$work/command.cache"
done
check "one of both" not autotune cc --auto=exact --auto=fast-math gcc -c rounds.c 2> log
has "one of both: usage" log 'usage: autotune cc'
check "AUTOTUNE_AUTO=fast-math autotune auto" env AUTOTUNE_AUTO=fast-math autotune auto -- gcc -O2 -fopenmp -c nearest.c -o by_command.o
check "AUTOTUNE_AUTO=fast-math autotune auto: a variant" grep -q -e -ffast-math by_command.o

check "auto --fast-math" autotune auto --fast-math -- gcc -O2 -fopenmp -c nearest.c -o by_command.o
check "auto --fast-math: a variant" grep -q -e -ffast-math by_command.o
autotune cc --auto gcc -O2 -fopenmp -c nearest.c -o strict.o
check "--auto: none" not grep -q -e -ffast-math strict.o

# Where sums may be reordered, calls that are timed compute the same as others: there is one copy of the default.
cat > copies.c << 'EOF_C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
void norm(float *o, const float *x, const float *w, int n)
{
  float ss = 0;
  for (int j = 0; j < n; j++)
    ss += x[j] * x[j];
  ss = 1 / sqrtf(ss / n + 1e-5f);
  for (int j = 0; j < n; j++)
    o[j] = w[j] * (ss * x[j]);
}
int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 20000;
  float *x = malloc(n * sizeof *x), *w = malloc(n * sizeof *w), *o = malloc(n * sizeof *o);
  double sum = 0;
  for (int i = 0; i < n; i++)
    x[i] = (i * 7 % 31 - 11) * 0.1f, w[i] = 1 + i % 5 * 0.3f;
  for (int t = 0; t < 4000; t++) {
    x[t % n] += t % 3 * 0.1f;
    norm(o, x, w, n);
    sum += o[t % n];
  }
  printf("%.17g\n", sum);
  return 0;
}
EOF_C
check "copies: builds" autotune cc --auto gcc -Ofast copies.c -lm -o copies
sed -e 's/^void norm/static inline void norm/' copies.c > inline.c
check "copies: inline, no warning" autotune cc --auto gcc -Ofast -Wall -Wextra -Werror inline.c -lm -o copies_inline
check "copies: C++ builds" autotune cc --auto g++ -x c++ -fpermissive -w -Ofast copies.c -lm -o copies_cxx
for program in copies copies_inline copies_cxx; do
  is "$program: the same digits in each run" \
    "$(for run in 1 2 3 4 5; do AUTOTUNE_MODE=background AUTOTUNE_CACHE=off ./$program 777; done | sort -u)" "$(AUTOTUNE_MODE=off ./$program 777)"
done

# A loop that the threads of a region share is no kernel; a plain loop around a parallel one leaves it to that one.
cat > team.c << 'EOF_C'
void team(int n, double **x, double *restrict y)
{
  int t, i;
  for (t = 0; t < 10; t++) {
#pragma omp parallel for
    for (i = 0; i < n; i++)
      y[i] += x[t][i] * 0.5;
  }
#pragma omp parallel private(t)
  {
#pragma omp for
    for (i = 0; i < n; i++)
      for (t = 0; t < n; t++)
        y[i] += x[i][t];
  }
}
void orphan(int n, double *restrict y)
{
  int i;
#pragma omp for
  for (i = 0; i < n; i++)
    y[i] = 2 * y[i];
}
EOF_C
autotune suggest team.c -- -fopenmp > team.patch 2> team.notes
has "team: the parallel loop" team.notes "of the loop in line 6 of 'team' only compilers and flags vary"
has "team: the region" team.notes "of the parallel region in line 10 of 'team' only compilers and flags vary"
is "team: two kernels" "$(grep -c '^+.*autotune kernel' team.patch)" 2
has "team: shared from outside" team.notes 'team.c:21:.*the threads of a region around it share it'

# A loop whose calls are only timed runs in its place, where it computes what it computes without autotune. This exp notes
# from where it is called.
cat > exp.c << 'EOF_C'
static const void *from[4];
int places;
double exp(double x)
{
  const void *caller = __builtin_return_address(0);
  int i = 0;
  while (i < places && from[i] != caller)
    i++;
  if (i == places && i < 4)
    from[places++] = caller;
  return x + 1;
}
EOF_C
cat > timed.c << 'EOF_C'
#include <math.h>
#include <stdio.h>
#ifdef __cplusplus
extern "C"
#else
extern
#endif
int places;
double x[30000];
double y[30000];
void step(int n)
{
  for (int i = 0; i < n; i++)
    y[i] += exp(x[i]);
  printf("%s", n ? "" : "none");
}
int main()
{
  for (int t = 0; t < 5000; t++)
    step(t < 2500 ? 300 : 3000);
  printf("%g, %d place\n", y[7], places);
  return 0;
}
EOF_C
cp timed.c timed.cpp
gcc -O1 -fno-builtin -c exp.c
for source in timed.c timed.cpp; do
  cc=gcc
  [ $source = timed.c ] || cc=g++
  check "$source" autotune cc --auto $cc -O1 -fno-builtin -c $source -o timed.o
  check "$source: a kernel" grep -q autotune_begin timed.o
  check "$source: links" autotune cc $cc timed.o exp.o -o timed
  $cc -O1 -fno-builtin $source exp.o -o plain
  is "$source: in its place" "$(AUTOTUNE_CACHE=$work/$source.cache AUTOTUNE_LOG=info ./timed 2> timed.log)" "$(./plain)"
  hasnt "$source: only timed" timed.log ': tuned:'
done

# The winner reads what the default has written already where x and y overlap; the stub looks.
cat > turn.c << 'EOF_C'
// a
// b
// c
// d
void turn(int n, const double *x, double *y)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[j * n + i] = 2 * x[j * n + i] + 1;
}
EOF_C
cat > turns.c << 'EOF_C'
#include <stdio.h>
#include <stdlib.h>
void turn(int n, const double *x, double *y);
int main(void)
{
  int n = 700, size = n * n;
  double *x = calloc(2 * size, 8), *y = calloc(size, 8), s = 0;
  for (int i = 0; i < 2 * size; i++)
    x[i] = i % 7;
  for (int i = 0; i < 1500; i++)
    turn(n, x, y);
  turn(n, x, x + n - 1);
  for (int i = 0; i < 2 * size; i++)
    s += x[i] * (i % 13) / 1024;
  for (int i = 0; i < size; i++)
    s += y[i] * (i % 5);
  printf("%.17g\n", s);
  return 0;
}
EOF_C
gcc -O1 turns.c turn.c -o turns
expected=$(./turns)
check "turn" autotune cc --auto gcc -O1 -c turn.c
check "turn: linked" autotune cc gcc turns.c turn.o -o turned
export AUTOTUNE_CACHE=$work/cache
is "turn: answer while it is tuned" "$(AUTOTUNE_LOG=info ./turned 2> turn.log)" "$expected"
has "turn: tuned" turn.log 'turn: tuned:'
is "turn: tuned answer" "$(./turned 2> /dev/null)" "$expected"
has "turn: the winner interchanges" <(autotune report --kernel turn) 'winner .*(2,1)'
finish
