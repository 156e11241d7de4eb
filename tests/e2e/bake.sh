# SPDX-License-Identifier: Apache-2.0
# autotune bake: lines of wisdom written by hand; the answer shows which winner ran.
. "$(dirname "$0")/cc_lib.sh"

# line KERNEL FILE KEYS VALUES [THREADS]: a line of wisdom as after an edit, without text and sum.
line() {
  local time='{"high": 1e-3, "low": 1e-3, "median": 1e-3, "n": 9}'
  printf '%s' '{"autotune": 1, "best": '"$time"', "compiler": "clang 22.1.8", "cpu": "Maker Some CPU family 6 model 1", '
  printf '%s' '"default": {"high": 2e-3, "low": 2e-3, "median": 2e-3, "n": 9}, "file": "'"$2"'", "isa": "x86-64-v4", '
  printf '%s' '"kernel": "'"$1"'", "key": ['"$3"'], "machine": "l1d=32768 l2=1048576 l3=0 cores=2 line=64 vector=64", '
  printf '%s' '"search": "exhaustive", "space": "0000000000000001", "text": "0000000000000002", "threads": '"${5:-2}"', '
  printf '%s' '"toolchain": "clang 22.1.8", "tried": 3, "unit": "0000000000000003", "values": {'"$4"'}, '
  printf '%s\n' '"verified": true, "when": "2026-11-21T05:13:20Z"}'
}

# STEP is in macros, in an #if, in a type, a constant, helpers; `count` and `calls` are shared by all.
cat > sum.c << 'END'
#include <stdio.h>
#include <stdlib.h>

#define STEP 1
#define TWICE (2 * STEP)
#if STEP > 2
#define SIZE "large"
#else
#define SIZE "small"
#endif

struct part { double v[STEP]; };
enum { LANES = TWICE / 2 };
static const double zeros[LANES] = { 0 };
static int calls;

static void count(void)
{
  calls++;
}

static double fold(const struct part *p)
{
  double s = zeros[LANES - 1];
  for (int k = 0; k < STEP; k++)
    s += p->v[k];
#if STEP == 8
  calls += 1000;
#endif
  return s;
}

#pragma autotune kernel param(STEP: 1, 2, 4, 8) constraint(n % STEP == 0 && STEP * 8 <= AUTOTUNE_L1D) \
  key(n) in(x[0:n]) out(*which, *size) scratch(calls)
static double sum(int n, const double *x, int *which, const char **size)
{
  struct part p = { { 0 } };
  count();
  for (int i = 0; i + STEP <= n; i += STEP)
    for (int k = 0; k < STEP; k++)
      p.v[k] += x[i + k];
  *which = TWICE / 2;
  *size = SIZE;
  return fold(&p);
}

int main(int argc, char **argv)
{
  static double x[1 << 15];
  for (int i = 0; i < 1 << 15; i++)
    x[i] = i % 8;
  for (int i = 1; i < argc; i++) {
    int which;
    const char *size;
    double s = sum(atoi(argv[i]), x, &which, &size);
    printf("%s: %g by %d, %s\n", argv[i], s, which, size);
  }
  printf("%d calls, %d, %s\n", calls, STEP, SIZE);
  return 0;
}
END
{
  line sum sum.c '["n", 64]' '"STEP": "2"'
  line sum sum.c '["n", 1024]' '"STEP": "4"'
  line sum sum.c '["n", 2048]' '"STEP": "4"'
  line sum sum.c '["n", 4096]' ''
  line sum sum.c '["n", 20000]' '"STEP": "8"'
} > sum.wisdom

check "bake" autotune bake sum.c --wisdom sum.wisdom --unchecked -o baked.c 2> log
is "messages" "$(cat log)" ""
hasnt "a pragma of ours" baked.c 'pragma autotune'
hasnt "our header" baked.c 'autotune\.h'
is "functions" "$(grep -c '^/\* sum for' baked.c)" 3
has "what holds where" baked.c '^ \* sum: Some CPU, 2 threads, clang 22.1.8$'
has "the winner of a key" baked.c '^ \*   n = 64: STEP=2; 2 x over the default; 2026-11-21; sum.wisdom:1$'

sed -n '/^static int sum_winner/,$p' baked.c | sed '/^AUTOTUNE_AS_WRITTEN/,$d' > got
cat > expected << 'END'
static int sum_winner(long long n)
{
  if (n >= 16 && n <= 256)
    return 1;
  if (n >= 257 && n <= 2896)
    return 2;
  if (n >= 9051 && n <= 80000)
    return 3;
  return 0;
}

