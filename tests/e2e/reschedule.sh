# SPDX-License-Identifier: Apache-2.0
# `#pragma autotune reschedule`: all variants of kernels with steps in time and of factorisations are right. What is
# refused, and why.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cc_lib.sh"
export AUTOTUNE_MODE=first AUTOTUNE_BUDGET=100s OMP_NUM_THREADS=2 AUTOTUNE_CACHE=$work/cache

# ---- kernels ---------------------------------------------------------------------------
cat > steps.c << 'EOF_C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#pragma autotune kernel search(exhaustive) inout(a[0:n][0:n], b[0:n][0:n])
void jacobi(int steps, int n, double (*restrict a)[n], double (*restrict b)[n])
{
  int t, i, j;
  #pragma autotune reschedule sizes({1, 4, 50}, {3, 16}, {8, 100}) num_threads({1, 2}) optional
  for (t = 0; t < steps; t++) {
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < n - 1; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < n - 1; j++)
        a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]);
  }
}
#pragma autotune kernel search(exhaustive) inout(a[0:n][0:n])
void seidel(int steps, int n, double (*restrict a)[n])
{
  double above;
  #pragma autotune reschedule sizes({1, 5}, {4, 32}, {7, 64}) num_threads({1, 2}) schedule({static, dynamic})
  for (int t = 0; t <= steps - 1; t++)
    for (int i = 1; i <= n - 2; i++)
      for (int j = 1; j <= n - 2; j++) {
        above = a[i - 1][j - 1] + a[i - 1][j];
        a[i][j] = (above + a[i][j - 1] + a[i][j] + a[i + 1][j + 1]) / 5.0;
      }
}
#pragma autotune kernel search(exhaustive) inout(a[0:n][0:n]) flags("", "-fassociative-math -fno-signed-zeros -fno-trapping-math")
void cholesky(int n, double (*restrict a)[n])
{
  int i, j, k;
  #pragma autotune reschedule sizes({4, 16}, {8, 64}, 16) registers({1, 3}, 8) num_threads({1, 2})
  for (i = 0; i < n; i++) {
    for (j = 0; j < i; j++) {
      for (k = 0; k < j; k++)
        a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
    for (k = 0; k < i; k++)
      a[i][i] -= a[i][k] * a[i][k];
    a[i][i] = sqrt(a[i][i]);
  }
}
#pragma autotune kernel search(exhaustive) inout(a[0:n][0:n], b[0:n])
void lu(int n, double (*restrict a)[n], double *restrict b)
{
  double pivot, w;
  #pragma autotune reschedule sizes({4, 16}, {8, 64}, 16) num_threads({1, 2})
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        a[i][j] -= a[i][k] * a[k][j];
      pivot = a[j][j];
      a[i][j] = a[i][j] / pivot;
    }
    for (int j = i; j < n; j++) {
      w = a[i][j];
      for (int k = i - 1; k >= 0; k--)
        w -= a[i][k] * a[k][j];
      a[i][j] = w;
    }
    if (i > 0)
      b[i] = b[i] + a[i][i - 1];
  }
}
#pragma autotune kernel search(exhaustive) inout(a[0:n][0:n])
void crout(int n, double (*restrict a)[n])
{
  double w;
  int i, j, k;
  #pragma autotune reschedule sizes({4, 16}, {8, 64}, 16) registers({2, 4}, 8) num_threads({1, 2})
  for (i = 0; i < n; i++) {
    for (j = 0; j < i; j++) {
      w = a[i][j];
      for (k = 0; k < j; k++)
        w -= a[i][k] * a[k][j];
      a[i][j] = w / a[j][j];
    }
    for (j = i; j < n; j++) {
      w = a[i][j];
      for (k = 0; k < i; k++)
        w -= a[i][k] * a[k][j];
      a[i][j] = w;
    }
  }
}
#pragma autotune kernel search(exhaustive) inout(a[0:n * n])
void rows(int steps, int n, int m, double *restrict a)
{
  #pragma autotune reschedule sizes({1, 5}, {4, 32}, {7, 64}) num_threads({1, 2})
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n; i++)
      for (int j = 1; j < m; j++)
        if (a[i * n + j] > 0.25)
          a[i * n + j] = (a[i * n + j] + a[i * n + j - 1] + a[(i - 1) * n + j]) / 3.0;
}
// Copies of what is read with a stride; a triangle; products of floats and of integers.
#pragma autotune kernel search(exhaustive) inout(c[0:n][0:n]) in(a[0:n][0:n], b[0:n][0:n])
void syr2k(int n, double (*restrict c)[n], double (*restrict a)[n], double (*restrict b)[n])
{
  #pragma autotune reschedule sizes({8, 64}, 8, 16) registers({2, 4}, {4, 8}) num_threads({1, 2}) schedule(dynamic)
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++)
      c[i][j] *= 0.5;
    for (size_t k = 0; k < n; k++)
      for (size_t j = 0; j <= i; j++)
        c[i][j] += a[j][k] * 2 * b[i][k] + b[j][k] * 2 * a[i][k];
  }
}
#pragma autotune kernel search(exhaustive) inout(c[0:n * n])
void shorts(int n, short *restrict c, const float *restrict a)
{
  #pragma autotune reschedule sizes({8, 64}, 8, 64) registers({2, 4}, 8)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] = a[j * n + k] * a[k] + c[i * n + j];
}
#pragma autotune kernel search(exhaustive) inout(d[0:n][0:n])
void nearest(int n, int (*restrict d)[n], int (*restrict a)[n])
{
  #pragma autotune reschedule sizes({8, 64}, 8, 16) registers({1, 4}, {4, 8}) num_threads({1, 2})
  for (int i = n - 1; i >= 0; i--)
    for (int j = 0; j < n; j++)
      for (int k = i + 1; k < n; k++)
        d[i][j] = d[i][j] < a[i][k] + a[j][k] ? d[i][j] : a[i][k] + a[j][k] - (d[i][j] & 1);
}
#pragma autotune kernel search(exhaustive) inout(a[0:n], b[0:n], c[0:n])
void braces(int steps, int n, double *restrict a, double *restrict b, double *restrict c)
{
  #pragma autotune reschedule sizes({1, 5}, {7, 64})
  for (int t = 0; t < steps; t++) {
    {
      for (int i = 0; i < n; i++)
        b[i] = a[i] + 1;
      for (int i = 1; i < n; i++)
        a[i] = b[i - 1] * 0.5;
    }
    for (int i = 1; i < n - 1; i++)
      c[i] += a[i + 1];
  }
}
#pragma autotune kernel search(exhaustive) inout(c[0:n][0:n])
void product(int n, double (*restrict c)[n], double (*restrict a)[n], double (*restrict b)[n])
{
  double w;
  #pragma autotune reschedule sizes({8, 64}, 8, 16) registers({1, 4}, 8) num_threads({1, 2})
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double s = i;
      for (int k = 0; k < n; k++)
        s = s + a[i][k] * b[j][k];
      c[i][j] = 2 * s + j;
    }
    for (int j = 0; j < i; j++) {
      w = 0.5;
      for (int k = 0; k < i; k++)
        w -= a[i][k] / (k + 1);
      c[i][j] = w + w;
    }
  }
}
// What all iterations of a step read is written in it, too: pieces before and after that.
#pragma autotune kernel search(exhaustive) inout(d[0:n][0:n])
void shortest(int n, unsigned (*restrict d)[n])
{
  #pragma autotune reschedule sizes({1, 8}, {5, 64}) num_threads({1, 2})
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];
}
#pragma autotune kernel search(exhaustive) inout(a[0:n][0:m])
void jordan(int n, int m, double (*restrict a)[m])
{
  #pragma autotune reschedule sizes({1, 8}, {5, 64})
  for (int k = n - 1; k >= 0; k--) {
    for (int j = 0; j < k; j++)
      a[k][j] /= a[k][k];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        if (i != k)
          a[i][j] -= a[i][k] * a[k][j];
  }
}
// At some values of the loops around tiles, loops in them are empty.
#pragma autotune kernel search(exhaustive) inout(a[0:n][0:n])
void gaps(int n, unsigned (*restrict a)[n])
{
  #pragma autotune reschedule sizes({1, 8}, {5, 64}) num_threads({1, 2})
  for (int i = 0; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      for (int k = 0; k < i + 1; k++)
        a[j][k] = a[j][i] * a[i][k];
      for (int k = i; k < n - i; k++)
        a[j][k] = a[j][i] * a[i + 1][k] + 1;
    }
}
// Updates that need not keep their order; the terms that need nothing of their tile come first.
#define MORE(a, b) ((a) >= (b) ? (a) : (b))
#pragma autotune kernel search(exhaustive) inout(t[0:n][0:n]) in(s[0:n])
void fold(int n, const char *s, int (*restrict t)[n])
{
  #pragma autotune reschedule sizes({4, 16}, {8, 64}, {5, 16}) registers({1, 4}, 8) num_threads({1, 2}) schedule(dynamic)
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      t[i][j] = MORE(t[i][j], t[i][j - 1]);
      if (i + 1 < n) {
        t[i][j] = MORE(t[i][j], t[i + 1][j]);
        if (i < j - 1)
          t[i][j] = MORE(t[i][j], t[i + 1][j - 1] + (s[i] + s[j] == 3));
      }
      for (int k = i + 1; k < j; k++)
        t[i][j] = MORE(t[i][j], t[i][k] + t[k + 1][j]);
    }
}
#pragma autotune kernel search(exhaustive) inout(c[0:n][0:n]) in(p[0:n + 1])
void chain(int n, const long *restrict p, long (*restrict c)[n])
{
  #pragma autotune reschedule sizes({4, 16}, {8, 64}, 16) num_threads({1, 2})
  for (int l = 1; l < n; l++)
    for (int i = 0; i < n - l; i++)
      for (int k = i; k < i + l; k++)
        c[i][i + l] = c[i][k] + c[k + 1][i + l] + p[i] * p[k + 1] * p[i + l + 1] < c[i][i + l]
          ? c[i][k] + c[k + 1][i + l] + p[i] * p[k + 1] * p[i + l + 1] : c[i][i + l];
}
#pragma autotune kernel search(exhaustive) inout(t[0:n][0:n])
void locals(int n, int (*restrict t)[n])
{
  #pragma autotune reschedule sizes({4, 16}, 8) num_threads({1, 2})
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i + 1; k < j; k++) {
        const int next = k + 1, v = t[i][k] + t[next][j];
        t[i][j] = t[i][j] > v ? t[i][j] : v;
      }
}
// In tiles of a wave, two threads would update one element of c or of d.
#pragma autotune kernel search(exhaustive) inout(c[0:2 * n], d[0:2 * n]) in(t[0:n][0:n])
void crosses(int n, unsigned *restrict c, unsigned *restrict d, int (*restrict t)[n])
{
  #pragma autotune reschedule sizes({1, 4}, {1, 4}, 4) num_threads({1, 2})
  for (unsigned l = 0; l < 3; l++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        c[i + j] = c[i + j] >= t[i][j] + l ? c[i + j] : t[i][j] + l;
        d[i - j + n] = d[i - j + n] >= t[i][j] * l ? d[i - j + n] : t[i][j] * l;
      }
}
// The values of these assignments are used again, so the order matters.
#pragma autotune kernel search(exhaustive) inout(c[0:2 * n], t[0:n][0:n])
void again(int n, int *restrict c, int (*restrict t)[n])
{
  #pragma autotune reschedule sizes({4, 16}, {8, 64})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      t[j][i] = (c[i + j] = c[i + j] >= t[j][i] ? c[i + j] : t[j][i]);
}
// Numbers for which the order matters. For those of two types, the loops run as written.
#pragma autotune kernel search(exhaustive) inout(t[0:n][0:n])
void longer(int n, int (*restrict t)[n])
{
  #pragma autotune reschedule sizes(4, 8, 16) registers({1, 4}, 8)
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i + 1; k < j; k++)
        t[i][j] = MORE(t[i][j], t[i][k] + t[k + 1][j] * 30000001L);
}
#pragma autotune kernel search(exhaustive) inout(t[0:n][0:n])
void narrow(int n, short (*restrict t)[n])
{
  #pragma autotune reschedule sizes(4, 8, 16)
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i + 1; k < j; k++)
        t[i][j] = MORE(t[i][j], t[i][k] + t[k + 1][j] * 301);
}
#pragma autotune kernel search(exhaustive) inout(x[0:n])
void sweeps(int steps, int n, double (*restrict x)[n])
{
  double w[n][n];
  #pragma autotune reschedule sizes({3, 8, 16}) num_threads({1, 2}) optional
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) {
      w[i][0] = x[i][0];
      for (int j = 1; j < n; j++)
        w[i][j] = x[i][j] + 0.5 * w[i][j - 1];
      for (int j = n - 2; j >= 0; j--)
        x[i][j] = 0.5 * (w[i][j] - 0.25 * x[i][j + 1]);
    }
    for (int i = 0; i < n; i++) {
      w[i][0] = x[0][i];
      for (int j = 1; j < n; j++)
        w[i][j] = x[j][i] + 0.25 * w[i][j - 1];
      for (int j = n - 2; j >= 0; j--)
        x[j][i] = 0.5 * (w[i][j] + 0.25 * x[j + 1][i]);
    }
  }
}
// The second update of an element by a block would divide by 0.
#pragma autotune kernel search(exhaustive) inout(c[0:n][0:n]) in(a[0:n][0:n])
void quotients(int n, int (*restrict c)[n], const int (*restrict a)[n])
{
  #pragma autotune reschedule sizes(64, 64, 64) registers({1, 4}, 8)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] = c[i][j] - a[i][k] / c[i][j];
}
double *make(int n)
{
  double *x = malloc(n * n * sizeof *x);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x[i * n + j] = i == j ? n + i % 7 : (i * 7 + j * 3) % 11 / 11.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      x[i * n + j] = x[j * n + i];
  return x;
}
void say(const char *what, int n, const double *x)
{
  double sum = 0;
  for (int i = 0; i < n * n; i++)
    sum += x[i] * (i % 13 + 1);
  printf("%s %.9g\n", what, sum);
}
int main(void)
{
  for (int n = 2; n < 80; n += 37) {
    double *a = make(n), *b = make(n), *c = make(n), *d = make(n), *e = make(n), *f = make(n);
    jacobi(9, n, (void *)a, (void *)b);
    seidel(6, n, (void *)c);
    cholesky(n, (void *)d);
    lu(n, (void *)e, b);
    rows(5, n, n - 1, f);
    double *g = make(n), *h = make(n), *l = make(n);
    double *q = make(n);
    product(n, (void *)q, (void *)g, (void *)h);
    say("product", n, q);
    crout(n, (void *)l);
    say("crout", n, l);
    short *s = calloc(n * n, sizeof *s);
    float *p = malloc(n * n * sizeof *p);
    for (int i = 0; i < n * n; i++)
      p[i] = i % 17 - 5.5f;
    syr2k(n, (void *)g, (void *)h, (void *)d);
    shorts(n, s, p);
    int *x = malloc(2 * n * n * sizeof *x), sum = 0;
    for (int i = 0; i < 2 * n * n; i++)
      x[i] = i * 31 % 97 + (i < n * n ? 50 : 0);
    nearest(n, (void *)x, (void *)(x + n * n));
    for (int i = 0; i < n * n; i++)
      sum += x[i] * (i % 5 + 1);
    printf("nearest %d\n", sum);
    sum = 0;
    for (int i = 0; i < n * n; i++)
      sum += s[i] * (i % 13 + 1);
    say("syr2k", n, g), printf("shorts %d\n", sum);
    int *fa = calloc(n * n, sizeof *fa), folds = 0;
    long *ch = calloc(n * n + n + 1, sizeof *ch), chains = 0;
    short *na = malloc(n * n * sizeof *na);
    char letters[n];
    for (int i = 0; i < n; i++)
      letters[i] = i * 7 % 11 % 4;
    for (int i = 0; i < n * n; i++)
      ch[i] = i % (n + 1) ? 1L << 40 : 0, na[i] = i * 97 % 3001 - 100;
    for (int i = 0; i <= n; i++)
      ch[n * n + i] = 1 + i * 13 % 17;
    fold(n, letters, (void *)fa), chain(n, ch + n * n, (void *)ch), narrow(n, (void *)na);
    int *lo = malloc(n * n * sizeof *lo), *le = malloc(n * n * sizeof *le), *ag = calloc(2 * n, sizeof *ag);
    unsigned *cr = calloc(4 * n, sizeof *cr), *z = malloc(n * n * sizeof *z), total = 0;
    for (int i = 0; i < n * n; i++)
      lo[i] = le[i] = i * 31 % 97;
    crosses(n, cr, cr + 2 * n, (void *)lo), locals(n, (void *)lo), longer(n, (void *)le), again(n, ag, (void *)le);
    for (int i = 0; i < n * n; i++)
      z[i] = i * 31 % 97;
    gaps(n, (void *)z);
    for (int i = 0; i < n * n; i++)
      folds += z[i] * (i % 7) + (lo[i] + le[i] % 10007) * (i % 13 + 1), folds += i < 4 * n ? cr[i] * (i % 7) : 0;
    for (int i = 0; i < n * n; i++)
      folds += fa[i] * (i % 13 + 1), chains += ch[i] % 1000003 * (i % 13 + 1), folds += na[i] * (i % 7);
    printf("fold %d chain %ld\n", folds, chains);
    double *y = make(n);
    for (int i = 0; i < n * n; i++)
      z[i] = i * 31 % 97 - (i % 19 == 3 ? 40 : 0);
    for (int i = 0; i < n * n; i++) // the last term alone is not 0
      lo[i] = i % n == n - 1;
    int *quotient = malloc(n * n * sizeof *quotient);
    for (int i = 0; i < n * n; i++)
      quotient[i] = i % 3 ? 1 : 3;
    quotients(n, (void *)quotient, (void *)lo);
    for (int i = 0; i < n * n; i++)
      total += quotient[i] * (i % 13 + 1);
    shortest(n / 4 + 1, (void *)z); // its threads meet nine times in each step: that is slow on a busy machine
    for (int i = 0; i < n * n; i++)
      total += z[i] * (i % 13 + 1);
    jordan(n - 1, n, (void *)y);
    printf("shortest %u\n", total), say("jordan", n, y);
    double *u = make(n), *v = make(n), *o = make(n), *swept = make(n);
    sweeps(5, n, (void *)swept);
    say("swept", n, swept);
    braces(5, n, u, v, o);
    say("u", n, u), say("v", n, v), say("o", n, o);
    say("jacobi", n, a), say("seidel", n, c), say("cholesky", n, d), say("lu", n, e), say("b", n, b), say("rows", n, f);
  }
  return 0;
}
EOF_C
gcc -O1 -w steps.c -o plain -lm
./plain > expected
check "kernels: build" autotune cc gcc -O2 -w steps.c -o tuned -lm
AUTOTUNE_LOG=debug check "kernels: run" ./tuned > out 2> log
is "kernels: the sums of the plain program" "$(cat out)" "$(cat expected)"
hasnt "kernels: all variants compile and are right" log 'did not compile\|: wrong\|crash'
for k in jacobi sweeps seidel cholesky lu crout rows syr2k shorts nearest product braces shortest jordan gaps fold chain locals crosses again longer narrow quotients; do
  autotune report $k --json > $k.json 2> /dev/null
  is "$k: three keys are tuned" "$(grep -c '"tried": *[1-9]' $k.json)" 3
  is "$k: some variants are right" "$(grep -c '"right": *[1-9]' $k.json)" 3
  is "$k: the others are not refused" "$(grep -cE '"(compile|load|wrong|crash|timeout|exit)": *[1-9]' $k.json)" 0
