#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sections whose rows are reached through pointers: a product of matrices on `double **`, a stencil on `double ***`, rows
# in a structure, an elimination that exchanges rows. Right variants pass, each wrong one is found in its row and named, a
# captured call is made again.
root=$(cd "$(dirname "$0")/../.." && pwd) build=$(cd "$1" && pwd)
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=20s

cat > rows.h << 'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef W
#define W 1
#endif
enum { N = 40, M = 30, K = 50, E = 9 };
struct grid { int n, m; double **now, **next; struct { float *weights; } edge; };
static double value(int i) { return sin(i * 1.7 + i * (i % 37)); }
static double **rows(int n, int m) {
  double **x = malloc((size_t)n * sizeof *x);
  for (int i = n; i-- > 0;) {
    x[i] = malloc((size_t)m * sizeof **x);
    for (int j = 0; j < m; j++)
      x[i][j] = value(i * m + j);
  }
  return x;
}
static double sum(int n, int m, double **x) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      s += x[i][j] * (i + 2 * j);
  return s;
}
END
cat > rows.c << 'END'
#include "rows.h"
#pragma autotune kernel param(W: 1, 2, 3) flags("-O2 -march=native -ffast-math") in(a[0:n][0:k], b[0:k][0:m]) out(c[0:n][0:m])
void multiply(int n, int m, int k, double **a, double **b, double **c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int l = 0; l < k; l++)
        s += a[i][l] * b[l][j];
      if (!(W == 2 && i == 33 && j == 17))
        c[i][j] = s;
      if (W == 3 && i == n - 1 && j == m - 1)
        b[3][4] += 1e-3; // which is only read
    }
}
#pragma autotune kernel param(W: 1, 2) flags("-O2 -march=native -ffast-math") in(x[0:E][0:E][0:E]) inout(y[1:E-2][1:E-2][1:E-2])
void stencil(double ***restrict x, double ***restrict y) {
  for (int i = 1; i < E - 1; i++)
    for (int j = 1; j < E - 1; j++)
      for (int k = 1; k < E - 1; k++)
        y[i][j][k] += (x[i - 1][j][k] + x[i + 1][j][k] + x[i][j - 1][k] + x[i][j + 1][k] + x[i][j][k - 1] +
                       x[i][j][k + (W == 2 && i == 5 && j == 4 && k == 6 ? 0 : 1)]) / 6;
}
#pragma autotune kernel param(W: 1, 2) in(g[0:1], g->now[0:g->n][0:g->m], g->edge.weights[0:g->m]) out(g->next[0:g->n][0:g->m])
void step(struct grid *g) {
  for (int i = 0; i < g->n; i++)
    for (int j = 0; j < g->m; j++)
      g->next[i][j] = g->edge.weights[j] * g->now[i][j] + (W == 2 && i == g->n - 1 && j == 5);
}
#pragma autotune kernel param(W: 1, 2, 3) inout(a[0:n][0:n])
int eliminate(int n, double **a) {
  int swaps = 0;
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      p = fabs(a[i][k]) > fabs(a[p][k]) ? i : p;
    double *row = a[k];
    swaps += p != k;
    a[k] = a[p];
    a[p] = row;
    if (W == 2 && k == 20) // the number is right, the order is not
      a[p] = a[k], a[k] = row;
    for (int i = k + 1; i < n; i++) {
      double f = a[i][k] / a[k][k];
      for (int j = k; j < n; j++)
        a[i][j] -= f * a[k][j];
      if (W == 3 && i == k + 1 && k == 4)
        a[i][k] = f * 2;
    }
  }
  return swaps;
}
#pragma autotune kernel param(W: 1, 2, 3) flags("-O2 -march=native -ffast-math") in(x[0:n]) out(return[0:n])
double *sums(int n, const double *x) {
  void *other = W == 3 ? malloc(1000) : NULL; // so that the result lies elsewhere
  double *y = malloc((size_t)n * sizeof *y), s = 0;
  for (int i = 0; i < n; i++)
    y[i] = s += x[i] * x[i] + (W == 2 && i == n - 1);
  free(other);
  return y;
}
#pragma autotune kernel param(W: 1, 2, 3) in(x[0:n])
const double *least(int n, const double *x) {
  const double *l = x;
  for (int i = 1; i < n - (W == 2); i++)
    l = x[i] < *l ? x + i : l;
  return l;
}
int main(void) {
  double **a = rows(N, K), **b = rows(K, M), **c = rows(N, M), **e[E], **f[E], **g = rows(N, N);
  float weights[M];
  struct grid now = { N, M, c, rows(N, M), { weights } };
  for (int i = 0; i < E; i++)
    e[i] = rows(E, E), f[i] = rows(E, E);
  for (int j = 0; j < M; j++)
    weights[j] = (float)value(j);
  multiply(N, M, K, a, b, c);
  static double long_row[3000];
  for (int i = 0; i < 3000; i++)
    long_row[i] = value(i);
  long_row[2999] = -2;
  double *total = sums(3000, long_row);
  const double *lowest = least(3000, long_row);
  stencil(e, f);
  step(&now);
  int swaps = eliminate(N, g);
  printf("%.9g %d\n", total[2999], (int)(lowest - long_row));
  printf("%.9g %.9g %.9g %.9g %d\n", sum(N, M, c), sum(E, E, f[5]), sum(N, M, now.next), sum(N, N, g), swaps);
  return 0;
}
END
for cc in $compilers; do
  rm -rf "$work/cache"
  check "$cc: builds" autotune cc $cc -O2 rows.c -o rows -lm
  AUTOTUNE_MODE=off ./rows > expected
  AUTOTUNE_MODE=tune AUTOTUNE_LOG=debug timeout 300 ./rows > got 2> log
  same "$cc: the answers" expected got
  grep -o '[a-z]*: wrong: .*' log | sed 's/ \{2,\}/ /g' | sort -u > wrong
  for line in 'multiply: wrong: c\[33\]\[17\] is .* W=2' 'multiply: wrong: b\[0:k\]\[0:m\], which is only read, was changed W=3' \
    'stencil: wrong: y\[5\]\[4\]\[6\] is .* W=2' 'sums: wrong: return\[0:n\]: element 2999 is .* W=2' 'least: wrong: the value returned: .* W=2' 'step: wrong: g->next\[39\]\[5\] is .* W=2' \
    'eliminate: wrong: .* W=2' 'eliminate: wrong: a\[[0-9]*\]\[4\] is .* W=3'; do
    check "$cc: $line" grep -q "^$line" wrong
  done
  check "$cc: no false alarm" test "$(grep -c 'wrong: .*W=1' wrong)" = 0
  check "$cc: a result may lie anywhere" test "$(grep -cE '(sums|least): wrong: .*W=3' wrong)" = 0
