# SPDX-License-Identifier: Apache-2.0
# Captured calls: made again in another process they have the same bits, and the program finds their results. Kernels
# with scalars, structs, rows through pointers, globals, returned values, OpenMP, vectors.
. "$(dirname "$0")/cc_lib.sh"

export AUTOTUNE_CACHE=$work/cache
include=$(dirname "$(command -v autotune)")/../include
tune() { timeout 200 autotune tune "$@" > out 2> err; }

cat > kernels.c << 'END'
#include <autotune.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ROWS 37
struct shape { int n; double f; float *w; };
typedef float v8 __attribute__((vector_size(32)));
static double table[64];
double offset = 0.25;
static int calls;

#pragma autotune kernel param(STEP: 1, 2, 4) key(s.n) in(x[0:s.n], table, s.w[0:s.n]) inout(y[0:s.n])
double mix(struct shape s, const double *x, double *y)
{
  double sum = 0;
  for (int i = 0; i + STEP <= s.n; i += STEP)
    for (int k = 0; k < STEP; k++) {
      y[i + k] = y[i + k] * s.f + sin(x[i + k]) + table[(i + k) & 63] + s.w[i + k] + offset;
      sum += y[i + k];
    }
  return sum;
}
#pragma autotune kernel param(B: 8, 32) inout(A[0:ROWS], A[0][0:ROWS*n]) constraint(B <= n)
void rows(int n, double **A)
{
  for (int jj = 0; jj < n; jj += B)
    for (int i = 0; i < ROWS; i++)
      for (int j = jj; j < jj + B && j < n; j++)
        A[i][j] = A[i][j] * 1.5 + i;
}
#pragma autotune kernel param(T: 1, 2) in(x[0:n]) out(y[0:n])
void roots(long n, const float *x, float *y)
{
#pragma omp parallel for num_threads(T)
  for (long i = 0; i < n; i++)
    y[i] = sqrtf(x[i]) + x[n - 1 - i] * (float)offset;
}
#pragma autotune kernel param(U: 1, 2) inout(x[0:n])
void counted(int n, int *x)
{
  calls++;
  for (int i = 0; i < n * U / U; i++)
    x[i] += calls;
}
#pragma autotune kernel param(W: 1, 2) in(a[0:1]) inout(x[0:n])
v8 vectors(int n, v8 *x, const v8 *a)
{
  v8 s = { 0 };
  for (int i = 0; i < n * W / W; i++)
    x[i] = x[i] * *a + 1, s += x[i];
  return s;
}
#pragma autotune kernel param(V: 1, 2) inout(x[0:n])
void stray(int n, int *x, const int *unnamed)
{
  for (int i = 0; i < n * V / V; i++)
    x[i] += unnamed[i];
}
static int state(void) { static int s; return ++s; }
#pragma autotune kernel param(Q: 1, 2) inout(x[0:n])
void alone(int n, int *x)
{
  for (int i = 0; i < n * Q / Q; i++)
    x[i] += state();
}
#pragma autotune kernel param(E: 1, 2) inout(x[0:n])
void leaves(int n, int *x)
{
  for (int i = 0; i < n * E / E; i++)
    if (x[i] == 77)
      exit(0);
}
int main(int argc, char **argv)
{
  int n = 1000, c[10] = { 0 };
  double *x = malloc(n * 8), *y = malloc(n * 8), *block = malloc(ROWS * n * 8), *A[ROWS];
  float *w = malloc(n * 4), *z = malloc(n * 4);
  v8 *v = aligned_alloc(32, 32 * 64), a = { 1, 2, 3, 4, 5, 6, 7, 8 };
  memset(v, 0, 32 * 64);
  for (int i = 0; i < 64; i++) table[i] = i * .1;
  for (int i = 0; i < n; i++) x[i] = i * .01, y[i] = i, w[i] = i * .5f;
  for (int i = 0; i < ROWS * n; i++) block[i] = i;
  for (int i = 0; i < ROWS; i++) A[i] = block + i * n;
  printf("%.17g\n", mix((struct shape){ n, .5, w }, x, y));
  char *why = NULL;
  rows(n, A);
  if (argc > 1 && autotune_why("rows", NULL, &why) == AUTOTUNE_OK)
    printf("%s\n", why);
  roots(n, w, z);
  counted(10, c);
  a = vectors(64, v, &a);
  stray(10, c, (int[10]){ 0 });
  alone(10, c);
  printf("%g %g %d %g\n", A[3][4], z[7], c[4], a[2]);
  c[3] = 77;
  leaves(10, c);
  return 0;
}
END
command -v clang-22 > /dev/null && other=clang-22
for cc in gcc ${other:-}; do
  check "$cc: compile" autotune cc "$cc" -O2 -fopenmp -w -I"$include" kernels.c -o kernels -lm
  ./kernels > plain
  rm -rf captures
  AUTOTUNE_CAPTURE=captures ./kernels > got 2> err
  same "$cc: the program says the same" plain got
  is "$cc: what was captured" "$(ls captures | sed 's/-[0-9a-f]*\.capture$//' | tr '\n' ' ')" \
    "counted leaves mix roots rows vectors "
  has "$cc: a pointer without a section" err "stray: not captured: 'unnamed' points to memory outside of all sections"
  has "$cc: a function of the program's" err "alone: not captured: it needs the function 'state'"
  is "$cc: whose folder" "$(stat -c %a captures)" 700
  for f in captures/{counted,mix,roots,rows,vectors}-*; do
    tune --capture "$f" --check; is "$cc: $f" $? 0
    has "$cc: $f: same bits" out 'outputs as in the program: yes'
    has "$cc: $f: the same compiler" out "made by .*\(gcc\|clang\|Debian\)"
  done
  tune --capture captures/leaves-* --check; is "$cc: a call that did not return" $? 2
