# SPDX-License-Identifier: Apache-2.0
# Kernels that are statements: programs whose answers do not change, whether the statement runs in its place, as the
# outlined default, or as a winner, and whatever the kernel takes from the function around it.
include=$(cd "$1" && pwd)/include
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_LOG=warn AUTOTUNE_BUDGET=60s

# What is passed by value, copied in and back, and by its place. Each statement has two ways, of which way 1 is fast.
cat > passed.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef WAY
#define WAY 0
#endif
#define STEP(k) ((k) += 2)
#define TOTAL total
struct point { double x, y; int w[3]; };
typedef double triple[3];
typedef double (*map)(double);
struct leads { double *q, *r; };
double table[8] = { 1, 2, 3 };
static void spend(int way)
{
  volatile int turns = way == 0 ? 60000 : 6000;
  while (turns > 0)
    turns = turns - 1;
}
static double twice(double x) { return 2 * x; }
static double half(double x) { return x / 2; }
static void bump(int *n) { *n += 1; }
static double work(int n, double a[restrict n][n], map f, const long *index, int times)
{
  struct point p = { 1, 2, { 3 } }, all = { 0 };
  const struct leads lead = { table + 4, table + 5 };
  triple t = { 1, 2, 3 };
  static double state[4];
  static int calls;
  double v[n][n + 1], *walk = &a[0][0], total = 0, temp;
  int i, k = 0, count = 0, bumped = 0;
  char name[16] = "abc";
  unsigned char *bytes = (unsigned char *)name;
  register long steps = 0;
  memset(v, 0, sizeof v);
  for (int time = 0; time < times; time++) {
#pragma autotune kernel param(WAY: 0, 1) key(n)
    for (i = 0; i < n; i++) {
      if (i == 0)
        spend(WAY);
      for (int j = 0; j < n; j++) {
        temp = f(a[i][j]);
        v[i][j] = temp + p.x + t[1] + index[0];
        total += v[i][j];
        t[2] += 1;
      }
      p.y += total;
      p.w[1] = i;
      STEP(k);
      state[i & 3] += 1;
      calls++;
      *walk += 1;
      walk += walk < &a[n - 1][n - 1];
      bump(&bumped);
      steps++;
      count += (int)sizeof v > 0;
      count += (int)(sizeof name + strlen(name) + bytes[0]);
      all = p;
      TOTAL += 1;
      table[i & 7] += 1;
      *(lead.q) += i;
      lead.r[i & 1] += 2;
    }
    count += i + (lead.q == table + 4);
#if defined NEVER
#pragma autotune kernel
    for (i = 0; i < n; i++)
      missing(i);
#else
#pragma autotune kernel param(WAY: 0, 1) key(n)
    {
      spend(WAY);
      goto inner;
    inner:
      for (int i = 0; i < n; i++)
        switch (i) { case 1: continue; default: total += i; break; }
      while (k > 10)
        if (--k == 12) break;
    }
#endif
  }
  return total + p.y + p.w[1] + k + count + bumped + state[0] + calls + *walk + (double)steps + t[2] +
    v[1][1] + all.y + table[0] + table[4] + table[6] + __LINE__;
}
int main(void)
{
  enum { n = 16 };
  static double a[n][n];
  static const long index = 3;
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = i + j * 0.5;
  for (int i = 0; i < 6; i++)
    s += work(n, a, i % 2 ? twice : half, &index, 3);
  printf("%.17g\n", s);
  return 0;
}
END

# In main: a reduction, and OpenMP's pragmas of the author's own.
cat > main.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <autotune.h>
#ifndef WAY
#define WAY 0
#endif
static void spend(int way)
{
  volatile int turns = way == 0 ? 300000 : 30000;
  while (turns > 0)
    turns = turns - 1;
}
int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  double *x = malloc(n * sizeof *x), sum = 0, own[8];
  for (int step = 0; step < 4; step++) {
#pragma autotune parallel for num_threads({1, 2})
    for (int i = 0; i < n; i++)
      x[i] = i % 8;
#pragma autotune kernel param(WAY: 0, 1)
    {
      spend(WAY);
#pragma omp parallel for reduction(+ : sum) private(own)
      for (int i = 0; i < n; i++) {
        own[i % 8] = x[i];
        sum += own[i % 8];
      }
    }
  }
  printf("%g\n", sum);
  return 0;
}
END

