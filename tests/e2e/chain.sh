# SPDX-License-Identifier: Apache-2.0
# `#pragma autotune chain`: all variants of kernels that are chains of nests are right, bit for bit, and so are chains made
# up from seeds, in tiles of any size, for few and many threads, and where there is no memory. NESTS and FIRST: how many,
# from which seed on.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cc_lib.sh"
. "$here/nests_lib.sh"
export AUTOTUNE_MODE=first AUTOTUNE_BUDGET=100s OMP_NUM_THREADS=2 AUTOTUNE_CACHE=$work/cache

# ---- kernels ---------------------------------------------------------------------------
cat > chains.c << 'EOF_C'
#include <stdio.h>
#include <stdlib.h>
#pragma autotune kernel search(exhaustive)
void harris(int n, int m, const float (*restrict in)[m], float (*restrict ix)[m], float (*restrict iy)[m], float (*restrict xx)[m], float (*restrict yy)[m], float (*restrict xy)[m], float (*restrict sxx)[m], float (*restrict syy)[m], float (*restrict sxy)[m], float (*restrict out)[m])
{
  int i, j;
  #pragma autotune chain sizes({8, 32}, {64, 128}) local(ix, iy, xx, yy, xy, sxx, syy, sxy) num_threads({1, 2}) optional
  {
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < m - 1; j++)
        ix[i][j] = (in[i-1][j+1] - in[i-1][j-1] + 2 * (in[i][j+1] - in[i][j-1]) + in[i+1][j+1] - in[i+1][j-1]) / 12;
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < m - 1; j++)
        iy[i][j] = (in[i+1][j-1] - in[i-1][j-1] + 2 * (in[i+1][j] - in[i-1][j]) + in[i+1][j+1] - in[i-1][j+1]) / 12;
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < m - 1; j++)
        xx[i][j] = ix[i][j] * ix[i][j];
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < m - 1; j++)
        yy[i][j] = iy[i][j] * iy[i][j];
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < m - 1; j++)
        xy[i][j] = ix[i][j] * iy[i][j];
    for (i = 2; i < n - 2; i++)
      for (j = 2; j < m - 2; j++)
        sxx[i][j] = xx[i-1][j-1] + xx[i-1][j] + xx[i-1][j+1] + xx[i][j-1] + xx[i][j] + xx[i][j+1] + xx[i+1][j-1] + xx[i+1][j] + xx[i+1][j+1];
    for (i = 2; i < n - 2; i++)
      for (j = 2; j < m - 2; j++)
        syy[i][j] = yy[i-1][j-1] + yy[i-1][j] + yy[i-1][j+1] + yy[i][j-1] + yy[i][j] + yy[i][j+1] + yy[i+1][j-1] + yy[i+1][j] + yy[i+1][j+1];
    for (i = 2; i < n - 2; i++)
      for (j = 2; j < m - 2; j++)
        sxy[i][j] = xy[i-1][j-1] + xy[i-1][j] + xy[i-1][j+1] + xy[i][j-1] + xy[i][j] + xy[i][j+1] + xy[i+1][j-1] + xy[i+1][j] + xy[i+1][j+1];
    for (i = 2; i < n - 2; i++)
      for (j = 2; j < m - 2; j++)
        out[i][j] = sxx[i][j] * syy[i][j] - sxy[i][j] * sxy[i][j] - 0.04f * (sxx[i][j] + syy[i][j]) * (sxx[i][j] + syy[i][j]);
  }
}
#pragma autotune kernel search(exhaustive)
void flat(int w, int h, const float *restrict in, float *restrict tmp, float *restrict out)
{
  #pragma autotune chain sizes({8, 32}, {64, 128}) local(tmp) num_threads({1, 2}) optional
  {
    for (int y = 1; y < h - 1; y++)
      for (int x = 0; x < w; x++)
        tmp[y * w + x] = (in[(y - 1) * w + x] + in[y * w + x] + in[(y + 1) * w + x]) / 3;
    for (int y = 1; y < h - 1; y++)
      for (int x = 1; x < w - 1; x++)
        out[y * w + x] = 2 * tmp[y * w + x] - (tmp[y * w + x - 1] + tmp[y * w + x + 1]) / 2;
  }
}
#pragma autotune kernel search(exhaustive)
void half(int n, int m, const float (*restrict in)[2 * m], float (*restrict t)[2 * m], float (*restrict out)[m])
{
  #pragma autotune chain sizes({8, 32}, {64, 128}) local(t) num_threads({1, 2}) optional
  {
    for (int i = 0; i < 2 * n; i++)
      for (int j = 1; j < 2 * m - 1; j++)
      {
        t[i][j] = in[i][j - 1] + in[i][j] + in[i][j + 1];
        t[i][j] = t[i][j] + 1;
      }
    for (int i = 0; i < n; i++)
      for (int j = 1; j < m - 1; j++)
        out[i][j] = t[2 * i][2 * j] + t[2 * i + 1][2 * j + 1];
  }
}
#pragma autotune kernel search(exhaustive) in(a[0:n][0:m]) inout(out[0:n][0:m]) scratch(s[0:n][0:m], mean[0:n])
void rows(int n, int m, double (*restrict a)[m], double (*restrict s)[m], double *restrict mean, double (*restrict out)[m])
{
  #pragma autotune chain sizes({3, 8}) local(s, mean) num_threads({1, 2}) optional
  {
    for (int i = 0; i < n; i++) {
      s[i][0] = a[i][0];
      for (int j = 1; j < m; j++)
        s[i][j] = s[i][j - 1] * 0.5 + a[i][j];
    }
    for (int i = 0; i < n; i++) {
      mean[i] = 0;
      for (int j = 0; j < m; j++)
        mean[i] += s[i][j];
    }
    for (int i = 1; i < n - 1; i++)
      for (int j = 0; j < m; j++)
        out[i][j] = s[i][j] - (mean[i - 1] + mean[i] + mean[i + 1]) / (3 * m);
  }
}
#pragma autotune kernel search(exhaustive)
void two(int n, int m, float (*restrict a)[m], float (*restrict t)[m], float (*restrict p)[m], float (*restrict q)[m], float (*restrict r)[m])
{
  #pragma autotune chain sizes({3, 8}, {16, 32}) local(t) num_threads({1, 2}) optional
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        r[i][j] = a[i][j] * 2;
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < m - 1; j++)
        t[i][j] = r[i][j] + r[i + 1][j + 1];
    for (int i = 1; i < n - 2; i++)
      for (int j = 1; j < m - 2; j++)
        p[i][j] = t[i][j] - t[i - 1][j - 1];
    for (int i = 0; i < n - 2; i++)
      for (int j = 2; j < m - 2; j++)
        q[i][j] = t[i + 1][j - 2] + t[i][j] * 3;
    for (int i = 1; i < n - 2; i++)
      for (int j = 2; j < m - 2; j++)
        p[i][j] += q[i][j];
  }
}

