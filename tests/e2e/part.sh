# SPDX-License-Identifier: Apache-2.0
# Parts of a run: in a variant that ends its outermost loops early, all loops do their first iterations, and each variant
# does the same ones. A slow kernel is tuned by such parts; the winner is compared as a whole.
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_REVERIFY=off

# ---- the text ------------------------------------------------------------------------
cat > loops.c << 'END'
#pragma autotune kernel param(BLOCK: 2, 8) key(n) inout(a[0:n+1], b[0:n+1], c[0:n+1], d[0:n+1], e[0:n+1], f[0:n*n])
void loops(int n, int *a, int *b, int *c, int *d, int *e, int *f)
{
  for (int i = 0; i < n; i++)
    a[i]++;
  for (int i = 3; i <= n; i += 2)
    b[i]++;
  for (int i = n; i > 2; i--)
    c[i]++;
  for (unsigned i = n; i >= 1u; i -= 3)
    d[i]++;
  int left = n;
  while (left-- > 0)
    e[left]++;
  #pragma autotune tile sizes(BLOCK, {4, 16})
  #pragma autotune interchange optional permutation(2, 1)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      f[i * n + j]++;
}
END
cat > driver.c << 'END'
#include <stdio.h>
#include <stdlib.h>
enum { N = 60 };
void all(int n, int *a, int *b, int *c, int *d, int *e, int *f);
static int x[6][N * N];
int main(int argc, char **argv)
{
  long long parts = atoi(argv[1]), least = atoi(argv[2]), n = N, wrong = 0, counts[6] = { 0 };
  long long range[6] = { n, n - 3 + 1, n - 2, n - 1 + 1, n * parts, n };
  all(N, x[0], x[1], x[2], x[3], x[4], x[5]);
  for (int k = 0; k < 6; k++) { /* the least multiple of `least` that holds 1/parts of the range */
    long long own = k == 5 ? least : 1, most = (range[k] / parts + own - 1) / own * own;
    most = most < own ? own : most;
    range[k] = range[k] < most ? range[k] : most;
  }
  for (int i = 0; i <= N; i++) {
    wrong += x[0][i] != (i < range[0]);
    wrong += x[1][i] != (i >= 3 && i < 3 + range[1] && (i - 3) % 2 == 0);
    wrong += x[2][i] != (i <= n && i > n - range[2]);
    wrong += x[3][i] != (i <= n && i > n - range[3] && (n - i) % 3 == 0);
    wrong += x[4][i] != (i < n);
  }
  for (int i = 0; i < N * N; i++)
    wrong += x[5][i] != (i / N < range[5]);
  printf("%lld wrong\n", wrong);
  return 0;
}
END
check "loops: translates" autotune translate loops.c -o out.c
# The text of the unit, without the quotes of C.
awk '/ autotune_text_loops_0\[\] =$/ { on = 1; next } on; on && /";$/ { exit }' out.c |
  sed 's/^"//; s/\\n";*$//; s/\\\(["?]\)/\1/g; s/\\\\/\\/g' > unit.c
has "loops: bounds are macros" unit.c 'AUTOTUNE_PART_UP(3, n, 1, 1, 1)'
has "loops: a block of the middle size" unit.c 'AUTOTUNE_PART_UP(0, n, 0, 2, 1)'
cat > shared.c << 'END'
#pragma autotune kernel inout(a[0:n][0:n])
void shared(int n, double (*a)[n])
{
  #pragma autotune parallel for num_threads({1, 2})
  #pragma autotune tile sizes({4, 16, 64}, {8, 16})
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] += 1;
}
END
check "shared: translates" autotune translate shared.c -o shared_out.c
has "shared: a block of the largest size for each thread" shared_out.c 'AUTOTUNE_PART_UP(0, n, 0, 64 \* AUTOTUNE_PART_THREADS, 1)'
printf '%s\n' '#include "unit.c"' \
  'void all(int n, int *a, int *b, int *c, int *d, int *e, int *f) { autotune_entry(n, a, b, c, d, e, f); }' > all.c