done

# A file name with blanks and quotes, the same call twice, no addresses of another process.
mix=$(echo captures/mix-*)
if command -v setarch > /dev/null && setarch -R true 2> /dev/null; then
  rm -rf fixed
  AUTOTUNE_CAPTURE=fixed setarch -R ./kernels > got 2> err
  setarch -R timeout 200 autotune tune --capture fixed/mix-* --check > out 2> err
  is "addresses that are taken: another process" $? 0
fi

# The program finds the result of the capture: compiled without optimisation, any variant wins.
check "compile slowly" autotune cc gcc -O0 -fopenmp -w -I"$include" kernels.c -o kernels -lm
AUTOTUNE_CAPTURE=slow ./kernels > /dev/null 2> err
hasnt "nothing known" <(AUTOTUNE_MODE=locked ./kernels why) 'stored: '
tune --capture slow/rows-* --budget 10s --output report.json; is "tuned" $? 0
has "tuned: same bits first" out 'outputs as in the program: yes'
has "tuned: a winner" out 'tuned: .* x over the default'
has "tuned: --output" report.json '"kernel": "rows"'
AUTOTUNE_MODE=locked ./kernels why > out
has "the program finds it" out 'stored: .* x over the default'
tune --replay slow/rows-* --budget 2s --seed 7; is "as often as one likes" $? 0

# Calls that cannot be captured.
cp "$mix" cut; truncate -s -1 cut; tune --capture cut; is "cut short" $? 2
has "cut short: said" err 'cut: it is cut short'
cp "$mix" longer; echo >> longer; tune --capture longer; is "longer" $? 2
echo nonsense > not; tune --capture not; is "no capture" $? 2
has "no capture: said" err 'not: it is not a captured call'
tune --capture nothing; is "no file" $? 2
tune --capture .; is "a folder" $? 2
tune --capture "$mix" -- ./kernels; is "and a program" $? 2
tune --check -- ./kernels; is "--check of a program" $? 2
mkdir -m 777 open
AUTOTUNE_CAPTURE=open ./kernels > got 2> err; same "an unsafe folder: the program" plain got
has "an unsafe folder: said" err 'mix: not captured: .*open can be written by others'
is "an unsafe folder: nothing in it" "$(ls open)" ""
AUTOTUNE_CAPTURE=small AUTOTUNE_CAPTURE_LIMIT=10K ./kernels > got 2> err
has "the limit: said" err 'mix: not captured: its memory is .* bytes, more than AUTOTUNE_CAPTURE_LIMIT'
is "the limit: what is smaller" "$(ls small | wc -l)" 4
AUTOTUNE_CAPTURE=/proc/nothing ./kernels > got 2> err; same "no folder: the program" plain got

# If any call of ours fails, the answer is right, and each file in the folder is whole.
for point in malloc open write rename; do
  for n in 1 2 3 6 12 24+; do
    rm -rf faulty
    AUTOTUNE_FAULT=$point:$n AUTOTUNE_CAPTURE=faulty ./kernels > got 2> err
    same "fault $point:$n" plain got
    for f in $(ls -A faulty 2> /dev/null); do
      timeout 60 autotune tune --capture "faulty/$f" --check > out 2> err
      hasnt "fault $point:$n: $f" err 'damaged\|cut short\|no captured call'
    done
  done
done

# In mode first: the first call of a key is captured, the next one tuned.
cat > twice.c << 'END'
#include <autotune.h>
#include <stdio.h>
#pragma autotune kernel param(U: 1, 2) inout(x[0:n])
void add(int n, int *x)
{
  for (int i = 0; i < n * U / U; i++)
    x[i] += i;
}
int main(void)
{
  static int x[4096];
  char *why = NULL;
  for (int i = 0; i < 2; i++) {
    add(4096, x);
    if (autotune_why("add", NULL, &why) == AUTOTUNE_OK)
      printf("%d %s\n", x[4095], why);
    else
      printf("%d not known\n", x[4095]);
  }
  return 0;
}
END
check "compile" autotune cc gcc -O0 -I"$include" twice.c -o twice
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=60s AUTOTUNE_CAPTURE=calls ./twice > out 2> err
hasnt "first call" out '^4095 tuned'
has "second call" out '^8190 \(tuned\|default: \)'
is "captured" "$(ls calls | wc -l)" 1

# The program's compiler is no longer installed.
mkdir bin
ln -s "$(command -v gcc)" bin/gcc-of-mine
(PATH=$PWD/bin:$PATH && autotune cc gcc-of-mine -O0 -I"$include" twice.c -o other)
AUTOTUNE_CAPTURE=other.calls ./other > out 2> err
tune --capture other.calls/* --check; is "another compiler: the same integers" $? 0
has "another compiler: said" out 'cannot be made by gcc-of-mine: it is not there'
has "another compiler: Clang" out 'made by clang '
finish