static double sum(int n, const double *x, int *which, const char **size)
{
  switch (sum_winner((long long)(n))) {
  case 1:
    if (!(n % (2LL) == 0 && (2LL) * 8 <= 32768LL))
      break;
    return sum_tuned1(n, x, which, size);
  case 2:
    if (!(n % (4LL) == 0 && (4LL) * 8 <= 32768LL))
      break;
    return sum_tuned2(n, x, which, size);
  case 3:
    if (!(n % (8LL) == 0 && (8LL) * 8 <= 32768LL))
      break;
    return sum_tuned3(n, x, which, size);
  }
  return sum_untuned(n, x, which, size);
}
END
same "the switch" got expected

sizes="15 16 64 256 260 258 1024 2896 2900 4096 8192 20000 32768 0"
cat > expected << 'END'
15: 49 by 1, small
16: 56 by 2, small
64: 224 by 2, small
256: 896 by 2, small
260: 902 by 4, large
258: 897 by 1, small
1024: 3584 by 4, large
2896: 10136 by 4, large
2900: 10142 by 1, small
4096: 14336 by 1, small
8192: 28672 by 1, small
20000: 70000 by 8, large
32768: 114688 by 8, large
0: 0 by 1, small
2014 calls, 1, small
END
for cc in $compilers; do
  check "$cc" $cc -std=c11 -O1 -g -Wall -Wextra -Werror baked.c -o baked
  ./baked $sizes > got
  same "$cc: which winner" got expected
  hasnt "$cc: libautotune" <(ldd ./baked) autotune
  address=$(nm baked | sed -n 's/^\([0-9a-f]*\) t sum_tuned1$/\1/p')
  [ -z "$address" ] || has "$cc: a debugger sees the user's file" <(addr2line -e baked "$address") '/sum\.c:'
done

check "exact" autotune bake sum.c --wisdom sum.wisdom --unchecked --exact -o exact.c
gcc -std=c11 exact.c -o exact && ./exact 64 65 128 20000 20008 > got
is "tuned keys alone" "$(sed 's/.*by \([0-9]\).*/\1/' got | tr '\n' ' ')" "2 1 1 8 1 1005 calls, 1, small "

# In a build: with the source's own name, and without our library at the link.
cat > cc.wisdom < sum.wisdom
check "cc --bake of another text" autotune cc --bake cc.wisdom gcc -O1 -Wall -Wextra sum.c -o built 2> log
has "is said" log "the winner of 'sum' for n = 64 in cc.wisdom:1 is not baked: it was found with another text"
hasnt "built: libautotune" <(ldd ./built) autotune
is "and the default runs" "$(./built 64)" "$(printf '64: 224 by 1, small\n1 calls, 1, small')"

check "with a dependency file" autotune cc --bake sum.wisdom gcc -MMD -c sum.c -o sum.o 2> log
has "which names the wisdom" sum.d '^sum.o: sum.wisdom$'

# Two keys, alternatives, nests, flags.
cat > grid.c << 'END'
#include <stdio.h>

static void fill(int n, int m, double *a, int *which);

#pragma autotune alternative(fill)
static void columns(int n, int m, double *a, int *which)
{
  *which = 2;
  #pragma autotune tile sizes({2, 4}, {8, 16})
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++)
      a[i * m + j] = i + 10 * j;
}

#pragma autotune kernel flags("", "-ffast-math") key(n, m) out(a[0:n*m], *which)
static void fill(int n, int m, double *a, int *which)
{
  *which = 1;
  #pragma autotune parallel for num_threads({1, 2}) optional
  #pragma autotune unroll_and_jam partial({1, 3})
  #pragma autotune interchange permutation(any)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * m + j] = i + 10 * j;
}

