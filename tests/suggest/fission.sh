# SPDX-License-Identifier: Apache-2.0
# autotune suggest divides loops: how many of each function, with which directives on their parts; the tuned program has the
# sums of the plain one, verified.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/cc_lib.sh"
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=12 AUTOTUNE_SEED=1
cp "$here/fission/fission.c" .
gcc -O1 -w fission.c -o plain -lm
./plain > expected
check "suggest" autotune suggest fission.c > patch.out 2> notes
check "apply" patch -s -p1 -i patch.out
hasnt "is refused" notes "cannot be a kernel"

directives() { # FUNCTION
  for kind in fission "parallel for" tile interchange unroll_and_jam reschedule; do
    awk -v name="$1" -v kind="pragma autotune $kind" '/^static/ { inside = index($0, " " name "(") > 0 }
      inside && index($0, kind) { n++ } END { print n + 0 }' fission.c
  done | tr '\n' ' '
}
while read -r function expected; do
  is "$function: directives" "$(directives "$function")" "$expected "
done << 'END'
gemm 0 0 0 0 0 1
covariance 1 2 2 1 1 1
correlation 0 0 0 0 0 1
gramschmidt 1 4 2 2 1 0
trmm 0 0 0 0 0 1
decay 1 1 1 0 1 0
atax 0 2 0 0 0 0
symm 0 1 1 2 0 0
lu 0 0 0 0 0 1
END

check "build" autotune cc gcc -O1 -w fission.c -o tuned -lm
AUTOTUNE_MODE=first ./tuned > out 2> err
is "no message" "$(cat err)" ""
paste -d' ' expected out | while read -r name sum same other; do
  awk -v a="$sum" -v b="$other" 'BEGIN { d = a - b; if (d < 0) d = -d; if (a < 0) a = -a; exit !(d <= 1e-9 * a) }' ||
    echo "$name: $other instead of $sum"
done > differs
is "the sums of the plain program" "$(cat differs)" ""
for name in gemm covariance correlation gramschmidt trmm decay atax symm lu; do
  autotune report --kernel $name > report.out
  has "$name: verified" report.out "verified against"
done

# Macros: the parts must be those of the file, in which the directives stand.
cat > macros.c << 'END'
#define N 400
#define CLEAR(a, i, j) a[i][j] = 0
#define BOTH(a, i, j) a[i][j] = 0; for (int k = 0; k < N; k++) a[i][j] += 1
#define EACH(k) for (int k = 0; k < N; k++)
static void clear(double C[restrict N][N], double A[N][N], double B[N][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      CLEAR(C, i, j);
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j], A[i][k] *= 2;
    }
}
static void both(double C[restrict N][N], double A[N][N], double B[N][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      BOTH(C, i, j);
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
    }
}
static void each(double C[restrict N][N], double A[N][N], double B[N][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      C[i][j] = 0;
      EACH(k)
        C[i][j] += A[i][k] * B[k][j];
    }
}
END
check "macros" autotune suggest macros.c > macros.patch 2> notes
check "macros: apply" patch -s -p1 -i macros.patch
cp macros.c fission.c
is "a macro as a part: directives" "$(directives clear)" "1 1 1 1 1 0 "
is "a macro of several parts: not divided" "$(directives both | cut -d' ' -f1)" 0
is "a macro as a loop's head: not divided" "$(directives each | cut -d' ' -f1)" 0
finish