done
autotune translate steps.c -o out.c
has "a wave of tiles" out.c 'autotune_wave'
has "a buffer in place of an array that is never stored" out.c 'autotune_memory && !(0)'
has "vectors along rows" out.c 'omp simd'
has "a sum has a variable" out.c 'autotune_sum'
has "a loop around tiles" out.c 'for (long long autotune_outer0 = '
has "parts of a triangle that grows as a loop counts down" out.c 'PART_DOWN(n - 1, 0, 1, 16 \* AUTOTUNE_PART_THREADS, 3)'
has "terms that need nothing of their tile" out.c 'autotune_early0'
has "sums in registers" out.c 'autotune_block\['
has "what is read with a stride is copied" out.c 'autotune_packed1\['

has "the memory is that of the largest part" out.c 'AUTOTUNE_MORE(autotune_bytes, autotune_bytes'

# ---- which order, and what is one loop -------------------------------------------------
# parts NAME: which arrays statements of the kernel NAME set in each loop that threads share, in waves of tiles or all at
# once, or one thread runs; in tiles without buffers
parts() {
  awk -v text=" autotune_text_$1_0" '
    index($0, text) { on = 1 }
    !on { next }
    /autotune_memory && / { skip = 1 }
    /} else {/ { skip = 0 }
    /autotune_wave = / { wave = 1 }
    /omp (for|single)/ { printf "%s%s:", parts++ ? " " : "", / for/ ? wave ? "wave" : "for" : "single"; wave = 0 }
    !skip && /^"[a-z]\[.*\] = / { printf "%s", substr($0, 2, 1) }
    !skip && /^"[a-z]\[.*\] \+= / { printf "%s", substr($0, 2, 1) }
    /^"#endif/ && parts { exit }' out.c
}
cat > which.c << 'EOF_C'
#pragma autotune kernel verify(off)
void swapped(int steps, int n, int *restrict x, int *restrict s, int *restrict c, int *restrict y)
{
  #pragma autotune reschedule sizes(8, 8) num_threads(2)
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      s[i] = 2 * x[i];
    for (int i = 0; i < n; i++)
      x[i] = s[i] + 1;
    for (int i = 0; i < n; i++)
      c[i + 1] = c[i + 1] >= s[i] ? c[i + 1] : s[i];
    for (int i = 0; i < n; i++)
      c[i] = c[i] >= s[i] ? c[i] : s[i];
  }
}
#pragma autotune kernel verify(off)
void serial(int steps, int n, double *restrict x, double *restrict s, double *restrict c)
{
  #pragma autotune reschedule sizes(8, 8) num_threads(2)
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      s[i] = 2 * x[i];
    for (int i = 0; i < n; i++)
      x[i] = s[i] + 1;
    for (int i = 1; i < n; i++)
      c[i] += c[i - 1];
  }
}
#pragma autotune kernel verify(off)
void updates(int n, double *restrict s, double (*restrict a)[n], double (*restrict b)[n], double (*restrict c)[n])
{
  #pragma autotune reschedule sizes(8, 8, 8) registers(4, 16)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      s[j] = 2 * a[i][j];
    for (int j = 0; j < n; j++)
      a[i][j] = s[j] + 1;
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += b[i][k] * b[k][j];
  }
}
EOF_C
check "which order: translate" autotune translate which.c -o out.c
is "updates that may change places are not run at the same time" "$(parts swapped)" "wave:sxcc"
is "buffers are no gain where another loop runs in one thread" "$(parts serial)" "for:sx wave:c"
has "blocks, if asked for, rather than buffers" out.c 'autotune_block\['

