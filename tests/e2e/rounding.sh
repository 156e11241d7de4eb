#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kernels whose outputs are rounding in part: right variants must win, and wrong ones must not. The default is compiled for
# any processor of its kind, without fused multiplications; variants have them where this processor does.
set -u
build=$(cd "$1" && pwd)
PATH=$build/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_BUDGET AUTOTUNE_WISDOM
export AUTOTUNE_CACHE=off AUTOTUNE_LOG=debug LC_ALL=C
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# NAME BODY CLAUSES: tunes a kernel with this body; its messages go to NAME.log. WAY 0 is slow, 1 is the same but fast.
tune() {
  cat > "$1.c" << END_OF_C
#include <math.h>
#include <stdlib.h>
#define N 64
#define WAY 0
#pragma autotune kernel param(WAY: 0, 1, 2) $3
void $1(int n, const double *x, double *y)
{
  for (volatile int wait = WAY == 0 ? 300000 : 10000; wait > 0; wait = wait - 1)
    ;
  $2
}
int main(void)
{
  static double x[N * N], y[N * N];
  for (int i = 0; i < N * N; i++)
    x[i] = FIRST + i % N * (i / N % 17 + 1) % 1000;
  $1(N, x, y);
  return 0;
}
END_OF_C
  autotune cc gcc -O2 -DFIRST="${4:-0.1}" "$1.c" -o "$1" -lm || fail "$1 does not compile"
  timeout -k 5 120 "./$1" > /dev/null 2> "$1.log"
}

# NAME: all variants but WAY=2 must be right. NAME wrong: WAY=2 must not be.
expect() {
  grep -q 'wrong: .*WAY=[01]' "$1.log" && fail "$1: $(grep -m1 'wrong: .*WAY=[01]' "$1.log")"
  [ -z "${2:-}" ] || grep -q 'wrong: .*WAY=2' "$1.log" || fail "$1: WAY=2 is not found"
  [ -n "${2:-}" ] || ! grep -q 'wrong: ' "$1.log" || fail "$1: $(grep -m1 'wrong: ' "$1.log")"
  grep -q "$1: tuned" "$1.log" || fail "$1: $(tail -n 1 "$1.log")"
}

# What is left where products cancel; the sums are in another order in WAY 2.
tune residual 'for (int i = 0; i < n; i++) {
    double r = 0, s[2] = { 0, 0 };
    for (int j = 0; j < n; j++)
      r += x[i * n + j] * (x[j] + 1), s[j % 2] += x[i * n + j] * (x[j] + 1);
    if (WAY == 2)
      r = s[0] + s[1];
    for (int j = 0; j < n; j++)
      r -= x[i * n + j] * (x[j] + 1);
    y[i] = r;
  }' 'in(x[0:n*n]) out(y[0:n])'
expect residual

# The same of integers, which are not nudged: the kernel as written, by the compiler of the variants, tells it.
tune integers 'for (int i = 0; i < n * n; i++) {
    double third = x[i] / 3, seventh = x[i] / 7;
    y[i] = third * seventh - (x[i] * x[i]) / 21;
  }' 'in(x[0:n*n]) out(y[0:n*n])' 1
expect integers
if grep -qw fma /proc/cpuinfo; then
  grep -q 'integers: made by the compiler of the variants, the kernel as written already differs (y\[0:n\*n\]: element ' \
    integers.log || fail "integers: it is not said that the compilers differ"
fi

# A direction of which nothing but rounding is left is not compared; the others are. (WAY 2 is off by a millionth.)
tune direction 'for (int i = 0; i < n; i++) {
    const double *a = x + i * n;
    double dot = 0, square = 0, norm = 0;
    for (int j = 0; j < n; j++)
      dot += a[j] * (a[j] / 3), square += a[j] * a[j];
    for (int j = 0; j < n; j++)
      y[2 * j] = (i % 4 == 0 ? a[j] / 3 : sqrt(a[j])) - a[j] * (dot / square), norm += y[2 * j] * y[2 * j];
    for (int j = 0; j < n; j++)
      y[i * n + j] = y[2 * j] / sqrt(norm) * (WAY == 2 && i == 9 ? 1.000001 : 1);
  }' 'in(x[0:n*n]) out(y[0:n*n])'
expect direction wrong

# Log, report and why say how far the winner's answers are from the default's.
export AUTOTUNE_CACHE=$work/cache
tune copy 'for (int i = 0; i < n; i++)
    y[i] = x[i];' 'in(x[0:n]) out(y[0:n])'
grep -q 'copy: largest deviation from the default: bit for bit the same' copy.log || fail "copy: $(grep largest copy.log)"
tune sums 'for (int i = 0; i < n; i++) {
    double s[2] = { 0, 0 };
    for (int j = 0; j < n; j++)
      s[WAY == 0 ? 0 : j % 2] += x[i * n + j];
    y[i] = s[0] + s[1];
  }' 'in(x[0:n*n]) out(y[0:n])'
number='[0-9.e-]* relative, [0-9.e-]* absolute, y\[[0-9]*\]'
grep -q "sums: largest deviation from the default: $number" sums.log || fail "sums: $(grep largest sums.log)"
autotune report --json | grep -q "\"deviation\": *\"$number\"" || fail "the report in JSON"
autotune report --markdown | grep -q 'largest deviation' || fail "the report in Markdown"
COLUMNS=400 autotune report | tr -s ' \n' '  ' | grep -q "largest deviation $number" || fail "the report"
autotune why sums 2>&1 | grep -q "largest deviation $number" || fail "why: $(autotune why sums 2>&1)"
exit $failed
