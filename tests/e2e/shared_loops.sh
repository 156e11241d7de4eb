# SPDX-License-Identifier: Apache-2.0
# A loop that threads share moves into a function, with its `for`, under our directives and under its author's pragma
# alone. The function gets values of variables, so compilers know what they know in the kernel. All clauses mean the same
# as before, and what cannot move stays.
include=$(cd "$(dirname "$0")/../../include" && pwd)
. "$(dirname "$0")/cc_lib.sh"
printf '#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n' > probe.c
gcc -fopenmp probe.c -o probe 2> /dev/null || { echo "skipped: gcc has no OpenMP here"; exit 77; }
export OMP_NUM_THREADS=3 AUTOTUNE_SEARCH=exhaustive AUTOTUNE_BUDGET=60s

# KIND: `omp` leaves the loops to their author, `autotune` makes them ours.
loops() { # KIND FILE
  sed "s/@pragma/#pragma $1/" > "$2" << 'END'
#include <stdio.h>
#include <string.h>
struct pair { int low, high; };
static int outside = 3;

#pragma autotune kernel flags("-O1", "-O2") inout(y[0:n])
static void values(int n, struct pair p, const int *x, int *y)
{
  const int shift = p.low - 1, *from = x + 1;
  @pragma parallel for
  for (int i = 0; i < n - 1; i++)
    y[i] += from[i] * p.high + shift + outside;
}
#pragma autotune kernel flags("-O1", "-O2") inout(y[0:n])
static long reductions(int n, const int *x, int *y)
{
  long sum = 5;
  int most = -1;
  @pragma parallel for reduction(+ : sum) reduction(max : most) num_threads(2) schedule(dynamic, 7)
  for (int i = 0; i < n; i++) {
    sum += x[i];
    most = x[i] > most ? x[i] : most;
  }
  y[0] = most;
  return sum;
}
#pragma autotune kernel flags("-O1", "-O2") inout(y[0:n])
static void privates(int n, const int *x, int *y)
{
  int i, t, all[4], once = 4, chunk = n / 9 + 1;
  @pragma parallel for private(t, all) firstprivate(once) schedule(static, chunk) if (n > 2)
  for (i = 0; i < n; i++) {
    t = x[i];
    for (int k = 0; k < 4; k++)
      all[k] = t * k;
    y[i] += all[3] + once;
    once = 4;
  }
}
#pragma autotune kernel flags("-O1", "-O2") inout(y[0:n])
static void rows(int n, int *y)
{
  int i, j, width = 8, table[3][8];
  memset(table, 0, sizeof table);
  for (int turn = 0; turn < 3; turn++) {
    @pragma parallel for collapse(2) default(none) shared(table, width, turn) private(i, j)
    for (i = 0; i < 3; i++)
      for (j = 0; j < 8; j++)
        table[i][j] += i * width + j + turn;
  }
  for (i = 0; i < 24 && i < n; i++)
    y[i] += table[i / 8][i % 8];
}
#pragma autotune kernel flags("-O1", "-O2") inout(y[0:n])
static void old(n, x, y)
  int n;
  const int *x;
  int *y;
{
  int i;
  @pragma parallel for
  for (i = 0; i < n; i++)
    y[i] += x[i];
}
#pragma autotune kernel flags("-O1", "-O2") inout(y[0:n])
static void vectors(int n, int m, const int (*x)[m], int *y)
{
  int sizes[m];
  for (int k = 0; k < m; k++)
    sizes[k] = k + 2;
  @pragma parallel for simd schedule(guided) safelen(8)
  for (int i = 0; i < n / m; i++)
    y[i] += x[i][1] * sizes[i % m];
}
/* These stay: a lock, a value after the loop, a shared variable, sizeof, a type of the function's own, an #if. */
#pragma autotune kernel flags("-O1", "-O2") inout(y[0:n])
void locked(int n, const int *x, int *y)
{
  @pragma parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp critical
    y[0] += x[i];
  }
}
#pragma autotune kernel flags("-O1", "-O2") inout(y[0:n])
static void last(int n, const int *x, int *y)
{
  int end = 0;
  @pragma parallel for lastprivate(end)
  for (int i = 0; i < n; i++)
    end = x[i];
  y[1] += end;
}
#pragma autotune kernel flags("-O1", "-O2") inout(y[0:n])
static void sharing(int n, const int *x, int *y)
{
  int count = 0;
  struct pair sum = { 0, 0 };
  @pragma parallel for
  for (int i = 0; i < n; i++) {
    if (x[i] > 1000000) {
      #pragma omp atomic
      count++;
      sum.low = i;
    }
    y[i] += x[i];
  }
  y[0] += count + sum.low;
}
#pragma autotune kernel flags("-O1", "-O2") inout(y[0:n])
static void sized(int n, int *y)
{
  int table[5] = { 1, 2, 3, 4, 5 };
  @pragma parallel for
  for (int i = 0; i < n; i++)
    y[i] += table[i % 5] + (int)(sizeof table / sizeof *table);
}
#pragma autotune kernel flags("-O1", "-O2") inout(y[0:n])
static void typed(int n, const int *x, int *y)
{
  struct both { int a, b; } two = { 1, 2 };
  @pragma parallel for
  for (int i = 0; i < n; i++) {
    struct both b = two;
    y[i] += b.a * x[i] + b.b;
  }
}
#pragma autotune kernel flags("-O1", "-O2") inout(y[0:n])
static void divided(int n, const int *x, int *y)
{
#if 1
  const int *from = x;
  @pragma parallel for
  for (int i = 0; i < n; i++)
    y[i] += from[i];
#endif
}