static float *make(long n, int seed)
{
  float *x = malloc(n * sizeof *x);
  for (long i = 0; i < n; i++)
    x[i] = (float)((i * 7919 + seed * 31) % 1009) / 64;
  return x;
}
static void say(const char *what, long n, const float *x)
{
  unsigned sum = 0;
  for (long i = 0; i < n; i++) {
    union { float f; unsigned u; } v = { x[i] };
    sum = sum * 31 + v.u;
  }
  printf("%s %08x\n", what, sum);
}
#pragma autotune kernel search(exhaustive)
void blur(int n, const float (*restrict in)[n], float (*restrict tmp)[n], float (*restrict out)[n])
{
  const float weights[3][3] = { { 1, 2, 1 }, { 2, 4, 2 }, { 1, 2, 1 } };
  #pragma autotune chain sizes({8, 16}, {64, 128}) local(tmp) num_threads({1, 2}) optional
  {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        float s = 0;
        for (int r = -1; r <= 1; r++)
          for (int c = -1; c <= 1; c++)
            s += in[i + r][j + c] * weights[r + 1][c + 1];
        tmp[i][j] = s;
      }
    for (int i = 2; i < n - 2; i++)
      for (int j = 2; j < n - 2; j++) {
        float v[3] = { 0 };
        for (int c = 0; c < 3; c++)
          v[c] = tmp[i - 1][j + c - 1];
        out[i][j] = v[0] + v[1] + v[2];
      }
  }
}
#define B 32
#pragma autotune kernel search(exhaustive) in(f[0:n][0:m][0:5]) inout(g[0:n][0:m][0:5]) scratch(t[0:n][0:m][0:5])
void lbm(int n, int m, double (*restrict f)[m][5], double (*restrict t)[m][5], double (*restrict g)[m][5])
{
  #pragma autotune chain sizes(B, {16, 64}) local(t) num_threads({1, 2}) optional
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        double rho = 0;
        for (int q = 0; q < 5; q++)
          rho += f[i][j][q];
        for (int q = 0; q < 5; q++)
          t[i][j][q] = f[i][j][q] + 0.6 * (rho / 5 - f[i][j][q]);
      }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++) {
        g[i][j][0] = t[i][j][0];
        g[i][j][1] = t[i - 1][j][1];
        g[i][j][2] = t[i + 1][j][2];
        g[i][j][3] = t[i][j - 1][3];
        g[i][j][4] = t[i][j + 1][4];
      }
  }
}
#pragma autotune kernel search(exhaustive) in(f[0:n][0:m]) inout(g[0:n][0:m]) scratch(t[0:n][0:m])
void sized(int n, int m, int s, double (*restrict f)[m], double (*restrict t)[m], double (*restrict g)[m])
{
  #pragma autotune chain sizes(s, {16, 64}) local(t) num_threads({1, 2}) schedule({static, dynamic}) optional
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        if (i % 2)
          t[i][j] = f[i][j];
        else
          t[i][j] = 1;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        g[i][j] = t[i - 1][j] + t[i + 1][j - 1];
  }
}
// What is local is memory of the heap, and a variable.
void work(int n, float *restrict in, float *restrict out)
{
  float *tmp = malloc(n * n * sizeof *tmp);
  float (*t)[n] = (void *)tmp;
  float b[100][100];
  for (int step = 0; step < 2; step++) {
    #pragma autotune kernel search(exhaustive)
    #pragma autotune chain sizes({8, 32}, {64, 128}) local(t) num_threads({1, 2}) optional
    {
      for (int i = 1; i < n - 1; i++)
        for (int j = 0; j < n; j++)
          t[i][j] = (in[(i - 1) * n + j] + in[i * n + j] + in[(i + 1) * n + j]) / 3;
      for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
          out[i * n + j] = 2 * t[i][j] - (t[i][j - 1] + t[i][j + 1]) / 2;
    }
    if (n > 100) continue;
    #pragma autotune kernel search(exhaustive) in(in[0:n*n]) inout(out[0:n*n]) scratch(b[0:100][0:100])
    #pragma autotune chain sizes({8, 32}, {64, 128}) local(b) num_threads({1, 2}) optional
    {
      for (int i = 1; i < n - 1; i++)
        for (int j = 0; j < n; j++)
          b[i][j] = (in[(i - 1) * n + j] + in[i * n + j] + in[(i + 1) * n + j]) / 3;
      for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
          out[i * n + j] += 2 * b[i][j] - (b[i][j - 1] + b[i][j + 1]) / 2;
    }
  }
  free(tmp);
}
int main(void)
{
  static const int sizes[] = { 1, 3, 4, 5, 37, 130 };
  for (int k = 0; k < 6; k++) {
    int n = sizes[k], m = n + 3;
    long all = 4 * n * m + 64;
    float *x[10];
    for (int i = 0; i < 10; i++)
      x[i] = make(all, i);
    harris(n, m, (void *)x[0], (void *)x[1], (void *)x[2], (void *)x[3], (void *)x[4], (void *)x[5], (void *)x[6], (void *)x[7], (void *)x[8], (void *)x[9]);
    say("harris", all, x[9]);
    for (int i = 1; i < 9; i++) { /* its local arrays hold anything now */
      free(x[i]);
      x[i] = make(all, i);
    }
    flat(m, n, x[0], x[1], x[9]);
    say("flat", all, x[9]);
    half(n, m, (void *)x[0], (void *)x[1], (void *)x[9]);
    say("half", all, x[9]);
    two(n, m, (void *)x[0], (void *)x[1], (void *)x[2], (void *)x[9], (void *)x[4]);
    say("two", all, x[9]), say("two", all, x[2]), say("two", all, x[4]);
    if (n > 3) {
      work(n > 90 ? 90 : n, x[0], x[9]);
      say("work", all, x[9]);
    }
    blur(n, (void *)x[0], (void *)x[1], (void *)x[9]);
    say("blur", all, x[9]);
    double *a = calloc(all, sizeof *a), *b = calloc(all, sizeof *a), *c = calloc(all, sizeof *a), *d = calloc(all, sizeof *a);
    for (long i = 0; i < all; i++)
      a[i] = x[0][i];
    lbm(n / 3, n / 4, (void *)a, (void *)b, (void *)d);
    for (long i = 0; i < all; i++)
      x[9][i] = (float)d[i];
    say("lbm", all, x[9]);
    sized(n, m, 5, (void *)a, (void *)b, (void *)d);
    for (long i = 0; i < all; i++)
      x[9][i] = (float)d[i];
    say("sized", all, x[9]);
    rows(n, m, (void *)a, (void *)b, c, (void *)d);
    for (long i = 0; i < all; i++)
      x[9][i] = (float)d[i];
    say("rows", all, x[9]);
  }
  return 0;
}
EOF_C
gcc -O1 -ffp-contract=off -w chains.c -o plain
./plain > expected
check "kernels: build" autotune cc gcc -O2 -ffp-contract=off -w chains.c -o tuned
AUTOTUNE_LOG=debug check "kernels: run" ./tuned > out 2> log
same "kernels: bit for bit what the plain program computes" out expected
hasnt "kernels: all variants compile and are right" log 'did not compile\|: wrong\|crash'
autotune report --json > all.json 2> /dev/null
is "some variants are right" "$(grep -c '"right": *\([5-9]\|[12][0-9]\)' all.json | awk '{ print ($1 > 20) }')" 1
is "the others are not refused" "$(grep -cE '"(compile|load|wrong|crash|timeout|exit)": *[1-9]' all.json)" 0
for k in harris flat half rows two blur lbm sized; do
  autotune report $k --json > $k.json 2> /dev/null
  is "$k: more than three keys are tuned" "$(grep -c '"right": *\([5-9]\|[12][0-9]\)' $k.json | awk '{ print ($1 > 3) }')" 1
