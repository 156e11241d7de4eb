# SPDX-License-Identifier: Apache-2.0
# Clauses of the author's own `#pragma omp parallel for` are explored. The default is the author's version, with its
# threads. Iterations sleep, so that the winner is known on any machine, however busy.
include=$(cd "$(dirname "$0")/../../include" && pwd)
. "$(dirname "$0")/cc_lib.sh"
export OMP_NUM_THREADS=2 AUTOTUNE_SEARCH=exhaustive AUTOTUNE_BUDGET=60s

cat > sleep.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void work(int us)
{
  usleep((unsigned)us);
}

/* Without a chunk, all of the work is the first thread's. */
#pragma autotune kernel key(n) out(y[0:n])
static void uneven(int n, double *y)
{
  int i;
  double t;
  #pragma omp parallel for private(t) schedule(static)
  #pragma autotune parallel for schedule({dynamic, guided}, {1, 16}) optional
  for (i = 0; i < n; i++) {
    t = 2 * i;
    work(i < n / 2 ? 5000 : 1);
    y[i] = t + 1;
  }
}

/* The author has two threads, four are faster. */
static double team(int n, double *y)
{
  double sum = 0;
  #pragma autotune kernel key(n) inout(y[0:n])
  #pragma omp parallel for num_threads(2) reduction(+ : sum)
  #pragma autotune parallel for num_threads({1, 2, 4})
  for (int i = 0; i < n; i++) {
    work(5000);
    y[i] += i;
    sum += y[i];
  }
  return sum;
}

/* One iteration for each of two threads, but four of both loops. */
#pragma autotune kernel key(n) inout(y[0:2*n])
static void nested(int n, double *y)
{
  int i, j;
  #pragma omp parallel num_threads(4)
  {
    #pragma omp for private(j)
#line 49 "sleep.c"
    #pragma autotune for collapse({1, 2}) schedule({static, dynamic}, 1)
    for (i = 0; i < 2; i++)
      for (j = 0; j < n; j++) {
        work(5000);
        y[i * n + j] += i - j;
      }
  }
}

/* A directive without sets, and no pragma of a kernel. The other variant is the loop without the directive. */
static void bare(int n, double *y)
{
  #pragma autotune parallel for
  for (int i = 0; i < n; i++) {
    work(5000);
    y[i] += 1;
  }
}

int main(void)
{
  double y[16] = { 0 }, sum = 0;
  bare(16, y);
  uneven(16, y);
  for (int i = 0; i < 16; i++)
    sum = 3 * sum + y[i];
  sum += team(16, y);
  nested(8, y);
  for (int i = 0; i < 16; i++)
    sum = 3 * sum + y[i];
  printf("%.17g\n", sum);
  return 0;
}
END

for cc in $compilers; do
  check "$cc: the program as it was" "$cc" -O1 -fopenmp -w sleep.c -o was
  check "$cc: compiles" autotune cc "$cc" -O1 -Wall -Wextra -fopenmp sleep.c -o now 2> cc.log
  is "$cc: warnings" "$(cat cc.log)" ""
  is "$cc: off" "$(AUTOTUNE_MODE=off ./now)" "$(./was)"
  export AUTOTUNE_CACHE=$work/$cc.cache
  is "$cc: tuned" "$(AUTOTUNE_MODE=first ./now 2> log)" "$(./was)"
  is "$cc: messages" "$(cat log)" ""
  autotune report --kernel uneven > report
  has "$cc: uneven: $(cat report)" report 'winner .*parallel_for@[^ ]*=yes .*schedule@[^ ]*=1$'
  has "$cc: uneven: all: $(cat report)" report 'variants  *5 tried'
  hasnt "$cc: uneven: wrong: $(cat report)" report '[0-9] wrong\|did not compile'
  autotune report > report
  has "$cc: team" report 'winner .*num_threads@[^ ]*=4'
  has "$cc: bare" report '^bare_'
  has "$cc: bare: the directive wins" report 'winner .*directives=yes'
  has "$cc: nested" report 'winner .*collapse@[^ ]*=2'
  hasnt "$cc: wrong: $(cat report)" report '[0-9] wrong\|did not compile'
  is "$cc: with the winners" "$(AUTOTUNE_MODE=locked ./now 2> log)" "$(./was)"
done