int main(void)
{
  enum { N = 4000 };
  static int x[N + 4], y[N];
  long sum = 0;
  for (int i = 0; i < N + 4; i++)
    x[i] = (i * 37) % 101;
  for (int turn = 0; turn < 2; turn++) {
    values(N, (struct pair){ 2, 3 }, x, y);
    sum += reductions(N, x, y);
    privates(N, x, y);
    rows(N, y);
    old(N, x, y);
    vectors(N, 4, (const int (*)[4])x, y);
    last(N, x, y);
    sharing(N, x, y);
    sized(N, y);
    typed(N, x, y);
    divided(N, x, y);
  }
  for (int i = 0; i < N; i++)
    sum = 3 * sum + y[i];
  printf("%ld\n", sum);
  return 0;
}
END
}

for kind in omp autotune; do
  loops "$kind" "$kind.c"
  autotune translate "$kind.c" -- -fopenmp > "$kind.t.c"
  for k in values reductions privates rows old vectors; do
    is "$kind: functions of $k" "$(grep -c "^\"static .*_part[0-9]*_$k(" "$kind.t.c")" 1
  done
  for k in locked last sharing sized typed divided; do
    is "$kind: functions of $k" "$(grep -c "_part[0-9]*_$k(" "$kind.t.c")" 0
  done
done
for cc in $compilers; do
  for kind in omp autotune; do
    check "$cc, $kind: the program as it was" "$cc" -O1 -fopenmp -w -std=gnu11 "$kind.c" -o was
    check "$cc, $kind: compiles" autotune cc "$cc" -O1 -w -std=gnu11 -fopenmp "$kind.c" -o now
    export AUTOTUNE_CACHE=$work/$cc.$kind
    is "$cc, $kind: tuned" "$(AUTOTUNE_MODE=first ./now 2> log)" "$(./was)"
    is "$cc, $kind: messages" "$(cat log)" ""
    autotune report > report
    hasnt "$cc, $kind: wrong: $(cat report)" report '[0-9] wrong\|did not compile'
    is "$cc, $kind: kernels" "$(grep -c 'variants  *2 tried' report)" 11
    is "$cc, $kind: with the winners" "$(AUTOTUNE_MODE=locked ./now 2> log)" "$(./was)"
  done
done

# By the compiler's own remark: what stands in the region is vectorised. As written it is not, because each store may
# change the length of a row, which the region has by its address.
unit() { # TRANSLATED KERNEL: its text
  sed -n "/autotune_text_$2_0\[\] =/,/;\$/p" "$1" | sed '1d; s/^"//; s/\\n";*$//; s/\\"/"/g; s/\\?/?/g; s/\\\\/\\/g'
}
cat > flow.c << 'END'
#pragma autotune kernel flags("", "-ffast-math") in(u[0:m]) inout(v[0:n*m])
void flow(int n, int m, const int *u, int *v)
{
  #pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      v[i * m + j] += u[j] * 3;
}
END
autotune translate flow.c -- -fopenmp > flow.t.c
unit flow.t.c flow > flow.unit.c
remarks="-O3 -march=x86-64-v3 -fopenmp -Rpass=loop-vectorize -Rpass-missed=loop-vectorize -c -o flow.o"
# shellcheck disable=SC2086 # several options
check "as written" clang-22 $remarks flow.c 2> written
# shellcheck disable=SC2086
check "the unit" clang-22 $remarks flow.unit.c 2> moved
has "as written: $(cat written)" written 'loop not vectorized'
has "moved: $(cat moved)" moved 'remark: vectorized loop'
hasnt "moved: $(cat moved)" moved 'loop not vectorized'

# Each thread has a variable of the file for itself. The code that moves into a function would use the file's own.
cat > own.c << 'END'
#include <stdio.h>
double total;
int last;
#pragma autotune kernel param(T: 2, 3) in(a[0:n * m]) inout(total, last) verify(exact)
void sums(int n, int m, const double *a)
{
  #pragma autotune parallel for num_threads(T) reduction(+: total)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      total += i * a[i * m + j];
  #pragma autotune parallel for num_threads(T) lastprivate(last)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      last = i + j;
}
int main(void)
{
  enum { N = 400, M = 100 };
  static double a[N * M];
  for (int i = 0; i < N * M; i++)
    a[i] = i % 11;
  for (int r = 0; r < 3; r++) {
    total = 0;
    sums(N, M, a);
    printf("%.17g %d\n", total, last);
  }
}
END
gcc -w own.c -o own.plain
check "own: builds" autotune cc gcc -O2 own.c -o own
is "own: the plain program's sums" "$(AUTOTUNE_MODE=first AUTOTUNE_CACHE=$work/own.cache ./own 2> own.err)" "$(./own.plain)"
autotune report --cache "$work/own.cache" > own.report 2>&1
has "own: all variants are right: $(cat own.report)" own.report '2 tried .* 2 right\|2 right'
finish
