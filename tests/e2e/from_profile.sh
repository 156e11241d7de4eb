# SPDX-License-Identifier: Apache-2.0
# `autotune suggest --from-profile`: after a build by `autotune cc --auto` and a run, a patch with pragmas for the kernels
# that won, a function and a loop of main, and for no other.
. "$(dirname "$0")/cc_lib.sh"

mkdir src
cat > src/blur.c << 'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void smooth(int n, const double *restrict x, double *restrict y)
{
  for (int t = 0; t < n; t++)
    for (int i = 1; i < n - 1; i++)
      y[t * n + i] = x[t * n + i - 1] + x[t * n + i] + x[t * n + i + 1];
}

static void seldom(int n, double *restrict y)
{
  for (int i = 1; i < n; i++)
    y[i] = 2 * y[i] + 1;
}

int main(void)
{
  int n = 300;
  double *x = calloc(n * n, 8), *y = calloc(n * n, 8);
  for (int i = 0; i < n * n; i++)
    x[i] = i % 7;
  seldom(10, x);
  do {
    smooth(n, x, y);
    for (int i = 0; i < n * n; i++)
      x[i] = 0.25 * y[i] + 0.125 * x[i] * x[i];
  } while (getppid() != 1 && access("stop", F_OK) != 0);
  for (int i = 0; i < n * n; i++)
    x[i] = i % 7;
  smooth(n, x, y);
  printf("%.17g\n", y[n + 8]);
  return 0;
}
EOF
cp src/blur.c plain.c
cc=${compilers# } cc=${cc%% *}

AUTOTUNE_CACHE=$work/none autotune suggest --from-profile > out 2> log
is "no results: status" $? 2
has "no results" log 'error: No such file'

check "--auto" autotune cc --auto "$cc" -O0 src/blur.c -o prog
touch stop
expected=$(./prog)
rm stop
export AUTOTUNE_CACHE=$work/cache
AUTOTUNE_MODE=first AUTOTUNE_BUDGET=6 ./prog > answer 2> messages &
program=$!
for _ in $(seq 240); do # until both have won
  autotune report --json > report.json 2> log
  [ "$(grep -c '"speedup"' report.json)" -ge 2 ] && break
  sleep 0.5
done
touch stop
wait "$program"
is "the answer" "$(cat answer)" "$expected"

check "a patch" autotune suggest --from-profile > patch 2> log
is "pragmas" "$(grep -c '^+ *#pragma autotune kernel' patch)" 2
has "the function won" log "src/blur.c:5:1: note: 'smooth' won: [0-9.]* x over the default for n = 300$"
has "the loop won" log "src/blur.c:27:5: note: the loop in line 27 of 'main' won: [0-9.]* x over the default for n = 300$"
has "what is cold" log "src/blur.c:12:1: note: 'seldom' is left out: it is cold: about 1 call, .* of the program's time$"
check "why, by the function and the line" autotune why main:27 > why
has "why: the loop" why '^main_[0-9a-f]\{6\} on '
check "why, by the file and the line" autotune why blur.c:27 > why
is "why of another line: status" "$(autotune why main:26 > why; echo $?)" 1
check "the same by its name" autotune suggest --from-profile "$PWD/src/blur.c" > named 2> log
is "pragmas by its name" "$(grep -c '^+ *#pragma autotune kernel' named)" 2
check "elsewhere" not env -C / autotune suggest --from-profile > out 2> log
has "elsewhere: what to do" log 'autotune suggest: src/blur.c: No such file or directory: go where it was built, or name the file$'

# the patch is one that the other commands take
check "patch" patch -s -p1 < patch
check "check" autotune check src/blur.c > log
check "cc" autotune cc "$cc" -O1 src/blur.c -o tuned
is "the answer of the patched file" "$(./tuned)" "$expected"

# lines may move; a loop with another text is not the one that won
(echo '// a line'; echo '// and another'; sed 's/0.125/0.0625/' plain.c) > src/blur.c
check "edited" autotune suggest --from-profile src/blur.c > patch 2> log
is "edited: pragmas" "$(grep -c '^+ *#pragma autotune kernel' patch)" 1
has "edited: the function" log "src/blur.c:7:1: note: 'smooth' won"
has "edited: it is said" log "the file was changed after 'smooth' had won"
has "edited: the loop" log "the loop in line 29 of 'main' is left out: no result is known of it with this text"
check "edited: patch" patch -s -p1 < patch
check "edited: check" autotune check src/blur.c > log
sed 's/static void smooth/static void smoothed/; s/ smooth(/ smoothed(/' plain.c > src/blur.c
check "renamed" autotune suggest --from-profile src/blur.c > patch 2> log
is "renamed: the loop alone" "$(grep -c '^+ *#pragma autotune kernel' patch)" 1
has "renamed: said" log "'smoothed' is left out: no result is known"

# a directive that the build does not read stands before the loop: a build with OpenMP would not compile the patch
sed 's|^    for (int i = 0; i < n . n; i++)|/**/ #pragma omp parallel for\n    // each\n&|' plain.c > src/blur.c
has "directive" src/blur.c '^/\*\*/ #pragma omp parallel for'
check "directive" autotune suggest --from-profile src/blur.c > patch 2> log
is "directive: the function alone" "$(grep -c '^+ *#pragma autotune kernel' patch)" 1
has "directive: said" log "the loop in line 29 of 'main' is left out: this build does not read the directive of OpenMP before it"

is "two words" "$(autotune suggest a.c b.c 2>&1 | head -1)" "usage: autotune suggest [--fast-math | --exact] IN.c [--color WHEN] [-- ARGS…]"
finish
