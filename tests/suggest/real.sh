# SPDX-License-Identifier: Apache-2.0
# autotune suggest: forms of code that real programs have, as short programs.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/cc_lib.sh"

# A kernel that check refuses with many errors does not hide that others are refused, and the first error is the reason.
{
  echo '#include "threads.h"
static double rhs[6400], out[6400];
void first(int n)
{
  for (int i = 0; i < n; i++) {'
  for line in $(seq 70); do echo "    rhs[i] += ue[i];"; done
  echo '  }
}
void second(int n)
{
  for (int i = 0; i < n; i++)
    out[i] = buf[i] + 1;
}
void third(int n)
{
  for (int i = 0; i < n; i++)
    out[i] = rhs[i] + 1;
}'
} > threads.c
cat > threads.h << 'END'
static double ue[8000], buf[8000];
#pragma omp threadprivate(ue, buf)
END
autotune suggest threads.c -- -fopenmp > threads.patch 2> threads.notes
has "the first is refused" threads.notes "'first' is left .*: kernel 'first' uses the thread-local variable 'ue'"
has "so is the second" threads.notes "'second' is left .*: kernel 'second' uses the thread-local variable 'buf'"
check "the patch applies" patch -s -p1 -i threads.patch
is "the third is a kernel" "$(grep -c 'autotune kernel' threads.c)" 1
check "check accepts the patched file" autotune check threads.c -- -fopenmp > list

# Loops of few iterations, code that runs once, and threads that would start again and again.
cat > short.c << 'END'
#define LEVELS 5
static double u[64][64][3000], v[64][64][3000], start[640][640], sum[33][33][5];
static void product(double a[LEVELS][LEVELS], double b[LEVELS][LEVELS], double c[LEVELS][LEVELS])
{
  for (int j = 0; j < 5; j++)
    for (int i = 0; i < LEVELS; i++)
      c[i][j] = c[i][j] - a[i][0] * b[0][j] - a[i][1] * b[1][j] - a[i][2] * b[2][j];
}
static void sixteen(const double *restrict x, double *restrict y)
{
  for (int i = 15; i >= 0; i--)
    y[i] += x[i] * x[i];
}
static void triangle(double *restrict y)
{
  for (int i = 0; i < 30; i += 2)
    for (int j = i; j < 30; j++)
      y[30 * i + j] += i + j;
}
static void large(double *restrict y)
{
  for (int i = 0; i < 3000; i++)
    y[i] += i;
}
static void rows(int n, int k, double (*restrict x)[33])
{
  for (int i = 0; i < n; i++)
    for (int m = 0; m < n; m++)
      sum[k][i][m] += x[k][i];
}
static void first(int n, double (*restrict x)[5])
{
  for (int i = 0; i < n; i++)
    for (int m = 0; m < 5; m++)
      x[i][m] += 1;
}
static void levels(int n)
{
  for (int k = 1; k < n - 1; k++)
    for (int j = 1; j < n - 1; j++) {
      double left = u[k][j][0];
      left += u[k][j - 1][0];
      start[k][j] = left + start[k - 1][j] + start[k][j - 1];
      for (int i = 1; i < n; i++)
        v[k][j][i] = u[k][j][i] * left;
    }
}
static void setup(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      start[i][j] = 1.0 / (i + j + 1);
}
static void clear(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      start[i][j] = 0;
}
static void prepare(int n)
{
  setup(n);
}
int main(void)
{
  static double a[LEVELS][LEVELS], x[16], y[3000];
  prepare(64);
  for (int t = 0; t < 10; t++) {
    clear(64);
    levels(64);
    large(y);
  }
  product(a, a, a);
  sixteen(x, y);
  triangle(y);
  return y[3] < 0;
}
END
autotune suggest short.c > short.patch 2> short.notes
check "short: the patch applies" patch -s -p1 -i short.patch
check "short: check accepts the patched file" autotune check short.c > list
kernel() { grep -c "short.c:[0-9]*: kernel $1\$" list; }
for name in product sixteen triangle; do
  is "$name: too short" "$(kernel $name)" 0
  has "$name: why" short.notes "'$name' is left as it is: .* takes at most [0-9]* operations"
done
has "the operations of two loops" short.notes "'product' .* at most [345][0-9][0-9] operations"
has "those of a triangle" short.notes "'triangle' .* at most [123][0-9][0-9][0-9] operations"
has "rows: the arrays have no more" short.notes "'rows' is left as it is: .* takes at most [0-9][0-9][0-9] operations"
is "the first subscript of an argument" "$(kernel first)" 1
is "a loop of 3000" "$(kernel large)" 1
is "code that runs once" "$(kernel setup)" 0
has "setup: why" short.notes "'setup' is left as it is: it only sets up arrays, once"
is "the same in a loop" "$(kernel clear)" 1
has "levels: why" short.notes "threads would start again for each iteration of two loops"
is "loops that threads share" "$(grep -c "parallel for" short.c)" 3

# A function whose loop calls a kernel; and a reason for each function with loops that gets no proposal.
cat > reasons.c << 'END'
#define NAME(x) made_##x
#define FILL(t) static void t##_fill(int n, t *x) { for (int i = 0; i < n; i++) x[i] = 2; }
void NAME(scale)(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}
void smooth(int n, double *restrict x, const double *restrict y)
{
  for (int i = 1; i < n - 1; i++)
    x[i] = y[i - 1] + y[i] + y[i + 1];
}
void steps(int n, double *restrict x, double *restrict y)
{
  for (int i = 0; i < n; i++)
    y[i] = i;
  for (int t = 0; t < 100; t++)
    smooth(n, x, y);
}
void twice(int n, double *restrict x, double *restrict y)
{
  for (int i = 0; i < n; i++)
    y[i] = i;
  smooth(n, x, y);
}
void printed(int n, double *x, ...)
{
  for (int i = 0; i < n; i++)
    x[i] = 1;
}
double *returned(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = 1;
  return x;
}
int main(void)
{
  double x[100];
  for (int i = 0; i < 100; i++)
    x[i] = 1;
  return x[3] < 0;
}
FILL(float)
END
autotune suggest reasons.c > reasons.patch 2> reasons.notes
check "reasons: the patch applies" patch -s -p1 -i reasons.patch
check "reasons: check accepts the patched file" autotune check reasons.c > list
kernels() { sed -n 's/.* kernel //p' list | sed 's/_[0-9a-f]\{6\}$/ loop/' | paste -sd,; }
is "kernels" "$(kernels)" "NAME_scale loop,smooth,steps loop,twice loop,printed loop,returned loop"
while read -r line said; do
  has "line $line: why" reasons.notes "^reasons.c:$line:.*left as it is: .*$said"
done << 'END'
18 its loop calls 'smooth', a kernel of its own
37 only its loops can be kernels
40 it only sets up arrays, once
44 a macro makes its head
END
echo 'int one(void) { return 1; }' > none.c
autotune suggest none.c 2> none.notes > none.patch
has "a file without loops" none.notes "none.c: nothing to suggest: no function has a 'for' loop"

# Loops as kernels: of main, and of functions that call others between their loops. Not the loops that call kernels, and not
# those that set up data once.
cp "$here/mixed.c" .
autotune suggest mixed.c > mixed.patch 2> mixed.notes
check "mixed: the patch applies" patch -s -p1 -i mixed.patch
check "mixed: check accepts the patched file" autotune check mixed.c > list
is "mixed: kernels" "$(kernels)" "scale,mixed loop,main loop,main loop"
has "mixed: set up" mixed.notes "mixed.c:25:.*the loop in line 25 of 'main' is left as it is: it only sets up arrays, once"
has "mixed: calls a kernel" mixed.notes "mixed.c:44:.*the loop in line 43 of 'main' .* its loop calls 'scale', a kernel"
is "mixed: threads" "$(grep -cE "^ *#pragma autotune (parallel for|reschedule)" mixed.c)" 4
has "mixed: a sum" mixed.c "^ *in(x\[0:n\].*c\["

# An #if whose branches open a brace: read where the build takes the branch that the tree has.
cat > branches.c << 'END'
void upward(int n, double *restrict x)
{
#ifdef ALL
  if (n > 0) {
#else
  if (n > 100) {
#endif
    for (int i = 0; i < n; i++)
      x[i] *= 2;
  }
}
END
autotune suggest branches.c -- -DALL > branches.patch 2> branches.notes
check "branches: the patch applies" patch -s -p1 -i branches.patch
check "branches: check accepts the patched file" autotune check branches.c -- -DALL > list
has "branches: shared" branches.c "^    #pragma autotune parallel for"

# A file that includes itself twice keeps both branches, each once: the #if stays, and its loop is no kernel.
cat > twice.c << 'END'
#ifndef TYPE
#define TYPE double
#define NAME(x) x##_double
#include __FILE__
#undef TYPE
#undef NAME
#define TYPE float
#define NAME(x) x##_float
#define WAVE
#include __FILE__
#else
void NAME(smooth)(int n, TYPE *restrict x, const TYPE *restrict y)
{
  for (int i = 1; i < n; i++)
#ifdef WAVE
    x[i] = x[i - 1] * y[i];
#else
    x[i] = y[i - 1] * y[i];
#endif
}
#endif
END
autotune suggest twice.c > twice.patch 2> notes
has "twice: no kernel" notes "nothing to suggest"
has "twice: the #if stays" notes "the loop in line 14 of 'NAME(smooth)' is left as it is"

# Flags without errno and traps, but not where the file looks at these.
for asks in '' '#include <errno.h>' '#include <fenv.h>' 'int fetestexcept(int);'; do
  printf '%s\n' '#include <math.h>' "$asks" 'void roots(int n, double *restrict x)' '{' \
    '  for (int i = 0; i < n; i++)' '    x[i] = sqrt(x[i]);' '}' > roots.c
  autotune suggest roots.c > roots.patch 2> notes
  is "roots: a kernel with '$asks'" "$(grep -c '^+#pragma autotune kernel' roots.patch)" 1
  is "roots: flags with '$asks'" "$(grep -c fno-math-errno roots.patch)" "$([ -n "$asks" ]; echo $?)"
done

# Functions that macros name: their loops are kernels, in C and C++. Where a macro makes the arguments, they are not.
cat > named.c << 'END'
#include <stdio.h>
#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)
#define HEAD(name) void name(int n, double *x)
#define PUBLIC __attribute__((visibility("default")))
static void NAME(scale_, 3)(int n, double *out, const double *in)
{
  for (int i = 0; i < n; i++)
    out[i] = in[i] * 3;
}
PUBLIC
double *NAME(double_, all) (int m, int n, double *a)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * m + j] *= 2;
  return a;
}
HEAD(hidden)
{
  for (int i = 0; i < n; i++)
    x[i] = i;
}
int main(void)
{
  static double x[10000], y[10000];
  hidden(10000, x);
  for (int t = 0; t < 100; t++) {
    scale_3(10000, y, x);
    double_all(100, 100, x);
  }
  return printf("%g\n", x[7] + y[9999]) < 0;
}
END
cp named.c named.cpp
for file in named.c named.cpp; do
  cc=gcc
  [ $file = named.c ] || cc=g++
  autotune suggest $file > named.patch 2> named.notes
  is "$file: kernels" "$(grep -c '^+ *#pragma autotune kernel' named.patch)" 2
  [ $file = named.cpp ] || has "$file: why not" named.notes "a macro makes the head of the function around this"
  $cc -O1 $file -o named.plain
  check "$file: the patch applies" patch -s -p1 -i named.patch
  check "$file: check accepts it" autotune check $file > list
  has "$file: the names of kernels" list "kernel NAME_scale__......$"
  check "$file: builds" autotune cc $cc -O1 $file -o named.tuned
  is "$file: the same answers" "$(AUTOTUNE_MODE=first AUTOTUNE_BUDGET=20 ./named.tuned 2> named.err)" "$(./named.plain)"