# ---- copies for blocks, on a small stack -----------------------------------------------
cat > large.c << 'EOF_C'
#pragma autotune kernel inout(c[0:n][0:n])
void large(int n, double (*restrict c)[n], double (*restrict a)[n], double (*restrict b)[n])
{
  #pragma autotune reschedule sizes(256, 256, 256) registers(4, 16)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}
EOF_C
check "large tiles: translate" autotune translate large.c -o out.c
awk '/ autotune_text_large_0\[\] =$/ { on = 1; next } on; on && /";$/ { exit }' out.c |
  sed 's/^"//; s/\\n";*$//; s/\\\(["?]\)/\1/g; s/\\\\/\\/g' > unit.c
cat > main.c << 'EOF_C'
#include "unit.c"
enum { N = 250 };
double a[N][N], b[N][N], c[N][N];
int main(void)
{
  for (int i = 0; i < N * N; i++)
    a[i / N][i % N] = i % 7, b[i / N][i % N] = i % 5;
  autotune_entry(N, c, a, b);
  for (int i = 0; i < N * N; i++) {
    double sum = 0;
    for (int k = 0; k < N; k++)
      sum += a[i / N][k] * b[k][i % N];
    if (sum != c[i / N][i % N])
      return 1;
  }
  return 0;
}
EOF_C
check "large tiles: compile" gcc -O1 -w -DAUTOTUNE_P0=1 -DAUTOTUNE_PART_THREADS=1 main.c -o large
is "large tiles: right on a stack of 256 KiB" "$( (ulimit -s 256; timeout 60 ./large) > /dev/null 2>&1; echo $?)" 0

# ---- updates in any order --------------------------------------------------------------
cat > real.c << 'EOF_C'
typedef float real;
#pragma autotune kernel
void nearest(int n, real (*restrict d)[n])
{
  #pragma autotune reschedule sizes(8, 64) num_threads({1, 2})
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];
}
EOF_C
check "floating-point numbers: translate" autotune translate real.c -o out.c
hasnt "floating-point numbers keep their order" out.c 'types_compatible'
has "they have tiles" out.c 'autotune_tile0'

