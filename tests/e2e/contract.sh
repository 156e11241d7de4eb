#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A winner holds only under the contract under which it was checked: sections, tolerance and the default's compiler.
# Each case tunes a kernel under one list of clauses, builds it again with another list, and says what must happen to
# the winner: kept, checked again, or tuned again. The answers of the second build must be right in every mode.
set -u
build=$(cd "$1" && pwd)
PATH=$build/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset AUTOTUNE_MODE AUTOTUNE_SEARCH AUTOTUNE_WISDOM
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_LOG=info LC_ALL=C
export AUTOTUNE_BUDGET=60s,10 # all variants are tried, on a busy machine too
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# OUTPUT COMPILER CLAUSES...: WAY 0 is slow, 1 is right, 2 leaves most elements as they were, and is the fastest.
compile() {
  local output=$1 compiler=$2
  shift 2
  cat > program.c << END_OF_C
#include <stdio.h>
#define N 40000
#define WAY 0
#pragma autotune kernel $*
void scale(int n, const double *x, double *y)
{
  for (int again = 0; again < (WAY == 0 ? 12 : 1); again++)
    for (int i = 0; i < n; i += (WAY == 2 ? 64 : 1))
      y[i] = 2 * x[i] + 1 / (1 + x[i] * x[i]) + again * 0;
}
int main(void)
{
  static double x[N], y[N];
  int wrong = 0;
  for (int i = 0; i < N; i++)
    x[i] = 1 + i % 100, y[i] = -1;
  scale(N, x, y);
  for (int i = 0; i < N; i++)
    wrong += !(y[i] > x[i]);
  puts(wrong ? "wrong" : "right");
  return 0;
}
END_OF_C
  autotune cc "$compiler" -O1 program.c -o "$output" || { echo "FAILED: does not compile: $*"; exit 1; }
}

# LOG PROGRAM [NAME=VALUE…]: runs it, its answer into `answer`
run() {
  local log=$1 program=$2
  shift 2
  answer=$(env "$@" timeout -k 5 120 "./$program" 2> "$log")
}

# The fate of the winner in LOG.
fate() {
  if grep -q 'scale: tuned: ' "$1"; then echo tuned
  elif grep -q 'scale: stored.*, checked here' "$1"; then echo checked
  elif grep -q 'scale: stored.*, unchecked' "$1"; then echo unchecked
  elif grep -q 'scale: stored' "$1" || ! grep -q 'scale:' "$1"; then echo kept
  else echo default; fi
}

# NAME EXPECTED EXPECTED-IF-LOCKED COMPILER1 COMPILER2 CLAUSES1 CLAUSES2
check() {
  local name=$1 expected=$2 locked=$3 got
  rm -rf cache
  compile "$name.1" "$4" "$6"
  compile "$name.2" "$5" "$7"
  for try in 1 2 3; do
    run "$name.log1" "$name.1"
    [ "$(fate "$name.log1")" = tuned ] && break
  done
  [ "$(fate "$name.log1")" = tuned ] || { fail "$name: not tuned at first"; cat "$name.log1"; return; }
  cp -a cache saved
  run "$name.log2" "$name.2"
  got=$(fate "$name.log2")
  [ "$got" = "$expected" ] || { fail "$name: $got, expected $expected"; cat "$name.log2"; }
  [ "$answer" = right ] || fail "$name: a wrong answer"
  rm -rf cache
  mv saved cache
  run "$name.log3" "$name.2" AUTOTUNE_MODE=locked
  got=$(fate "$name.log3")
  [ "$got" = "$locked" ] || { fail "$name, locked: $got, expected $locked"; cat "$name.log3"; }
  [ "$answer" = right ] || fail "$name, locked: a wrong answer"
}

all='param(WAY: 0, 1, 2)'
right='param(WAY: 0, 1)'
sections='in(x[0:n]) out(y[0:n])'
# a winner that was not checked, or hardly, is checked now and found wrong: tuned again, or the default
check off tuned default gcc gcc "$all verify(off) $sections" "$all $sections"
# (memory that no section names is compared too: what is right there is right again)
check none checked checked gcc gcc "$all in(x[0:n])" "$all $sections"
check short checked checked gcc gcc "$all in(x[0:n]) inout(y[0:1])" "$all in(x[0:n]) inout(y[0:n])"
check rtol tuned default gcc gcc "$all in(x[0:n]) inout(y[0:n]) verify(rtol: 1, atol: 1e9)" \
  "$all in(x[0:n]) inout(y[0:n]) verify(exact)"
# a right winner is checked again, once
check out checked checked gcc gcc "$right $sections" "$right in(x[0:n]) out(y[0:n-1+1])"
check in checked checked gcc gcc "$right out(y[0:n])" "$right $sections"
check inout checked checked gcc gcc "$right $sections" "$right in(x[0:n]) inout(y[0:n])"
check exact checked checked gcc gcc "$right $sections" "$right $sections verify(rtol: 1e-12)"
check atol checked checked gcc gcc "$right $sections verify(rtol: 1e-6, atol: 1)" \
  "$right $sections verify(rtol: 1e-6, atol: 2)"
check compiler checked checked gcc clang "$right $sections" "$right $sections"
run again compiler.2
run again compiler.2
[ "$(fate again)" = kept ] || { fail "checked again although it was"; cat again; }
# other clauses are no part of the contract
check same kept kept gcc gcc "$right $sections" "$right $sections"
check budget kept kept gcc gcc "$right $sections" "$right $sections search(budget: 2s)"
check flops kept kept gcc gcc "$right $sections" "$right $sections flops(3.0 * n) bytes(16.0 * n)"
check mode kept kept gcc gcc "$right $sections" "$right $sections mode(first) search(random, until: 1%) family(f)"
check space tuned kept gcc gcc "$right $sections" "param(WAY: 0, 1, 3) $sections"
# switched off: the winner runs, and is called unchecked
check unchecked unchecked unchecked gcc gcc "$right $sections verify(off)" "$right $sections verify(off)"
# without outputs nothing could be checked, which `locked` does not accept
check nothing unchecked default gcc gcc "$right in(x[0:n])" "$right in(x[0:n])"

[ $failed = 0 ] && echo "every winner is as good as its check"
exit $failed