# What a macro declares, also where the file has a variable of that name, and what only some builds declare. Macros may be
# undefined below the kernel.
cat > made.c << 'END'
#include <stdio.h>
#ifndef WAY
#define WAY 0
#endif
#define LOCALS float x[4] = {1, 2, 3, 4}, up = 1
#define VAR(type, name) type name
#define ALLOC(name, n, type) type name[n]
#define NOTHING(x)
#define ATTRIBUTE(x) __attribute__((x))
#define RESTRICT __restrict
#define SCALED(x, by) (x)
#define STORE(v) (y[i] = (v) + up + x[3])
static float x[64], up = 100;
ATTRIBUTE(noinline)
static double kernel(float *RESTRICT y, int n)
{
  NOTHING(y)
  float *first = y;
  VAR(int, m);
  VAR(double, sum) = 0;
  m = n / 2 * 2;
  ALLOC(half, m, float);
  ALLOC(one, 1, float);
#ifdef NEVER
  int scale = 3;
#endif
  LOCALS;
  one[0] = 3;
  x[1] += y[0];
#pragma autotune kernel param(WAY: 0, 1) key(n)
  for (int i = 0; i < m; i++) {
    STORE(SCALED(x[i % 4], scale));
    half[i] = first[i] + one[0];
    sum += half[i] + WAY - WAY;
  }
#undef STORE
#define STORE(v) (v)
  return STORE(sum + half[0] + up);
}
int main(void)
{
  static float y[20000];
  for (int i = 0; i < 64; i++)
    x[i] = 1000;
  for (int i = 0; i < 4; i++)
    printf("%.17g ", kernel(y, 20000) + x[1] + up);
  puts("");
}
END

for cc in $compilers; do
  for source in passed made main; do
    check "$cc, $source: the program as it was" "$cc" -O1 -fopenmp -w -I"$include" $source.c -o was -lm
    was=$(./was)
    check "$cc, $source: compiles" autotune cc "$cc" -O1 -Wall -Wextra -fopenmp -I"$include" $source.c -o now \
      2> cc.log
    is "$cc, $source: warnings" "$(cat cc.log)" "$("$cc" -O1 -Wall -Wextra -Wno-unknown-pragmas -fopenmp \
      -I"$include" -c $source.c -o was.o 2>&1)"
    is "$cc, $source: off" "$(AUTOTUNE_MODE=off ./now)" "$was"
    rm -rf cache
    is "$cc, $source: tuned" "$(AUTOTUNE_CACHE=$PWD/cache AUTOTUNE_MODE=first ./now 2> log)" "$was"
    is "$cc, $source: messages" "$(grep -v "without its directives" log)" "" # threads may lose on a busy machine
    AUTOTUNE_CACHE=$PWD/cache autotune report > report
    hasnt "$cc, $source: compiles" report 'did not compile'
    is "$cc, $source: with the winner" "$(AUTOTUNE_CACHE=$PWD/cache AUTOTUNE_MODE=locked ./now 2> log)" "$was"
  done
done
has "the line of the kernel" report '^main_[0-9a-f]*  (main.c:'"$(grep -n '^    {$' main.c | cut -d: -f1))$"
has "the fast way wins" report 'WAY *1\|WAY=1'

# Lines that move keep their results: nothing is tuned again.
(echo '/* one line more */' && sed 's/^  int n = argc/  int more = 3; (void)more;\n&/' main.c) > moved.c
mv moved.c main.c
check "moved: compiles" autotune cc "$cc" -O1 -fopenmp -I"$include" main.c -o now
AUTOTUNE_CACHE=$PWD/cache AUTOTUNE_MODE=first AUTOTUNE_LOG=info ./now > /dev/null 2> log
hasnt "moved: the result is found" log 'never tuned'
hasnt "moved: nothing is tuned" log ': tuned:'