int main(void)
{
  static const int sizes[][2] = { { 8, 8 }, { 9, 10 }, { 32, 8 }, { 33, 7 }, { 8, 32 }, { 40, 60 }, { 1, 8 } };
  static double a[4000];
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int n = sizes[s][0], m = sizes[s][1], which;
    double sum = 0;
    fill(n, m, a, &which);
    for (int i = 0; i < n * m; i++)
      sum += a[i] * (i % 7);
    printf("%d %d: %.17g by %d\n", n, m, sum, which);
  }
  return 0;
}
END
gcc -w grid.c -o plain && ./plain | sed '/^3[23] /s/by 1/by 2/' > expected
grid() { # KEYS ALGORITHM FLAGS [THREADS]: a line for grid.c
  line fill grid.c "$1" '"algorithm": "'"$2"'", "flags": "'"$3"'", "interchange@21.any": "(2,1)",
    "num_threads@19.1": "2", "parallel_for@19.1": "yes", "tile@9.1": "2", "tile@9.2": "16",
    "unroll_and_jam@20.1": "3"' "${4:-2}" | tr -d '\n'
  echo
}
{
  grid '["n", 8], ["m", 8]' fill ''
  grid '["n", 32], ["m", 8]' columns ''
  grid '["n", 8], ["m", 32]' fill -ffast-math
} > grid.wisdom
check "two keys" autotune bake grid.c --wisdom grid.wisdom --unchecked -o baked.c 2> log
has "flags are told" log "the winner of 'fill' for n = 8, m = 32 in .*grid.wisdom:3 is not baked: it needs compiler flags"
is "two functions" "$(grep -c '^/\* fill for' baked.c)" 2
for cc in $compilers "gcc -fopenmp -O2"; do
  check "two keys, $cc" $cc -std=c11 -Wall -Wextra -Werror baked.c -o baked
  ./baked > got
  same "two keys, $cc" got expected
done
check "OpenMP is told in a build" autotune cc --bake grid.wisdom gcc -w -c grid.c -o grid.o 2> log

# Keys at the ends of their type, two keys that are equal as double, winners that constraints no longer allow.
cat > far.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#define STEP 1
#pragma autotune kernel param(STEP: 1, 2, 4, 8) constraint(STEP < 8 && STEP * 8 <= AUTOTUNE_L1D) key(n, m)
static int far(long long n, long long m)
{
  return n && m ? STEP : STEP;
}
int main(int argc, char **argv)
{
  for (int i = 1; i + 1 < argc; i += 2)
    printf("%d ", far(strtoll(argv[i], NULL, 10), strtoll(argv[i + 1], NULL, 10)));
  return 0;
}
END
{
  line far far.c '["n", 64], ["m", 64]' '"STEP": "8"'
  line far far.c '["n", 9007199254740993], ["m", 1]' '"STEP": "2"'
  line far far.c '["n", 9007199254740992], ["m", 1]' '"STEP": "4"'
  line far far.c '["n", -5], ["m", 0]' '"STEP": "2"'
  line far far.c '["n", 9223372036854775807], ["m", -9223372036854775808]' '"STEP": "4"'
} > far.wisdom
calls="64 64 9007199254740993 1 9007199254740992 1 9007199254740996 1 -5 0 -6 0
  9223372036854775807 -9223372036854775808 9223372036854775806 -9223372036854775808 0 1"
far() { # NAME EXPECTED [OPTION]
  check "$1" autotune bake far.c --wisdom far.wisdom --unchecked ${3:-} -o far2.c 2> log
  gcc -std=c11 -Wall -Wextra -Werror far2.c -o far && is "$1" "$(./far $calls)" "$2"
}
far "far keys" "1 2 4 4 2 1 4 4 1 "
has "a constraint" log "for n = 64, m = 64 in far.wisdom:1 is not baked: a constraint forbids it"
far "far keys, exact" "1 2 4 1 2 1 4 1 1 " --exact
sed -i 's/l1d=32768 //' far.wisdom
far "a machine without a number" "1 1 1 1 1 1 1 1 1 "

# Calls that a condition leaves out run as written.
mkdir condition
sed 's/^#pragma autotune kernel/& if(n != 65)/' sum.c > condition/sum.c
(cd condition && autotune bake sum.c --wisdom ../sum.wisdom --unchecked -o baked.c) 2> log || fail "a condition"
is "a condition of each winner" "$(grep -c 'if (!(n != 65))' condition/baked.c)" "$(grep -c '^  case ' condition/baked.c)"
check "a condition: compiles" gcc -w -c condition/baked.c -o condition.o

# Neither the source nor the wisdom is written over.
for out in far.c ./far.wisdom; do
  cp $out kept
  check "-o $out" not autotune bake far.c --wisdom far.wisdom --unchecked -o $out 2> log
  has "-o $out" log "is the input, and would be overwritten"
  same "-o $out" $out kept
done

