# SPDX-License-Identifier: Apache-2.0
# Integers of the key are constants in variants: also in regions of OpenMP, for both compilers and in C++. Code with
# constants runs for its own key only.
. "$(dirname "$0")/cc_lib.sh"
export AUTOTUNE_SEARCH=exhaustive AUTOTUNE_BUDGET=60s AUTOTUNE_LOG=info AUTOTUNE_CACHE=$work/cache AUTOTUNE_MODE=first
export AUTOTUNE_REVERIFY=off OMP_NUM_THREADS=1

# What a variant knows is in its answer, which nothing checks here. DELAY lets it win. One thread is enough
# for regions. `m` is no part of the key.
cat > knows.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#define KNOWN(x) __builtin_constant_p(x)
#define DELAY 4000000
#define WAIT for (int w = 0; w < DELAY; w++) __asm__ volatile("")
#define TUNED kernel key(n) param(DELAY: 4000000, 1) verify(off) compiler(COMPILER)
#pragma autotune TUNED CLAUSE
int plain(int n, int m, double *x)
{
  WAIT;
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 1.5 + m;
  return KNOWN(n + 1) + 2 * KNOWN(m);
}
/* Changed here: only its value at the beginning is known. */
#pragma autotune TUNED CLAUSE
int changed(int n, double *x)
{
  WAIT;
  int known = KNOWN(n + 1);
  while (n-- > 0)
    x[n] *= 1.25;
  return known + 2 * (n == -1);
}
#pragma autotune TUNED CLAUSE
int shared(int n, double *x)
{
  int known = 0;
  WAIT;
  #pragma omp parallel for reduction(+: known)
  for (int i = 0; i < n; i++) {
    x[i] *= 1.125;
    known += KNOWN(n - 1);
  }
  return known == n;
}
#pragma autotune TUNED CLAUSE
void divided(int n, int *known, double *x)
{
  WAIT;
  #pragma autotune parallel for num_threads(1)
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += x[j] / (1 + j);
    known[i] = KNOWN(n * 2) + 2 * (sum > 0);
  }
}
int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 200, sum = 0;
  double *x = malloc(n * sizeof *x);
  int *known = calloc(n, sizeof *known);
  for (int i = 0; i < n; i++)
    x[i] = i + 1;
  int a = plain(n, argc, x), b = changed(n, x), c = shared(n, x);
  divided(n, known, x);
  for (int i = 0; i < n; i++)
    sum += known[i] % 2;
  printf("plain %d changed %d shared %d divided %d\n", a, b, c, sum == n);
  return 0;
}
END
# knows NAME CLAUSE…: builds and runs NAME.c with these clauses.
knows() {
  sed "s/^#define TUNED .*//; s/ TUNED CLAUSE/ kernel param(DELAY: 4000000, 1) verify(off) search(exhaustive) $2/" knows.c > "$1.c"
  check "$1: compiles" autotune cc gcc -O2 -fopenmp "$1.c" -o "$1"
  "./$1" 200 2> "$1.log"
}
for compiler in clang gcc; do
  is "$compiler" "$(knows $compiler "key(n) compiler($compiler)")" "plain 1 changed 3 shared 1 divided 1"
  is "$compiler: stored" "$(./$compiler 200 2> /dev/null)" "plain 1 changed 3 shared 1 divided 1"
  autotune report > report
  is "$compiler: the report" "$(grep -c 'constants: n = 200$' report)" 4
  is "$compiler: why" "$(autotune why divided | grep -c 'constants: n = 200;*')" 1
  is "$compiler: JSON" "$(autotune report --json | grep -o '"constants": *"n = 200"' | wc -l)" 4
  rm -rf "$AUTOTUNE_CACHE"
done
is "none" "$(knows none 'key(n) constant()')" "plain 0 changed 2 shared 0 divided 0"
hasnt "none: the report" <(autotune report) 'constants:'
rm -rf "$AUTOTUNE_CACHE"
is "no argument" "$(knows class 'key(n * 2)')" "plain 0 changed 2 shared 0 divided 0"
rm -rf "$AUTOTUNE_CACHE"

# Each key has code of its own. From the 17th on, code knows nothing.
cat > keys.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#pragma autotune kernel param(DELAY: 200000, 1) verify(off)
long sum(int n, const int *x)
{
  long s = 0;
  for (int w = 0; w < DELAY; w++)
    __asm__ volatile("");
  for (int i = 0; i < n; i++)
    s += x[i];
  return 2 * s + __builtin_constant_p(n);
}
int main(int argc, char **argv)
{
  int x[64], known = 0, last = atoi(argv[1]);
  for (int i = 0; i < 64; i++)
    x[i] = i + 1;
  for (int n = 1; n <= last; n++) {
    long s = sum(n, x);
    if (s / 2 != n * (n + 1) / 2)
      printf("wrong for %d\n", n);
    known += s % 2;
  }
  printf("%d\n", known);
  return argc == 0;
}
END
sed -i 's/^#pragma autotune/#define DELAY 200000\n&/' keys.c
check "keys: compiles" autotune cc gcc -O2 keys.c -o keys
is "three keys" "$(AUTOTUNE_LOG=warn ./keys 3)" 3
is "many keys" "$(./keys 20 2> keys.log)" 16
is "it is said once" "$(grep -c 'called with more than 16 keys: .* compiled without constants' keys.log)" 1