try() { # PARTS LEAST FLAG…
  local parts=$1 least=$2
  shift 2
  check "loops: compiles: $*" gcc -O1 -w -DAUTOTUNE_PART_THREADS=1 "$@" all.c driver.c -o all
  is "loops: $*" "$(./all "$parts" "$least")" "0 wrong"
}
for block in 2 8; do
  for order in 0 1; do
    try 1 1 -DBLOCK=$block "-DAUTOTUNE_P1=4" "-DAUTOTUNE_P2=$order"
    try 4 2 -DBLOCK=$block "-DAUTOTUNE_P1=16" "-DAUTOTUNE_P2=$order" -DAUTOTUNE_PARTS=4
    try 1000 2 -DBLOCK=$block "-DAUTOTUNE_P1=4" "-DAUTOTUNE_P2=$order" -DAUTOTUNE_PARTS=1000
  done
done

# ---- a tuning ------------------------------------------------------------------------
cat > slow.c << 'END'
#include <stdio.h>
#define WAY 0
/* WAY 0 is slow, 1 and 2 are wrong and fast, the others are right. */
#pragma autotune kernel param(WAY: 0, 1, 2, 3, 4, 5) in(x[0:n]) out(y[0:n]) search(exhaustive, budget: 60s)
static void work(int n, const double *x, double *y)
{
  for (int i = 0; i < n; i++) {
    static const int turns[] = { 100, 1, 2, 40, 20, 30 };
    volatile unsigned long long kept = 1;
    unsigned long long h = kept; /* each turn waits for the one before, 5 cycles on all processors */
    for (int t = 0; t < turns[WAY] * 100; t++)
      h = (h ^ h >> 29) * 0x9E3779B97F4A7C15u;
    kept = h;
    y[i] = (WAY == 1 || WAY == 2) && i == n - 1 ? 0 : 2 * x[i];
  }
}
int main(void)
{
  enum { N = 32000 }; /* about half a second */
  static double x[N], y[N];
  int wrong = 0;
  for (int i = 0; i < N; i++)
    x[i] = i + 1;
  for (int call = 0; call < 2; call++) {
    work(N, x, y);
    for (int i = 0; i < N; i++)
      wrong += y[i] != 2 * x[i];
  }
  printf("%d wrong\n", wrong);
  return 0;
}
END
check "slow: compiles" autotune cc gcc -O1 slow.c -o slow
AUTOTUNE_LOG=debug timeout 200 ./slow > out 2> log; is "slow: status" $? 0
is "slow: answer" "$(cat out)" "0 wrong"
has "slow: by parts: $(cat log)" log 'work: a part takes 0\.[0-9]* of a run$'
autotune report > report
has "slow: a right one wins, the fast ones are wrong: $(cat report log)" report 'winner  *WAY=4$'
autotune report --json --verbose > report.json
facts() { # EXPRESSION, of the record of each variant: prints for which ways it is true
  node -e 'const { records } = JSON.parse(require("fs").readFileSync("report.json")).kernels[0]
    console.log(records.filter((r) => '"$1"').map((r) => r.parameters.WAY).sort().join(" "))'
}
is "slow: those that were wrong: $(cat log)" "$(facts 'r.fate === "wrong"')" "1 2"
has "slow: estimates are marked: $(cat report.json)" report.json '"part": 0\.'
is "slow: the winner was run as a whole" "$(facts 'r.parameters.WAY == 4 && r.part')" ""
# WAY 4, the fastest, takes a fifth of the default; a part of it would take far less.
autotune export --t4 -o t4.json
is "slow: T4 has times of whole runs: $(cat t4.json)" "$(node -e 'const t4 = JSON.parse(require("fs").readFileSync("t4.json"))
  const times = t4.results.flatMap((r) => r.times.runtimes ?? [])
  console.log(times.length > 3 && times.every((t) => t > t4.metadata.default_time / 15))')" true