# A message says why something cannot be baked.
check "no such file" not autotune bake grid.c --wisdom none.wisdom -o none.c 2> log
has "is told" log '^none.wisdom: error: No such file'
grid '["n", 8], ["m", 16]' fill '' 4 >> grid.wisdom
check "several machines" not autotune bake grid.c --wisdom grid.wisdom --unchecked -o none.c 2> log
has "are listed" log "there are winners of 'fill' from several machines: 'Maker Some CPU.*' with 2 threads, .* with 4 threads"
check "nothing is written" not test -e none.c
check "one of them" autotune bake grid.c --wisdom grid.wisdom --unchecked --threads 4 -o some.c
has "its line" some.c '^ \*   n = 8, m = 16: '
check "nothing known" autotune bake grid.c --wisdom sum.wisdom -o some.c 2> log
has "is told" log "nothing is known of 'fill'"
gcc -std=c11 -Wall -Wextra -Werror some.c -o some && ./some > got
gcc -w grid.c -o plain && ./plain > expected
same "and the default runs" got expected
printf '#pragma autotune kernel block(32, 64)\n__global__ void f(int *x) { *x = 1; }\n' > f.cu
check "CUDA" not autotune bake f.cu --wisdom sum.wisdom -o none.c 2> log
has "is refused" log '^f.cu:1:1: error: kernels of CUDA cannot be baked$'
cat > typed.c << 'END'
#define LANES 4
#pragma autotune kernel param(LANES: 4, 8) key()
void twice(double x[][LANES])
{
  for (int i = 0; i < LANES; i++)
    x[0][i] *= 2;
}
END
line twice typed.c '' '"LANES": "8"' > typed.wisdom
check "an argument's type" autotune bake typed.c --wisdom typed.wisdom --unchecked -o typed2.c 2> log
has "is told" log "'twice' is not baked, its calls run the default: the type of its argument 'x' depends"
check "still C" gcc -std=c11 -Wall -Wextra -Werror -c typed2.c -o typed.o

# Names of the user's that are like generated ones.
cat > names.c << 'END'
#define STEP 1
#define x 3
#define ratio (
#pragma autotune kernel param(STEP: 1, 2) key(i, j, i)
static int named(int i, int j) // as a comment says
{
  return i + j + x + 100 * STEP;
}
int main(void) { return named(4, 5) != 212 || named(40, 5) != 148; }
END
line named names.c '["i", 4], ["j", 5], ["i", 4]' '"STEP": "2"' > names.wisdom
check "names" autotune bake names.c --wisdom names.wisdom --unchecked -o names2.c
check "names: compile" gcc -std=c11 -Wall -Wextra -Werror names2.c -o names
check "names: run" ./names

# A kernel in a header: the header is put inline, its own includes are found from the file, and lines are the
# header's.
mkdir inc
echo '#define HALF 2' > inc/half.h
cat > inc/twice.h << 'END'
#ifndef TWICE_H
#define TWICE_H
#include "half.h"
#define STEP 1
#pragma autotune kernel param(STEP: 1, 2, 4) key(n)
static inline int twice(int n)
{
  return n * HALF + 1000 * STEP;
}
#endif
END
cat > uses.c << 'END'
#include "inc/twice.h"
#include "inc/twice.h"
#include <stdio.h>
int main(void)
{
  printf("%d %d %d\n", twice(5), twice(100), HALF * __LINE__);
  return 0;
}
END
line twice twice.h '["n", 5]' '"STEP": "4"' > twice.wisdom
check "a header" autotune bake uses.c --wisdom twice.wisdom --unchecked -o uses2.c -- -I. 2> log
is "a header: messages" "$(cat log)" ""
for cc in $compilers; do
  check "a header, $cc" $cc -std=c11 -pedantic -Wall -Wextra -Werror uses2.c -o uses
  is "a header, $cc: runs" "$(./uses)" "4010 1200 12"
done
check "a header in a folder of -I" autotune bake uses.c --wisdom twice.wisdom --unchecked -o uses2.c -- -Iinc
sed 's|"inc/twice.h"|<twice.h>|' uses.c > angle.c
check "by <…>" autotune bake angle.c --wisdom twice.wisdom --unchecked -o angle2.c -- -Iinc
check "by <…>" gcc -std=c11 -Wall -Wextra -Werror -Iinc angle2.c -o uses
is "by <…>: runs" "$(./uses)" "4010 1200 12"
sed 's/"text": "0*2"/"text": "0000000000000000"/' twice.wisdom > build.wisdom
check "a header in a build" autotune cc --bake build.wisdom gcc uses.c -o built 2> log
has "a header in a build: its place" log '^inc/twice.h:5:1: warning: the winner of .twice. for n = 5'
finish
