#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Variants that fuse multiplications and additions of numbers in structs, in arrays of arrays and in complex numbers are
# right: their roundings differ, and padding may. A wrong number is found, and is named.
root=$(cd "$(dirname "$0")/../.." && pwd) build=$(cd "$1" && pwd)
. "$(dirname "$0")/cc_lib.sh"
grep -q -w fma /proc/cpuinfo || { echo "skipped: this processor does not fuse"; exit 77; }
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=10s
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0

cat > structs.h << 'END'
#include <complex.h>
#include <stdio.h>
#include <string.h>
#ifndef W
#define W 1
#endif
typedef struct { double real, imag; } dcomplex; /* as in NPB FT */
typedef double real3[3];                        /* as in CoMD */
struct particle { char kind; real3 r, f; float charge; short cell; };
static double rhs[60][50];                      /* as in NPB BT */
enum { N = 800 };
static dcomplex y[2 * N], w[N];
static struct particle p[N];
static double complex z[N];
static real3 forces[N];

static void fill(void) {
  memset(p, 0x5a, sizeof p);
  for (int i = 0; i < N; i++) {
    y[i] = (dcomplex){ i % 13 / 7., i % 11 / 3. }, y[N + i] = (dcomplex){ i % 5 / 9., i % 3 / 7. };
    w[i] = (dcomplex){ i % 17 / 19., i % 19 / 17. };
    z[i] = i % 7 / 3. + I * (i % 9 / 7.);
    for (int d = 0; d < 3; d++)
      p[i].r[d] = (i + d) % 23 / 7., p[i].f[d] = 0, forces[i][d] = i % 3 / 7.;
    p[i].charge = (float)(i % 3) / 3, p[i].cell = (short)i, p[i].kind = (char)(i % 3);
  }
  for (int i = 0; i < 60 * 50; i++)
    rhs[i / 50][i % 50] = i % 31 / 9.;
}
END
cat > structs.c << 'END'
#include "structs.h"
#pragma autotune kernel param(W: 1, 2) constraint(W <= AUTOTUNE_THREADS + 1) \
    flags("-O2 -march=native -ffp-contract=fast") inout(y[0:2*n]) in(w[0:n])
void butterfly(int n, dcomplex *y, const dcomplex *w) {
  for (int i = 0; i < n; i++) {
    dcomplex b = y[n + i], t;
    t.real = w[i].real * b.real - w[i].imag * b.imag;
    t.imag = w[i].real * b.imag + w[i].imag * b.real;
    y[n + i].real = y[i].real - t.real, y[n + i].imag = y[i].imag - t.imag;
    y[i].real += t.real, y[i].imag += t.imag;
    if (W == 2 && i == 17)
      y[i].imag += 1;
  }
}
#pragma autotune kernel param(W: 1, 2) flags("-O2 -march=native -ffp-contract=fast") inout(p[0:n]) inout(f[0:n])
void push(int n, struct particle *p, real3 *f) {
  for (int i = 0; i < n; i++) {
    struct particle q = p[i]; // with W == 1 padding becomes what is in Q
    if (W == 1)
      memset(&q, 1, sizeof q);
    q.kind = p[i].kind, q.cell = p[i].cell, q.charge = p[i].charge;
    for (int d = 0; d < 3; d++) {
      q.r[d] = p[i].r[d];
      q.f[d] = p[i].r[d] * p[i].r[(d + 1) % 3] + p[i].charge * 0.3;
      f[i][d] += q.f[d] * p[i].r[d];
    }
    if (W == 2 && i == 40)
      q.f[2] *= 1.001;
    memcpy(&p[i], &q, sizeof q);
  }
}
#pragma autotune kernel param(W: 1, 2) flags("-O2 -march=native -ffp-contract=fast") inout(rhs) inout(z[0:n])
double complex relax(int n, double complex *z) {
  double complex sum = 0;
  for (int i = 1; i < 59; i++)
    for (int j = 1; j < 49; j++)
      rhs[i][j] = rhs[i][j] * 0.3 + rhs[i - 1][j] * rhs[i][j - 1] * 0.1;
  for (int i = 0; i < n; i++)
    z[i] = z[i] * z[i] + 0.1, sum += z[i] * 0.7;
  if (W == 2)
    rhs[7][9] += 0.01;
  return sum;
}
int main(void) {
  fill();
  butterfly(N, y, w);
  push(N, p, forces);
  relax(N, z);
  return 0;
}
END
for cc in $compilers; do
  check "$cc" autotune cc $cc -O2 -ffp-contract=off -w structs.c -o structs -lm
  rm -rf "$AUTOTUNE_CACHE"
  AUTOTUNE_MODE=first AUTOTUNE_LOG=debug ./structs 2> err
  for kernel in butterfly push relax; do
    autotune report "$kernel" --verbose > report
    has "$cc: $kernel: one right, one wrong" report ' 1 right · 1 wrong'
  done
  has "$cc: a number and its path" err 'wrong: y\[17\].imag is .* instead of'
  has "$cc: an array in a struct" err 'wrong: p\[40\].f\[2\] is .* instead of'
  has "$cc: a whole array" err 'wrong: rhs\[7\]\[9\] is .* instead of'
done
finish