# ---- loops that are no vectors ---------------------------------------------------------
# isl gives c a loop of its own for the i from n on. Values in brackets are assigned, too.
cat > carried.c << 'EOF_C'
#pragma autotune kernel inout(c[0:m], a[0:n][0:n], e[0:n])
void apart(int steps, int n, int m, double *restrict e, double *restrict c, double (*restrict a)[n])
{
  #pragma autotune reschedule sizes(4, 4, 4)
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n; i++)
      e[i] += c[i];
    for (int i = 1; i < m; i++)
      c[i] = c[i - 1] + a[1][i] * 0.5;
    for (int i = 3; i < n; i++)
      for (int j = 1; j < n; j++)
        a[i][j] = a[i][j] * 0.5 + c[i];
  }
}
#pragma autotune kernel inout(s[0:m]) in(b[0:m][0:n])
void brackets(int m, int n, double *restrict s, double (*restrict b)[n])
{
  double w;
  #pragma autotune reschedule sizes(4, 4)
  for (int i = 0; i < m; i++) {
    w = s[i];
    for (int k = 0; k < n; k++)
      (w) = (w) * 0.5 + b[i][k];
    s[i] = w;
  }
}
EOF_C
check "carried: translate" autotune translate carried.c -o out.c
has "the rest are vectors" out.c 'omp simd'
is "no vector in which an iteration needs the one before" "$(awk '
  /omp simd/ { vector = 1 }
  vector && (/c\[i\] = c/ || /for \(int k =/) { wrong++ }
  /\[i\].*;/ { vector = 0 }
  END { print wrong + 0 }' out.c)" 0

# ---- what is refused -------------------------------------------------------------------
refused() { # REASON CODE
  printf '#pragma autotune kernel\nvoid f(int n, int m, double *restrict x, double (*restrict a)[n], const int *restrict p, double *s)\n{\n%s\n}\n' "$2" > bad.c
  autotune check bad.c > bad.out 2>&1
  has "refused: $1" bad.out "$1"
}
line='#pragma autotune reschedule sizes(4, 4)
'
refused "no two of its loops can be tiled" "$line for (int t = 0; t < n; t++) for (int i = 0; i < n; i++) x[0] = 2 * x[0] + i;"
refused "not affine" "$line for (int t = 0; t < n; t++) for (int i = 0; i < n; i++) x[p[i]] += 1;"
refused "a variable is declared between loops" "$line for (int t = 0; t < n; t++) for (int i = 0; i < n; i++) { float w = 0; for (int k = 0; k < n; k++) w += x[k]; a[t][i] = w; }"
refused "a variable is declared between loops" "$line for (int t = 0; t < n; t++) for (int i = 0; i < n; i++) { double w = 0; for (int k = 0; k < n; k++) w += a[t][k]; x[i] = w; x[t] = w; }"
refused "and this may be the same" "$line for (int t = 0; t < n; t++) for (int i = 0; i < n; i++) { double w = 0; double v = 1; for (int k = 0; k < n; k++) { w += x[k]; v += w; } a[t][i] = w + v; }"
refused "a variable is declared between loops" "$line for (int t = 0; t < n; t++) for (int i = 0; i < n; i++) { double w = 0; for (int k = 0; k < n; k++) { double v = x[k]; { double w; w = x[t]; v += w; } w += v; } a[t][i] = w; }"
refused "and this may be the same" "$line for (int t = 0; t < n; t++) for (int i = 0; i < n; i++) { double w = 0; for (int k = 0; k < n; k++) w += a[t][k]; a[t][i] = w; }"
refused "leads from one statement to another one" "double w;
$line for (int t = 0; t < n; t++) { w = 1; for (int i = 0; i < t; i++) w -= x[i]; x[t] = w; a[0][t] = w; }"
refused "is read after the loops" "double w;
$line for (int t = 0; t < n; t++) for (int i = 0; i < n; i++) { w = a[t][i]; a[t][i] = w + 1; }
*s = w;"
refused "is set among other statements" "double w;
$line for (int t = 0; t < n; t++) for (int i = 0; i < n; i++) { if (t > 2) { w = a[t][i]; a[t][i] = w * 2; } x[i] += 1; }"
refused "and this may be the same" "double w;
$line for (int t = 0; t < n; t++) for (int i = 0; i < n; i++) { w = a[t][i]; for (int j = 0; j < n; j++) w -= x[j]; a[t][i] = w + a[t][i]; }"
refused "one of those that autotune gives" "double autotune_at0 = 3;
$line for (int t = 0; t < n; t++) for (int i = 1; i < n; i++) x[i] += autotune_at0 * x[i - 1];"
refused "one of those that autotune gives" "double autotune_left = 3;
$line for (int t = 0; t < n; t++) for (int i = 1; i < n; i++) x[i] += autotune_left * x[i - 1];"
refused "the step of a loop is not 1" "$line for (int t = 0; t < n; t++) for (int i = 1; i < n; i += 2) x[i] += x[i - 1];"
# isl would need minutes for a nest of many statements that all depend on each other.
many=
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
  many="$many for (int j = $((i % 3)); j < n - t; j++) for (int k = j; k < n; k++) a[j + $((i % 4))][k] += a[k][j + $i] + x[j + $((i % 2))] * a[t][k + $i]; x[t] += a[t][$i] + x[t + $i];"
done
refused "too many to be computed\\|too large for isl\\|isl finds no order" "$line for (int t = 0; t < n; t++) { $many }"
refused "no tile of these loops has only statements that update one element" "#pragma autotune reschedule sizes(4, 4) registers(4, 8)
for (int t = 0; t < n; t++) for (int i = 1; i < n; i++) x[i] += x[i - 1];"
refused "'registers' needs two numbers" "#pragma autotune reschedule sizes(4, 4, 4) registers(4)
for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) a[i][j] += x[k] * x[j];"
refused "two sizes at least" '#pragma autotune reschedule sizes(4)
for (int t = 0; t < n; t++) for (int i = 1; i < n; i++) x[i] += x[i - 1];'
refused "'tile' cannot stand on or in loops that 'reschedule' orders" "$line for (int t = 0; t < n; t++)
#pragma autotune tile sizes(4)
for (int i = 1; i < n; i++) x[i] += x[i - 1];"
refused "'parallel for' cannot stand on or in loops" "#pragma omp parallel for
#pragma autotune reschedule sizes(4, 4)
for (int t = 0; t < n; t++) for (int i = 1; i < n; i++) a[t][i] += 1;"

cat > bad.c << 'EOF_C'
#pragma autotune kernel
void f(int n, double (*exp)(double), double (*restrict a)[n])
{
  #pragma autotune reschedule sizes(4, 4)
  for (int t = 0; t < n; t++)
    for (int i = 1; i < n; i++)
      a[t][i] = exp(a[t][i]);
}
EOF_C
autotune check bad.c > bad.out 2>&1
has "refused: an argument that has the name of a function of math.h" bad.out "it is not known what this call does"

finish
