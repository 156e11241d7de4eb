# SPDX-License-Identifier: Apache-2.0
# How often autotune suggest and `autotune cc --auto` run Clang: the headers of a file are preprocessed once, and no number of
# loops adds a run.
. "$(dirname "$0")/../e2e/cc_lib.sh"
real=$(command -v clang-22)

cat > clang << EOF_CLANG
#!/bin/sh
echo "\$@" >> $PWD/log
exec $real "\$@"
EOF_CLANG
chmod +x clang
export AUTOTUNE_CLANG=$PWD/clang

cat > before.h << 'EOF_H'
#define SHIFT 2
EOF_H
cat > own.h << 'EOF_H'
#pragma once
#define SCALE 2
#define LENGTH 1000
static double table[LENGTH];
EOF_H
{
  cat << 'EOF_C'
#include <stdio.h>
#include <stdlib.h>
#ifdef SHIFT
#include "own.h"
#endif
#undef SCALE
#define SCALE 3
int find(int n, const double *x)
{
  for (int i = 0; i < n; i++)
    if (x[i] > 1e9)
      return i;
  for (int i = 0; i < n; i++)
    printf("%g", x[i]);
  return -1;
}
EOF_C
  for f in a b c d e f; do
    cat << EOF_C
void $f(int n, double *x)
{
  for (int t = 0; t < 8; t++)
    for (int i = SHIFT; i < n; i++)
      x[i] = x[i] * SCALE + table[t];
  if (n > 5000)
    exit(find(n, x));
}
EOF_C
  done
  cat << 'EOF_C'
int main(void)
{
  double x[LENGTH] = { 1, 2, 3 };
  table[3] = 4;
  a(100, x);
  f(100, x);
  printf("%.17g\n", x[50]);
  return 0;
}
EOF_C
} > loops.c
cp loops.c loops.cpp

for file in loops.c loops.cpp; do
  case $file in *.c) cc=gcc ;; *) cc=g++ ;; esac
  $cc -O2 -include before.h $file -o plain
  expected=$(./plain)
  for way in suggest auto; do
    : > log
    if [ $way = suggest ]; then
      check "$file: $way" autotune suggest $file -- -include before.h > patch.out 2> messages
    else
      check "$file: $way" autotune cc --auto $cc -O2 -include before.h $file -o tuned
      is "$file: answer" "$(./tuned)" "$expected"
    fi
    is "$file, $way: the headers are read once" "$(grep -e '^-E' log | grep -vc imacros)" 1
    runs=$(grep -ce '^-E' log)
    [ "$runs" -le 9 ] || fail "$file, $way: $runs runs of the preprocessor"
  done
  has "$file: loops are proposed" patch.out '^+ *#pragma autotune kernel'
  has "$file: those that are none are told" messages "loop in line 10 of 'find' is left as it is: .*'return'"
done
finish