done

# The parallel loops of functions that a loop calls are the kernels, in C and C++, and functions of the file may be called.
cat > calls.c << 'END'
#include <math.h>
#define SIZE 10000
static float weigh(float x) { return x * 0.5f; }
static float a[SIZE];
static float b[SIZE];
static void flux(float *to, const float *from)
{
#pragma omp parallel for
  for (int i = 0; i < SIZE; i++)
    to[i] = sqrtf(from[i]) + weigh(from[i]);
}
int main(void)
{
  for (int t = 0; t < 100; t++)
    for (int j = 0; j < 3; j++) {
      flux(a, b);
      flux(b, a);
    }
  return a[3] > 3;
}
END
cp calls.c calls.cpp
for file in calls.c calls.cpp; do
  autotune suggest $file -- -fopenmp > calls.patch 2> calls.notes
  has "$file: the parallel loop" calls.notes "$file:9:3: note: of the loop in line 9 of 'flux' only compilers and flags vary"
  is "$file: kernels" "$(grep -c '^+ *#pragma autotune kernel' calls.patch)" 1
done

# Loops that no directive can stand on, but that flags may make faster: a chain of numbers with conversions; arrays that may
# overlap, which only --auto leaves alone; `while` loops; integers that the author's threads share.
cat > vary.c << 'END'
struct quantized { signed char *q; float *s; };
static int best[20000][20000];
void chain(int n, double *seed, double y[])
{
  double x = *seed;
  for (int i = 0; i < n; i++) {
    int whole = (int)(x * 0.37);
    x = x * 1.37 - (double)(int)(0.21 * whole);
    y[i] = x * 0.5;
  }
  *seed = x;
}
void unpack(struct quantized *from, float *x, int n)
{
  for (int i = 0; i < n; i++)
    x[i] = from->q[i] * from->s[i / 64];
}
double resample(const float *coefficients, const float *samples, long at, long step)
{
  double sum = 0;
  while (at >= 0) {
    sum += coefficients[at >> 12] * samples[at / step];
    at -= step;
  }
  return sum;
}
void longest(int diagonal, const int score[20000][20000])
{
  int i;
#pragma omp parallel for
  for (i = 1; i < diagonal; i++) {
    int j = diagonal - i, up = best[i - 1][j] - 10, left = best[i][j - 1] - 10, both = best[i - 1][j - 1] + score[i][j];
    best[i][j] = both > up && both > left ? both : up > left ? up : left;
  }
}
void plain_chain(int n, double *x)
{
  for (int i = 1; i < n; i++)
    x[i] += 0.5 * x[i - 1];
}
END
autotune suggest vary.c -- -fopenmp > vary.patch 2> vary.notes
has "chain" vary.notes "vary.c:3:1: note: of 'chain' only compilers and flags vary"
has "resample" vary.notes "vary.c:18:1: note: of 'resample' only compilers and flags vary"
has "longest" vary.notes "note: of the loop in line 31 of 'longest' only compilers and flags vary"
has "chain: the flags" vary.patch '^+ *flags("", "-fno-math-errno -fno-trapping-math"'
is "of integers: no flags for numbers" "$(sed -n '/void longest/,/parallel for/p' vary.patch | grep -c 'math')" 0
has "a chain without conversions" vary.notes "of 'plain_chain' only compilers and flags vary"
has "its sums may be reordered" <(sed -n '/^+.*flags/,/void plain_chain/p' vary.patch) 'fassociative-math'
AUTOTUNE_LOG=debug autotune cc --auto gcc -fopenmp -c vary.c -o vary.o 2> vary.auto
for name in "'chain'" "'unpack'" "'resample'" "the loop in line 31 of 'longest'"; do
  has "--auto: $name" vary.auto "kernels once they are hot: .*$name"