done
autotune translate chains.c -o out.c
is "a buffer in place of each array" "$(grep -c '^"__typeof__(sx[xy]\[0\]\[0\]) \*const __restrict__ autotune_local' out.c)" 4
has "vectors along rows" out.c 'omp simd'
has "buffers keep rows for the next tile" out.c memmove

# ---- C++ -------------------------------------------------------------------------------
cat > image.cpp << 'EOF_C'
#include <cstdio>
#include <vector>
#pragma autotune kernel search(exhaustive) in(in[0:n*n]) out(out[0:n*n]) scratch(t[0:n*n])
static void work(int n, const float *__restrict in, float *__restrict t, float *__restrict out)
{
  #pragma autotune chain sizes({8, 32}, {64, 128}) local(t) num_threads({1, 2}) optional
  {
    for (int i = 1; i < n - 1; i++)
      for (int j = 0; j < n; j++)
        t[i * n + j] = in[(i - 1) * n + j] + in[i * n + j] + in[(i + 1) * n + j];
    for (int i = 2; i < n - 2; i++)
      for (int j = 1; j < n - 1; j++)
        out[i * n + j] = t[(i - 1) * n + j - 1] + t[i * n + j] + t[(i + 1) * n + j + 1];
  }
}
int main()
{
  int n = 90;
  std::vector<float> x(n * n), y(n * n), z(n * n);
  double s = 0;
  for (int i = 0; i < n * n; i++)
    x[i] = i % 17;
  work(n, x.data(), y.data(), z.data());
  for (int i = 0; i < n * n; i++)
    s += z[i] * (i % 5);
  std::printf("%g\n", s);
}
EOF_C
g++ -O1 -w image.cpp -o image
check "C++: build" autotune cc g++ -O2 -w image.cpp -o image.tuned
AUTOTUNE_LOG=debug ./image.tuned > image.out 2> image.log
is "C++: the output of the plain program" "$(cat image.out)" "$(./image)"
hasnt "C++: all variants are right" image.log 'did not compile\|: wrong\|crash'
has "C++: tuned" image.log 'work: .*chain@6.2=shift'