check "bake" autotune bake sleep.c -o baked.c -- -O1 -fopenmp 2> log
is "bake: messages" "$(cat log)" ""
has "bake: the winner's clauses" baked.c '#pragma omp for schedule(\(dynamic\|guided\), 1) nowait$'
has "bake: the author's clauses: private(t)" baked.c '^ *double *t;$'
has "bake: the author's clauses: reduction" baked.c '#pragma omp parallel reduction(+ : sum) num_threads(4)$'
check "bake: compiles" gcc -O1 -fopenmp -w -I"$include" baked.c -o baked
is "bake: answer" "$(./baked)" "$(./was)"
is "a compiler without autotune" "$(gcc -w -O1 -fopenmp sleep.c -o plain && ./plain)" "$(./was)"

# The kernel's `optional` leaves out our directives, and not the author's pragma.
cat > optional.c << 'END'
#pragma autotune kernel optional inout(y[0:n])
void f(int n, double *y)
{
  #pragma omp parallel for schedule(static)
  #pragma autotune parallel for schedule({dynamic, guided}, {1, 16})
  for (int i = 0; i < n; i++)
    y[i]++;
}
END
autotune translate optional.c > optional.txt
is "optional: each variant has threads" "$(grep -c '^"#pragma omp parallel\\n' optional.txt)" 2
is "optional: each variant shares the loop" "$(grep -c '^"#pragma omp for schedule' optional.txt)" 2
has "optional: the author's clauses" optional.txt '^"#pragma omp for schedule(static)'

# Proposed by --auto, with lines between the pragmas that keep the numbers of lines. The inner loops have no braces.
cat > triangle.c << 'END'
#include <stdio.h>
#include <stdlib.h>

static void triangle(int n, const double *restrict x, double *restrict y)
{
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      y[i * n + j] += x[i] * x[j];
#pragma omp parallel
#pragma omp for
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      y[i * n + j] -= x[i] * x[j] / 2;
}

int main(void)
{
  int n = 1000;
  double *x = malloc(n * sizeof *x), *y = calloc(n * n, sizeof *y), sum = 0;
  for (int i = 0; i < n; i++)
    x[i] = i % 16;
  for (int t = 0; t < 200; t++)
    triangle(n, x, y);
  for (int i = 0; i < n * n; i++)
    sum += y[i] * (i % 8);
  printf("%.17g\n", sum);
  return 0;
}
END
for cc in $compilers; do
  "$cc" -O1 -fopenmp triangle.c -o was
  AUTOTUNE_LOG=info autotune cc --auto "$cc" -O1 -fopenmp triangle.c -o now 2> log
  has "$cc, auto: proposed: $(cat log)" log "the loop in line 7 of 'triangle', the loop in line 12 of 'triangle'"
  export AUTOTUNE_CACHE=$work/$cc.auto AUTOTUNE_BUDGET=4s
  is "$cc, auto" "$(AUTOTUNE_MODE=first AUTOTUNE_LOG=info ./now 2> log)" "$(./was)"
  autotune report > report
  hasnt "$cc, auto: compiles: $(cat report)" report 'did not compile\|[0-9] wrong'
done
# A program without OpenMP of its own: threads of its variants sleep after 5 ms without work, unless the user chose otherwise.
cat > idle.c << 'END'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
#pragma autotune kernel key(n) out(y[0:n])
static void idle(int n, double *y)
{
  #pragma autotune parallel for num_threads(2) optional
  for (int i = 0; i < n; i++) {
    usleep(5000);
    y[i] = 2 * i;
  }
}
int main(void)
{
  double y[8];
  idle(8, y);
  int (*spins)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "kmp_get_blocktime");
  printf("%g %d\n", y[7], spins ? spins() : -1);
  return 0;
}
END
check "idle: builds" autotune cc gcc -O1 idle.c -o idle
is "idle: tunes" "$(AUTOTUNE_MODE=first AUTOTUNE_LOG=info ./idle 2> idle.log)" "14 5"
has "idle: two threads win" idle.log 'idle: tuned: .*=yes'
is "idle: stored" "$(AUTOTUNE_MODE=locked ./idle)" "14 5"
is "idle: the user's time" "$(KMP_BLOCKTIME=70 AUTOTUNE_MODE=locked ./idle)" "14 70"
finish