done

mkdir captures
chmod 700 captures
check "a capture" env AUTOTUNE_MODE=off AUTOTUNE_CAPTURE="$PWD/captures" ./rows
for kernel in multiply stencil step eliminate sums; do
  check "$kernel is replayed" sh -c "autotune tune --capture captures/$kernel-*.capture --check > out 2>&1"
  check "$kernel: the same bits" grep -q 'outputs as in the program: yes' out
done
check "a captured call is tuned" sh -c "AUTOTUNE_CACHE=$work/other AUTOTUNE_LOG=debug autotune tune --capture captures/multiply-*.capture > out 2>&1"
check "and the wrong variants are wrong there" test "$(grep -c 'multiply: wrong: ' out)" = 2

# More rows are declared than there are pointers.
cat > short.c << 'END'
#include "rows.h"
#include <sys/mman.h>
#pragma autotune kernel param(W: 1, 2) inout(x[0:n][0:m])
void scale(int n, int m, double **x) {
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < m; j++)
      x[i][j] *= 1 + W / W;
  (void)n;
}
int main(void) {
  double **x = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect((char *)x + 4096, 4096, PROT_NONE);
  x[0] = malloc(80), x[1] = malloc(80);
  memset(x[0], 0, 80), memset(x[1], 0, 80);
  scale(100000, 10, x);
  return 0;
}
END
check "builds" autotune cc gcc -O2 short.c -o short
AUTOTUNE_MODE=tune AUTOTUNE_LOG=info ./short 2> log
check "too many rows are declared" grep -q 'the addresses of the rows of x\[0:n\]\[0:m\] cannot be read' log
finish
