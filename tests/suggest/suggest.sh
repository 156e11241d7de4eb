# SPDX-License-Identifier: Apache-2.0
# autotune suggest: for each kernel here, the directives that expected.txt names, a patch that applies, and a tuned
# program with the sums of the plain one, verified. Then the notes, and files that must not change.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/cc_lib.sh"
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_BUDGET=2 AUTOTUNE_SEED=1
cp "$here"/*.c "$here/run.h" .

directives() { # PATCH: how many of each kind there are, and whether it has outputs
  for kind in "parallel for" fission tile interchange unroll_and_jam simd reschedule; do
    echo "$(grep -c "^+ *#pragma autotune $kind" "$1")"
  done | tr '\n' ' '
  grep -q '^+.*out(' "$1" && echo verified || echo unverified
}
close() { # SUM SUM: to within rounding
  awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; if (a < 0) a = -a
                                   exit !(d <= 1e-9 * a) }'
}

n=0
while read -r name expected; do
  case $name in '#'*) continue ;; esac
  n=$((n + 1))
  autotune suggest "$name.c" > "$name.patch" 2> "$name.notes" ||
    { fail "suggest $name.c"; cat "$name.notes"; continue; }
  is "$name: directives" "$(directives "$name.patch")" "$expected"
  gcc -O1 -w "$name.c" -o "$name.plain" -lm
  if [ ! -s "$name.patch" ]; then
    check "$name: says so" grep -q "nothing to suggest" "$name.notes"
    continue
  fi
  mkdir "$name"
  cp "$name.c" run.h "$name"
  check "$name: apply" patch -s -p1 -d "$name" -i "../$name.patch"
  check "$name: build" autotune cc gcc -O1 -w "$name/$name.c" -o "$name.tuned" -lm
  AUTOTUNE_MODE=first "./$name.tuned" 24 2 > "$name.out" 2> "$name.err"
  check "$name: the sum of the plain program" close \
    "$("./$name.plain" 24 | cut -d' ' -f1)" "$(cut -d' ' -f1 "$name.out")"
  [ ! -s "$name.err" ] || { fail "$name: a message"; cat "$name.err"; }
  case $expected in *unverified) ;; *verified)
    check "$name: verified" grep -q "verified against" <<< "$(autotune report --kernel "$name")" ;;
  esac
done < "$here/expected.txt"
is "kernels" $n 20

# Loops as kernels, of main and of a function that calls others: verified, with the output of the plain program.
gcc -O1 -w mixed.c -o mixed.plain
autotune suggest mixed.c > mixed.patch 2> mixed.notes
check "mixed: apply" patch -s -p1 -i mixed.patch
check "mixed: build" autotune cc gcc -O1 -w mixed.c -o mixed.tuned
AUTOTUNE_MODE=first ./mixed.tuned 40 > mixed.out 2> mixed.err
is "mixed: the output of the plain program" "$(cat mixed.out)" "$(./mixed.plain 40)"
is "mixed: no message" "$(cat mixed.err)" ""
autotune report > report.out
is "mixed: loops of main, verified" "$(grep -c "^main_[0-9a-f]* " report.out)" 2

# Nests next to each other that hand on an array of the function become a chain, in braces. Those around them do not, and
# none does where the array is read later, or something is between.
cat > chains.c << 'END'
#include <stdio.h>
void joined(int n, const float (*restrict in)[n], float (*restrict out)[n], float *restrict sum)
{
  float tmp[n][n], d[n][n];
  for (int i = 0; i < n; i++)
    sum[i] = in[i][0];
  for (int i = 1; i < n - 1; i++)
    for (int j = 0; j < n; j++)
      tmp[i][j] = in[i - 1][j] + in[i][j] + in[i + 1][j];
  // columns
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      d[i][j] = tmp[i][j - 1] + tmp[i][j] + tmp[i][j + 1];
  for (int i = 2; i < n - 2; i++)
    for (int j = 2; j < n - 2; j++)
      out[i][j] = 9 * in[i][j] - d[i][j] - (d[i + 1][j] > 0); // a comment
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum[i] += in[i][j];
}
void later(int n, const float (*restrict in)[n], float (*restrict out)[n], float *restrict sum)
{
  float tmp[n][n];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      tmp[i][j] = in[i][j] * 2;
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      out[i][j] = tmp[i][j - 1] + tmp[i][j];
  sum[0] = tmp[0][0];
}
void between(int n, const float (*restrict in)[n], float (*restrict out)[n], float *restrict sum)
{
  float tmp[n][n];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      tmp[i][j] = in[i][j] * 2;
  sum[0] = 1;
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      out[i][j] = tmp[i][j - 1] + tmp[i][j];
}
static float in[300][300], out[300][300], sum[300];
int main(void)
{
  double all = 0;
  for (int i = 0; i < 300; i++)
    for (int j = 0; j < 300; j++)
      in[i][j] = (i * 7 + j * 3) % 11;
  joined(300, in, out, sum);
  for (int i = 0; i < 300; i++)
    for (int j = 0; j < 300; j++)
      all += out[i][j] * (j % 3) + sum[i];
  printf("%g\n", all);
  return 0;
}
END
gcc -O1 -w chains.c -o chains.plain
autotune suggest chains.c > chains.patch 2> chains.notes
is "chains: one" "$(grep -c '^+ *#pragma autotune chain .*local(tmp, d) num_threads(THREADS)$' chains.patch)" 1
is "chains: no other" "$(grep -c '^+ *#pragma autotune chain' chains.patch)" 1
is "chains: braces" "$(grep -c '^+  [{}]$' chains.patch)" 2
check "chains: apply" patch -s -p1 -i chains.patch
check "chains: build" autotune cc gcc -O1 -w chains.c -o chains.tuned
AUTOTUNE_MODE=first ./chains.tuned > chains.out 2> chains.err
is "chains: the output of the plain program" "$(cat chains.out)" "$(./chains.plain)"
is "chains: no message" "$(cat chains.err)" ""
check "chains: verified" grep -q "verified against" <<< "$(autotune report --kernel joined)"

# Declarations between loops: the loops are nested if these can move inwards.
cat > between.c << 'END'
void split(int n, double alpha, const double *restrict A, const double *restrict B, double *restrict C)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      double part = alpha * A[i * n + k];
      for (int j = 0; j < n; j++)
        C[i * n + j] += part * B[k * n + j];
    }
}
END
cat > own.c << 'END'
void own(int n, double *restrict C, const double *restrict B)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      double part = C[i * n + k];
      for (int j = 0; j < n; j++)
        C[i * n + j] += part * B[k * n + j];
    }
}
END
autotune suggest between.c > between.patch 2> between.notes
is "between: directives" "$(directives between.patch)" "1 0 1 0 1 0 0 verified"
has "between: of all three loops" between.patch 'tile sizes([^)]*}, [^)]*}, [^)]*})'
autotune suggest own.c > own.patch 2> own.notes
is "between: not what the inner loop changes" "$(directives own.patch)" "1 0 1 0 0 0 0 verified"
has "between: then of two loops" own.patch "tile sizes([^)]*}, [^)]*}) optional"

# The assumptions are printed, and the unproven facts, with their places.
cat > notes.c << 'END'
void overlap(int n, double *a, const double *b)
{
  for (int i = 0; i < n; i++)
    a[i] = b[i];
}
void histogram(int n, const int *bin, double *count)
{
  for (int i = 0; i < n; i++)
    count[bin[i]] += 1;
}
END
autotune suggest notes.c > notes.patch 2> notes.err
has "an assumption" notes.err "notes.c:1:.*assumed: no other array overlaps 'a', 'b'"
has "a subscript that is read" notes.err "notes.c:9:5: note: .*not affine"
is "one function" "$(grep -c '^+#pragma autotune kernel' notes.patch)" 1

# Without in, out or inout: inferred where they can be proven, with a note.
cat > inferred.c << 'END'
#include <stdio.h>
#define STEP 1
#pragma autotune kernel param(STEP: 1, 2)
void fill(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = i / STEP; // the variant with 2 is wrong
}
int main(void)
{
  double x[100];
  fill(100, x);
  return printf("%g\n", x[99]) < 0;
}
END
autotune check inferred.c > inferred.out
has "check: inferred" inferred.out "out   x\[0:n > 0 ? n : 0\]"
check "inferred: build" autotune cc gcc -O1 inferred.c -o inferred
is "inferred: the right answer" "$(AUTOTUNE_MODE=first ./inferred)" 99
autotune report --kernel fill > report.out
has "report: inferred" report.out "default (inferred)"
has "report: the wrong variant" report.out "1 wrong"
check "inferred: exported" autotune db export -o inferred.wisdom fill
check "inferred: imported" autotune db import --cache "$work/imported" inferred.wisdom
autotune report --cache "$work/imported" --kernel fill > report.out
has "report: inferred, of wisdom" report.out "default (inferred)"
is "inferred: captured" "$(AUTOTUNE_MODE=off AUTOTUNE_CAPTURE=calls ./inferred)" 99
check "inferred: replayed" autotune tune --capture calls/fill-*.capture --cache "$work/replayed"
autotune report --cache "$work/replayed" --kernel fill > report.out
has "report: inferred, of a captured call" report.out "default (inferred)"

# A function with pragmas stays as it is; a file without loops gets no patch.
autotune suggest inferred.c > none.patch 2> none.err
is "no patch" "$(cat none.patch)" ""
has "why" none.err "it has pragmas already"
finish