# What a macro does is seen, and types of which the key says less than all are left alone.
cat > types.c << 'END'
#include <stdio.h>
#include <limits.h>
#define DELAY 20000
#define STEP(x) ((x)++)
#define INTO(x) into(&(x))
static void into(long *p) { *p = 7; }
#define KERNEL(name, type, body)                      \
  static int name(type n, int *out)                   \
  {                                                   \
    for (int w = 0; w < DELAY; w++)                   \
      __asm__ volatile("");                           \
    out[1] = __builtin_constant_p(n);                 \
    body;                                             \
    out[0] = (int)n;                                  \
    return (int)n;                                    \
  }
#pragma autotune kernel param(DELAY: 20000, 1) verify(off)
static int bytes(unsigned char n, _Bool b, char c, int *out)
{
  for (int w = 0; w < DELAY; w++)
    __asm__ volatile("");
  out[1] = __builtin_constant_p(n) + __builtin_constant_p(b) + __builtin_constant_p(c);
  return n + b + c;
}
#pragma autotune kernel param(DELAY: 20000, 1) verify(off)
static int wide(unsigned long n, long long m, int *out)
{
  for (int w = 0; w < DELAY; w++)
    __asm__ volatile("");
  out[1] = __builtin_constant_p(n) + __builtin_constant_p(m);
  return n == ULONG_MAX && m == LLONG_MIN;
}
#pragma autotune kernel param(DELAY: 20000, 1) verify(off)
static int huge(__int128 n, int *out)
{
  for (int w = 0; w < DELAY; w++)
    __asm__ volatile("");
  out[1] = __builtin_constant_p(n);
  return (int)(n >> 64);
}
#pragma autotune kernel param(DELAY: 20000, 1) verify(off)
static int macros(long n, int k, int *out)
{
  for (int w = 0; w < DELAY; w++)
    __asm__ volatile("");
  out[1] = __builtin_constant_p(n);
  STEP(k);
  INTO(n);
  return (int)n + k;
}
int main(void)
{
  int a[2], b[2], c[2], d[2];
  int f = bytes(200, 1, -3, a), g = wide(ULONG_MAX, LLONG_MIN, b);
  int h = huge(((__int128)5 << 64) + 1, c), i = macros(3, 4, d);
  printf("%d %d, %d %d, %d %d, %d %d\n", f, a[1], g, b[1], h, c[1], i, d[1]);
  return 0;
}
END
check "types: compiles" autotune cc gcc -O2 types.c -o types
is "types" "$(./types 2> types.log)" "198 3, 1 2, 5 0, 12 1"
is "types: stored" "$(./types 2> /dev/null)" "198 3, 1 2, 5 0, 12 1"

# A kernel that calls itself, or that a function which it calls calls, does so with other values.
cat > calls.c << 'END'
#include <stdio.h>
#define DELAY 20000
#define WAIT for (int w = 0; w < DELAY; w++) __asm__ volatile("")
int depth(int n);
static int deeper(int n) { return n > 0 ? depth(n - 1) : 0; }
#pragma autotune kernel param(DELAY: 20000, 1) verify(off)
int depth(int n)
{
  WAIT;
  return 1 + deeper(n);
}
#pragma autotune kernel param(DELAY: 20000, 1) verify(off)
int factorial(int n)
{
  WAIT;
  return n < 2 ? 1 : n * factorial(n - 1);
}
int known(int n);
#pragma autotune kernel param(DELAY: 20000, 1) verify(off)
int known(int n)
{
  WAIT;
  return n + __builtin_constant_p(n);
}
int main(void)
{
  int a = depth(5), b = factorial(6), c = known(3);
  printf("%d %d %d\n", a, b, c);
  return 0;
}
END
cp calls.c calls.cpp
for file in calls.c calls.cpp; do
  check "$file: compiles" autotune cc gcc -O2 $file -lstdc++ -o calls
  ./calls 2> calls.log
  is "$file" "$(./calls 2> /dev/null)" "6 720 4"
done

# C++: a function that takes a reference may change it.
cat > knows.cpp << 'END'
#include <cstdio>
#include <vector>
#define DELAY 4000000
static void add(int &n) { n += 2; }
#pragma autotune kernel param(DELAY: 4000000, 1) verify(off) key(n)
int plain(int n, double *x)
{
  int known = 0;
  for (int w = 0; w < DELAY; w++)
    __asm__ volatile("");
  #pragma omp parallel for reduction(+: known)
  for (int i = 0; i < n; i++) {
    x[i] *= 1.5;
    known += __builtin_constant_p(n * 2);
  }
  return known == n;
}
#pragma autotune kernel param(DELAY: 4000000, 1) verify(off) key(n)
int referred(int n, double *x)
{
  for (int w = 0; w < DELAY; w++)
    __asm__ volatile("");
  add(n);
  x[0] += n;
  return n;
}
int main()
{
  std::vector<double> x(100);
  int a = plain(100, x.data()), b = referred(98, x.data());
  std::printf("%d %d\n", a, b);
}
END
check "C++: compiles" autotune cc g++ -O2 -fopenmp knows.cpp -o knows
./knows 2> knows.log
is "C++" "$(./knows 2> /dev/null)" "1 100"
finish
