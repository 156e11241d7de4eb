#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A constraint of several factors over 10^9 points: one that allows one point in two million is sampled at once, a
# factor that would divide by zero is evaluated only after its guard, and every variant that is tried is allowed.
set -u
build=$(cd "$1" && pwd)
[ -e "$build/lib/libautotune-jit.so" ] || { echo "skipped: no compiler library is built"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# A libautotune with AddressSanitizer is loaded into programs without it, after the C library.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
cat > "$work/k.c" <<'END'
#define GOAL 64
#include <stdio.h>
#pragma autotune kernel param(A: 1..32) param(B: 1..32) param(C: 1..32) param(D: 1..32) \
  param(E: 1..32) param(F: 1..32) param(G: 0..3) \
  constraint(A * B * C * D * E * F == GOAL && G != 2 && G != 0 && n % G == 0) \
  constraint(G > 1 || sizeof(double) * A * B <= AUTOTUNE_L1D) constraint(12 % G == 0) in(x[0:n]) out(y[0:n])
void k(int n, const double *x, double *y)
{
  for (int i = 0; i < n; i++)
    y[i] = x[i] + 0 * (A + B + C + D + E + F + G);
}

int main(void)
{
  double x[9], y[9];
  for (int i = 0; i < 9; i++)
    x[i] = i;
  k(9, x, y);
  printf("%g\n", y[8]);
}
END
cd "$work" && "$build/bin/autotune" cc gcc -O1 k.c -o k || { echo "FAILED: autotune cc"; exit 1; }
failed=0
for search in random local anneal genetic; do
  AUTOTUNE_CACHE=off AUTOTUNE_LOG=debug AUTOTUNE_SEARCH=$search AUTOTUNE_BUDGET=20s,6 \
    timeout 60 ./k > out 2> log || { echo "FAILED: $search: the program ended with $?"; failed=1; }
  [ "$(cat out)" = 8 ] || { echo "FAILED: $search: $(cat out)"; failed=1; }
  grep -o 'A=[0-9]* B=[0-9]* C=[0-9]* D=[0-9]* E=[0-9]* F=[0-9]* G=[0-9]*' log | sort -u > tried
  [ "$(wc -l < tried)" -ge 3 ] || { echo "FAILED: $search tried too few:"; cat log; failed=1; }
  tr '=A-G' ' ' < tried | awk '$1 * $2 * $3 * $4 * $5 * $6 != 64 || ($7 != 1 && $7 != 3)' > wrong
  [ ! -s wrong ] || { echo "FAILED: $search tried what is not allowed:"; cat wrong; failed=1; }
done
exit $failed