# ---- what is refused -------------------------------------------------------------------
refused() { # REASON LOCAL CODE
  printf '#pragma autotune kernel verify(off)\nvoid f(int n, const int *restrict p, double *restrict x, double *restrict y, double (*restrict a)[n], double (*restrict t)[n], double (*restrict b)[n])\n{\n#pragma autotune chain sizes(4, 4) local(%s)\n{\n%s\n}\n%s\n}\n' "$2" "$3" "${4-}" > bad.c
  autotune check bad.c > bad.out 2>&1
  has "refused: $1" bad.out "$1"
  hasnt "refused: $1: all is freed" bad.out isl_ctx
}
accepted() { # LOCAL CODE
  refused "kernel f" "$@"
  hasnt "no error" bad.out error
}
loops='for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)'
fill="for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) t[i][j] = a[i][j] * 2;"
use="$loops b[i][j] = t[i - 1][j] + t[i][j + 1];"
refused "there are fewer than two" t "$fill"
refused "with nothing else in it" t "$fill x[0] = 1; $use"
refused "'u' is not an argument" u "$fill $use"
refused "'n' is no array that they use" n "$fill $use"
refused "no nest reads a local array and writes one that is not local" t "$fill $loops b[i][j] = a[i][j];"
refused "no nest reads a local array" "t, b" "$fill $use"
refused "is read after the block" t "$fill $use" "x[0] = t[1][1];"
refused "each tile would need all iterations of this nest" t "$fill $loops b[i][j] = t[j][i] + t[i][j];"
refused "each tile would need all iterations of this nest" "t, x" "for (int i = 1; i < n; i++) x[i] = x[i - 1] + a[i][0]; $fill $loops b[i][j] = x[i] + t[i][j];"
refused "this writes what an earlier nest reads in other tiles" t "$fill $loops a[i][j] = t[i - 1][j] + t[i][j + 1];"
refused "tiles would depend on each other" t "$fill $loops b[i][j] = t[i - 1][j] + b[i - 1][j];"
refused "tiles would depend on each other" t "$fill $use $loops x[i] += t[i][j];"
refused "tiles would depend on each other" t "$fill $use $loops y[i * 2] = b[i - 1][j] + t[i][j];"
refused "an element that is read here may not have been written" t "$loops t[i][j] = a[i][j]; $loops b[i][j] = t[i - 1][j];"
refused "an element that is read here may not have been written" t "$loops if (a[i][j] > 0) t[i][j] = a[i][j]; $loops b[i][j] = t[i][j];"
refused "an element that is read here may not have been written" t "$loops if (a[i][j] > 0) t[i][j] = a[i][j]; else t[i][j - 1] = 2; $loops b[i][j] = t[i][j];"
refused "an element that is read here may not have been written" t "$loops if (a[i][j] > 0) { if (j > 2) t[i][j] = a[i][j]; } else t[i][j] = 2; $loops b[i][j] = t[i][j];"
accepted t "$loops if (a[i][j] > 0) t[i][j] = a[i][j]; else { x[0]; t[i][j] = 2; } $loops b[i][j] = t[i][j];"
refused "several tiles would run this" "t, a" "$loops { t[i][j] = x[j]; b[i][j] = 1; } $loops a[i][j] = t[i][j]; for (int i = 2; i < n; i++) for (int j = 2; j < n - 2; j++) y[i * n + j] = a[i - 1][j];"
refused "has fewer loops than there are sizes" t "$fill for (int i = 1; i < n; i++) x[i] = t[i][0];"
refused "not affine" t "$fill $loops b[i][j] = t[p[i]][j];"
refused "'tile' cannot stand on or in loops that 'chain' orders" t "
#pragma autotune tile sizes(4)
$fill $use"
refused "this subscript needs a loop that counts up" y "$loops y[i * n + j] = a[i][j]; for (int i = n - 2; i > 0; i--) for (int j = 2; j < n - 2; j++) b[i][j] = y[i * n + j - 1];"
sections() { # REASON CLAUSES
  printf '#pragma autotune kernel %s\nvoid f(int n, double (*restrict a)[n], double (*restrict t)[n], double (*restrict b)[n])\n{\n#pragma autotune chain sizes(4, 4) local(t)\n{\n%s\n}\n}\n' "$2" "$fill $use" > bad.c
  autotune check bad.c > bad.out 2>&1
  has "sections: $1" bad.out "$1"
}
sections "'t' is local, and inout(t.*) says that it is not" "in(a[0:n][0:n]) inout(t[0:n][0:n], b[0:n][0:n])"
sections "'t' is local, but no section names it" "in(a[0:n][0:n]) inout(b[0:n][0:n])"
sections "scratch t" "in(a[0:n][0:n]) inout(b[0:n][0:n]) scratch(t[0:n][0:n])"
sections "scratch t" ""