# Where a good variant is fast, whole runs go on.
sed 's/40, 20, 30/2, 40, 30/' slow.c > fast.c
check "fast: compiles" autotune cc gcc -O1 fast.c -o fast
AUTOTUNE_LOG=debug timeout 200 ./fast > out 2> log; is "fast: status" $? 0
is "fast: answer" "$(cat out)" "0 wrong"
has "fast: $(cat log)" log 'work: the best takes [0-9.]* ms as a whole: whole runs go on$'

# Where an outermost loop has few iterations, a part is as long as all of it: whole runs go on.
sed -i 's/for (int i = 0; i < n; i++) {/for (int once = 0; once < 1; once++) for (int i = 0; i < n; i++) {/' slow.c
export AUTOTUNE_CACHE=$work/once
check "once: compiles" autotune cc gcc -O1 slow.c -o slow
AUTOTUNE_LOG=debug timeout 200 ./slow > out 2> log; is "once: status" $? 0
is "once: answer" "$(cat out)" "0 wrong"
has "once: $(cat log)" log 'work: a part takes .* of a run: whole runs go on$'
autotune report > report
has "once: a right one wins: $(cat report log)" report 'winner  *WAY=4$'

# ---- the kernel as written comes last of the first ones ------------------------------------------
cat > order.c << 'END'
#include <stdio.h>
#include <unistd.h>
#pragma autotune kernel param(WAY: 1, 2, 3) out(x[0:6])
void work(int *x)
{
  #pragma omp parallel for num_threads(1)
  for (int i = 0; i < 6; i++) {
    usleep(WAY == 1 ? 300000 : 10000);
    x[i] = i;
  }
}
int main(void)
{
  static int x[6];
  work(x);
  printf("%d\n", x[5]);
  return 0;
}
END
check "order: compiles" autotune cc gcc -O1 -fopenmp order.c -o order
AUTOTUNE_CACHE=$work/cache.order AUTOTUNE_LOG=debug AUTOTUNE_BUDGET=20s ./order > out 2> log
is "order: answer" "$(cat out)" 5
has "order: its part is ended by the time of another one's: $(cat log)" log 'work: timed out: no end after .*WAY=1'
has "order: a fast one wins" log 'work: tuned: .*WAY=[23]'

# ---- parts that fail -----------------------------------------------------------------
# The first loop writes the places that the second one reads; a part of it leaves some as they were.
cat > places.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define WAY 0
typedef double *cursor;
#pragma autotune kernel param(WAY: 0, 1, 2, 3) in(x[0:n]) out(y[0:n]) scratch(at[0:n]) search(exhaustive, budget: 60s)
static void work(int n, const double *x, double *y, int *at)
{
  int *own = malloc(n * sizeof *own);
  memset(own, 0x3f, n * sizeof *own);
  for (int i = n - 1; i >= 0; i--)
    own[n - 1 - i] = i;
  for (int i = n - 1; i >= 0; i--) {
    static const int turns[] = { 100, 20, 40, 50 };
    volatile unsigned long long kept = 1;
    unsigned long long h = kept; /* each turn waits for the one before, 5 cycles on all processors */
    for (int t = 0; t < turns[WAY] * 100; t++)
      h = (h ^ h >> 29) * 0x9E3779B97F4A7C15u;
    kept = h;
    y[own[i]] = 2 * x[own[i]];
  }
  for (cursor p = y; p < y + n; p++) /* a bound that is no number */
    *p += 1;
  free(own);
  at[0] = 0;
}
int main(void)
{
  enum { N = 16000 };
  static double x[N], y[N];
  static int at[N];
  int wrong = 0;
  for (int i = 0; i < N; i++)
    x[i] = i + 1;
  work(N, x, y, at);
  for (int i = 0; i < N; i++)
    wrong += y[i] != 2 * x[i] + 1;
  printf("%d wrong\n", wrong);
  return 0;
}
END
for bound in cursor number; do
  export AUTOTUNE_CACHE=$work/$bound
  [ $bound = cursor ] || sed -i 's/for (cursor p = y; p < y + n; p++)/for (int i = 0; i < n; i++)/; s/\*p += 1;/y[i] += 1;/' places.c
  check "$bound: compiles" autotune cc gcc -O1 places.c -o places
  AUTOTUNE_LOG=debug timeout 200 ./places > out 2> log; is "$bound: status" $? 0
  is "$bound: answer" "$(cat out)" "0 wrong"
  has "$bound: $(cat log)" log 'work: a part fails where the whole does not: whole runs go on$'
  autotune report > report
  has "$bound: a right one wins: $(cat report log)" report 'winner  *WAY=1$'