done
has "--auto: why 'unpack' has no directives" vary.auto "its arrays may overlap, and no call can look whether they do: "

# A function of which one loop is a kernel. Another one could only vary its flags, but a loop around it counts its key.
cat > exact.c << 'END'
static double forcing[40][40][40], ue[40][5], flux[40];
static int points[3] = { 40, 40, 40 };
static void solution(double x, double y, double to[5])
{
  for (int m = 0; m < 5; m++)
    to[m] = x * (m + 1) + y / (m + 2);
}
void exact(void)
{
  double to[5], dt;
  int m, i, j, k;
  for (k = 0; k <= points[2] - 1; k++)
    for (j = 0; j <= points[1] - 1; j++)
      for (i = 0; i <= points[0] - 1; i++)
        forcing[k][j][i] = 0.0;
  for (k = 1; k <= points[2] - 2; k++)
    for (j = 1; j <= points[1] - 2; j++) {
      for (i = 0; i <= points[0] - 1; i++) {
        solution(i, j + k, to);
        for (m = 0; m < 5; m++)
          ue[i][m] = to[m];
        dt = 1.0 / (to[0] + 1);
        flux[i] = dt * ue[i][1];
      }
      for (i = 1; i <= points[0] - 2; i++)
        forcing[k][j][i] += flux[i + 1] - flux[i - 1];
    }
}
int main(void)
{
  exact();
  return forcing[3][3][3] > 1e30;
}
END
autotune suggest exact.c > exact.patch 2> exact.notes
is "exact.c: kernels" "$(grep -c '^+ *#pragma autotune kernel' exact.patch)" 1
autotune cc --auto gcc -O1 -c exact.c -o exact.o 2> exact.err || fail "exact.c: builds with --auto"
is "exact.c: no complaint" "$(cat exact.err)" ""
is "exact.c: kernels by --auto" "$(nm exact.o | grep -c ' autotune_site_exact')" 1
# A call that reads nothing may pass null pointers: neither its key nor the lengths of sections follow these.
cat > null.c << 'END'
#include <stdio.h>
struct grid { int rows, columns; double *u; };
struct level { struct grid *grid; };
void plain(int n, const int size[2], const double *x, double *y)
{
  for (int t = 0; t < n; t++)
    for (int i = 0; i < size[0]; i++)
      y[t * size[0] + i] = x[i] + t;
}
void inner(int n, const struct grid *g, double *y)
{
  for (int t = 0; t < n; t++)
    for (int i = 0; i < g->columns; i++)
      y[t * g->columns + i] = g->u[i] + t;
}
void tested(const struct grid *g, double *y)
{
  if (!g)
    return;
  for (int t = 0; t < g->rows; t++)
    for (int i = 0; i < g->columns; i++)
      y[t * g->columns + i] = 1.0 * t + i;
}
void deep(const struct level *l, int n, double *y)
{
  for (int t = 0; t < (l->grid ? n : 0); t++)
    ;
  for (int t = 0; t < n; t++)
    for (int i = 0; i < l->grid->columns; i++)
      y[t * l->grid->columns + i] = t + 1.0 * i;
}
void optional(int n, int weighted, const double *x, const struct grid *g, double *y)
{
  for (int t = 0; t < n; t++)
    for (int i = 0; i < n; i++)
      if (weighted)
        y[t * n + i] = x[i] * g->u[i];
}
void always(const struct grid *g, double *y)
{
  for (int t = 0; t < g->rows; t++)
    for (int i = 0; i < g->columns; i++)
      y[t * g->columns + i] = g->u[i] + t;
}
int main(void)
{
  struct level l = { NULL };
  double x[4] = { 0 };
  plain(0, NULL, NULL, NULL);
  inner(0, NULL, NULL);
  tested(NULL, NULL);
  deep(&l, 0, NULL);
  optional(2, 0, x, NULL, x);
  puts("done");
  return 0;
}
END
autotune suggest null.c > null.patch 2> null.notes || fail "suggest null.c"
check "null pointers: the patch applies" patch -s -p1 -i null.patch
has "an array that a call may not read" null.c '^ *if(size) in(size'
has "a member that a call may not read" null.c 'key(n, g ? g->columns : 0)'
has "it is in no call with a null pointer" null.c '^ *if(g)'
has "each pointer on the way" null.c 'key(n, l->grid ? l->grid->columns : 0)'
has "a member that each call reads" null.c 'key(g->rows, g->columns)'
check "null pointers: builds" autotune cc gcc -O1 null.c -o null
is "null pointers" "$(AUTOTUNE_MODE=first AUTOTUNE_BUDGET=1s AUTOTUNE_CACHE=$work/null-cache ./null)" done
# Sections: the inner loop is empty for the last i; what a condition asks always holds; a loop of unknown range may not run.
cat > ends.c << 'END'
void ends(int n, const char *restrict s, int (*restrict t)[n])
{
  int i, j;
  for (i = n - 1; i >= 0; i--)
    for (j = i + 1; j < n; j++)
      if (j - 1 >= 0 && i + 1 < n)
        t[i][j] += s[i] + s[j];
}
void unknown(int n, const int *restrict length, double *restrict y)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < length[i]; k++)
      y[i * 5] += k;
}
END
autotune suggest ends.c > ends.patch 2> ends.notes
has "sections: up to the last row that is used" ends.patch 'in(s\[0:n\]) inout(t\[0:(long long)n - 1\]\[0:n\])'
hasnt "sections: a loop that may not run" ends.patch 'out(y'

finish