# ---- chains made up from seeds ---------------------------------------------------------
check "the generator" gcc -O1 -o nests "$here/chain_nests.c"
cat > driver.c << 'EOF_C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void tuned(int variant, int n, unsigned *const *x);
void plain_all(int n, unsigned *const *x);
int main(int argc, char **argv)
{
  int variant = argc > 1 ? atoi(argv[1]) : 0;
  static const int sizes[] = { -20, 0, 1, 2, 3, 5, 8, 13, 19, 40 };
  for (int k = 0; k < 10; k++) {
    int n = sizes[k];
    size_t m = n < 0 ? 16 : n + 16, all = m * m;
    unsigned *x[2][8];
    for (int s = 0; s < 2; s++)
      for (int a = 0; a < 8; a++) {
        x[s][a] = malloc(all * sizeof *x[s][a]);
        for (size_t i = 0; i < all; i++)
          x[s][a][i] = (unsigned)(i + 1000 * (a == 0 || a > 5 ? a : a + 10 * s)) * 2654435761u >> 7;
      }
    plain_all(n, x[0]);
    tuned(variant, n, x[1]);
    if (memcmp(x[0][7], x[1][7], all * sizeof *x[0][7]) || memcmp(x[0][6], x[1][6], all * sizeof *x[0][6]) ||
        memcmp(x[0][0], x[1][0], all * sizeof *x[0][0])) {
      printf("wrong for n = %d\n", n);
      return 1;
    }
  }
  return 0;
}
EOF_C
# No memory of the heap, where BUFFERS is set: those of one thread at least.
cat > memory.c << 'EOF_C'
#include <stdlib.h>
void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n)
{
  static int calls;
  return n > 65536 && getenv("BUFFERS") && __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) % 2 == 0 ? NULL : __real_malloc(n);
}
EOF_C
gcc -O1 -c driver.c
gcc -O1 -c memory.c
first=${FIRST-1} tried=0 slides=0
for seed in $(seq "$first" $((first + ${NESTS-20} - 1))); do
  ./nests "$seed" > nest.c
  ./nests plain "$seed" > plain.c
  autotune translate nest.c -o out.c > err 2>&1 || {
    has "seed $seed: refused for a reason" err "cannot join these nests: "
    continue
  }
  tried=$((tried + 1)) slides=$((slides + $(grep -c memmove out.c)))
  is "seed $seed: no warning" "$(cat err)" ""
  args="(void *)x[0]"
  for k in $(seq 1 $(grep -o 'restrict t[0-9]' nest.c | wc -l)); do args="$args, (void *)x[$k]"; done
  printf '#include "plain.c"\nvoid plain_all(int n, unsigned *const *x) { plain(n, %s, (void *)x[7], (void *)x[6]); }\n' "$args" > all_plain.c
  gcc -O1 -w -c all_plain.c
  tiles=("0 1 1 2" "1 1 1 1" "1 2 5 2" "1 100 64 2" "1 7 300 3" "2 1 3 2" "2 2 100 1" "2 7 5 3" "1 300 300 2")
  variants_of "int n, unsigned *const *x" "n, $args, (void *)x[7], (void *)x[6]" "${tiles[@]}" > all.c
  clang-22 -O1 -w -fopenmp -Wl,--wrap=malloc -DAUTOTUNE_PART_THREADS=1 all.c all_plain.o driver.o memory.o -o nest ||
    { fail "seed $seed: compiles"; continue; }
  for v in 0 1 2 3 4 5 6 7; do
    is "seed $seed, with values of params ${tiles[v]}" "$(timeout 60 ./nest "$v"; echo $?)" 0
  done
  is "seed $seed without memory" "$(BUFFERS=none timeout 60 ./nest 8; echo $?)" 0
done
check "some nests were tried" [ $tried -ge 1 ]
check "buffers of some keep rows" [ $slides -ge 1 ]
finish