done

# ---- arguments that macros make ------------------------------------------------------
export AUTOTUNE_CACHE=$work/macros
cat > macros.c << 'END'
#include <stdio.h>
#define ARRAY_2D(x, most) x[most][most]
enum { N = 200 };
#pragma autotune kernel in(a[0:n]) out(b[0:n]) search(exhaustive, budget: 20s)
static void work(int n, const double ARRAY_2D(a, N), double ARRAY_2D(b, N), double *restrict more)
{
  #pragma autotune parallel for num_threads(2)
  #pragma autotune tile sizes({8, 32}, 64)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < N; j++)
      b[i][j] = 2 * a[i][j];
}
int main(void)
{
  static double a[N][N], b[N][N], more[1];
  a[1][1] = 1;
  work(N, a, b, more);
  printf("%g\n", b[1][1]);
  return 0;
}
END
check "macros: compiles" autotune cc gcc -O1 -fopenmp macros.c -o macros
AUTOTUNE_LOG=debug timeout 100 ./macros > out 2> log; is "macros: answer: $(cat log)" "$(cat out)" 2
has "macros: $(cat log)" log 'tile@8.1=32'
hasnt "macros: all compile: $(cat log)" log 'did not compile'

# ---- rounding ------------------------------------------------------------------------
# How far rounding moves the outputs of a slow default is measured only if an answer differs by more than the relative
# tolerance. WAY 1 rounds its sum to other digits.
sed -e 's/y\[i\] = (WAY == 1.*/double far = WAY == 1 ? 3e9 : 1e9; y[i] = (x[i] + far) - far;/' \
  -e 's/static const int turns.*/static const int turns[] = { 100, 10, 80, 90, 95, 99 };/' \
  -e 's/wrong += y\[i\].*/wrong += y[i] - x[i] > 1e-6 || x[i] - y[i] > 1e-6;/' \
  -e 's/x\[i\] = i + 1;/x[i] = (i + 1) * 0.3;/' slow.c > cancel.c
check "cancel: compiles" autotune cc gcc -O1 cancel.c -o cancel
AUTOTUNE_LOG=debug timeout 200 ./cancel > out 2> log; is "cancel: status" $? 0
is "cancel: answer" "$(cat out)" "0 wrong"
has "cancel: rounding is measured: $(cat log)" log 'measured how far rounding moves'
is "cancel: once" "$(grep -c 'measured how far' log)" 1
has "cancel: another order of the sum is right" log 'work: tuned: .*WAY=1'
sed 's/param(WAY: [^)]*)/param(WAY: 0, 3, 4, 5)/' slow.c > alike.c
check "alike: compiles" autotune cc gcc -O1 alike.c -o alike
AUTOTUNE_LOG=debug timeout 200 ./alike > out 2> log; is "alike: status" $? 0
hasnt "alike: rounding is not measured" log 'measured how far'
has "alike: tuned" log 'work: tuned: .*WAY=4'
finish