# The statement stays in its place, in the same lines.
check "translate" autotune translate main.c -o translated.c -- -I"$include"
has "the statement in its place" translated.c 'if (autotune_is_taken(autotune_t_main_[0-9a-f]* = autotune_took_main_[0-9a-f]*(.*))) { sum = autotune_to_sum; } else {'
is "a compiler without autotune" "$(gcc -w -O1 -I"$include" main.c -o was && ./was)" "$was"

# A statement is compiled for the processor that its function names.
sed 's/noinline/target("sse4.1")/' made.c > target.c
check "target: translate" autotune translate target.c -o target.out
has "target: $(cat target.out)" target.out 'static __attribute__((target("sse4.1"))) void kernel_'
# Where a macro hides a variable of the function, or C++ cannot know its type, the statement stays as written.
sed 's/^  LOCALS;/  float x[9] = {0}; { LOCALS;/; s/^#undef STORE/}\n&/' made.c > hides.c
hides() { ! autotune translate "$1" -o hides.out 2> hides.log; }
check "hidden by a macro" hides hides.c
has "hidden by a macro: $(cat hides.log)" hides.log "the type of 'x', which the kernel uses, is not known: a macro declares another"
cp made.c made.cpp
check "C++: compiles" autotune cc g++ -O1 made.cpp -o now 2> log
has "C++: said" log "this is not tuned: the type of '.*', which the kernel uses, is not known: a macro declares it"
is "C++: answer" "$(AUTOTUNE_CACHE=$PWD/cache AUTOTUNE_MODE=first ./now)" "$(g++ -w -O1 made.cpp -o was && ./was)"

# The directives of a loop work below its own pragma of OpenMP. The default stays the loop as it is, with its threads, of
# which there are as many as the program has set. The param's own #ifndef may come before the #includes.
cat > threads.c << 'END'
#ifndef WAY
#define WAY 0
#endif
#include <stdio.h>
#include <stdlib.h>
int omp_get_num_threads(void);
void omp_set_num_threads(int);
static double x[500 * 500], y[500 * 500];
static int turn(int n, int *threads)
{
  int i, j;
  double t;
#pragma autotune kernel key(n) param(WAY: 0, 1) in(x[0:n*n]) inout(y[0:n*n]) out(threads[0:1])
#pragma omp parallel for private(i, j, t) schedule(static)
#pragma autotune interchange optional
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      t = 2 * x[j * n + i] + WAY;
      y[j * n + i] = t - WAY;
      if (i + j == 0)
        threads[0] = omp_get_num_threads();
    }
  return n;
}
int main(void)
{
  int threads = 0;
  double sum = 0;
  for (int i = 0; i < 500 * 500; i++)
    x[i] = i % 1000;
  omp_set_num_threads(3);
  for (int i = 0; i < 5; i++)
    turn(500, &threads);
  for (int i = 0; i < 500 * 500; i++)
    sum += y[i] * (i % 7);
  printf("%.17g %d\n", sum, threads);
  return 0;
}
END
for cc in $compilers; do
  "$cc" -O1 -fopenmp -w threads.c -o was
  check "$cc, threads: compiles" autotune cc "$cc" -O1 -fopenmp threads.c -o now
  is "$cc, threads: off" "$(OMP_NUM_THREADS=2 AUTOTUNE_MODE=off ./now)" "$(./was)"
  rm -rf cache
  is "$cc, threads: tuned" "$(OMP_NUM_THREADS=2 AUTOTUNE_CACHE=$PWD/cache AUTOTUNE_MODE=first AUTOTUNE_LOG=info ./now 2> log)" "$(./was)"
  AUTOTUNE_CACHE=$PWD/cache autotune report > report
  has "$cc, threads: $(cat report)" report 'variants  *4 tried'
  hasnt "$cc, threads: as many as the program has set: $(cat report)" report '[0-9] wrong\|did not compile'
done

finish
