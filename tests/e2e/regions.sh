# SPDX-License-Identifier: Apache-2.0
# A kernel that is called for each row of an `omp for`, in a region of four threads: it is tuned as one of four, with
# gcc's OpenMP runtime and with LLVM's, its threads bound to cores and not. No wrong variant wins, nothing hangs, and the
# result is that of four threads. The same from four threads of POSIX. What is not tuned is said, and `autotune why` knows.
. "$(dirname "$0")/cc_lib.sh"
unset AUTOTUNE_MODE
export AUTOTUNE_CACHE=$work/cache AUTOTUNE_REVERIFY=off
home=$(dirname "$(command -v autotune)")/..
printf '#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n' > probe.c
gcc -fopenmp probe.c -o probe 2> /dev/null || { echo "skipped: gcc has no OpenMP here"; exit 77; }

cat > kernel.c << 'END2'
#define WAY 0
#pragma autotune kernel param(WAY: 0, 1, 2) in(x[0:n]) out(y[0:n]) search(exhaustive, budget: 10s)
void row(int n, const double *x, double *y)
{
#if WAY == 0
  for (volatile int again = 0; again < 20; again++)
    for (int i = 0; i < n; i++)
      y[i] = 2 * x[i] + 1;
#elif WAY == 1
  for (int i = 0; i < n; i++)
    y[i] = 2 * x[i] + 1;
#else
  for (int i = 0; i + 4 <= n; i += 4) /* forgets the rest */
    for (int k = i; k < i + 4; k++)
      y[k] = 2 * x[k] + 1;
#endif
}
END2
cat > main.c << 'END2'
#include <autotune.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { ROWS = 32, N = 4001, TURNS = 40 };
void row(int n, const double *x, double *y);
static double x[ROWS][N], y[ROWS][N];
static int wrong;
static void fill(int i, int t)
{
  for (int j = 0; j < N; j++)
    x[i][j] = i + j + t;
}
static int differs(int i, int t)
{
  int n = 0;
  for (int j = 0; j < N; j++)
    n += y[i][j] != 2.0 * (i + j + t) + 1;
  return n;
}
#ifdef _OPENMP
static void turns(void)
{
  for (int t = 0; t < TURNS; t++) {
    #pragma omp parallel num_threads(4)
    {
      #pragma omp for
      for (int i = 0; i < ROWS; i++)
        fill(i, t);
      #pragma omp for
      for (int i = 0; i < ROWS; i++)
        row(N, x[i], y[i]);
      #pragma omp for reduction(+ : wrong)
      for (int i = 0; i < ROWS; i++)
        wrong += differs(i, t);
    }
    if (getenv("SLOWLY"))
      usleep(50000);
  }
}
#else
static void *some(void *from)
{
  int n = 0;
  for (int t = 0; t < TURNS; t++)
    for (int i = (int)(long)from; i < ROWS; i += 4) {
      fill(i, t);
      row(N, x[i], y[i]);
      n += differs(i, t);
    }
  __atomic_fetch_add(&wrong, n, __ATOMIC_RELAXED);
  return NULL;
}
static void turns(void)
{
  pthread_t t[4];
  for (long i = 0; i < 4; i++)
    pthread_create(&t[i], NULL, some, (void *)i);
  for (long i = 0; i < 4; i++)
    pthread_join(t[i], NULL);
}
#endif
int main(void)
{
  char *why = NULL;
  turns();
  autotune_why("row", (long long[]){ N }, &why);
  printf("%s; %s\n", wrong ? "wrong" : "right", why ? why : "not known");
  return 0;
}
END2
check "the kernel" autotune cc gcc -O2 -c kernel.c
link="-I $home/include -L $home/lib -lautotune -Wl,-rpath,$home/lib"
# shellcheck disable=SC2086 # several options
check "gcc's runtime" gcc -O2 -fopenmp main.c kernel.o $link -o gomp
# shellcheck disable=SC2086
check "threads" gcc -O2 -pthread main.c kernel.o $link -o threads
programs=gomp
# shellcheck disable=SC2086
clang-22 -O2 -fopenmp main.c kernel.o $link -o lomp 2> /dev/null && ./probe && programs="gomp lomp"

for p in $programs; do
  for bind in false true; do
    rm -rf "$AUTOTUNE_CACHE"
    OMP_PROC_BIND=$bind timeout 100 "./$p" > out 2> err; is "$p, $bind: status" $? 0
    has "$p, $bind, tuned: $(cat out err)" out '^right; tuned: .*WAY=1\(;.*\)\{0,1\}$'
  done
  timeout 100 "./$p" > out 2> err; is "$p, again: status" $? 0
  has "$p, again: $(cat out)" out '^right; stored: '
  is "$p, again: messages" "$(cat err)" ""
  AUTOTUNE_LOG=info AUTOTUNE_MODE=locked OMP_THREAD_LIMIT=1 timeout 100 "./$p" > out 2> err
  has "$p, one thread has no result of four: $(cat out)" out '^right; default: locked'
  autotune why row > why; has "$p, why: $(cat why)" why 'n = 4001, threads at once = 4 *WAY=1'
  autotune report --verbose > report 2>&1; has "$p, the wrong one: $(cat report)" report 'wrong'
done

# In the background, while all threads of the program go on.
rm -rf "$AUTOTUNE_CACHE"
for mode in background online; do
  AUTOTUNE_MODE=$mode SLOWLY=1 timeout 100 ./gomp > out 2> err; is "$mode: status" $? 0
  has "$mode: $(cat out)" out '^right; '
  hasnt "$mode: $(cat out)" out 'WAY=2'
done

# Threads of POSIX cannot be counted: the first call is tuned alone, the others run the default meanwhile.
rm -rf "$AUTOTUNE_CACHE"
timeout 100 ./threads > out 2> err; is "threads: status" $? 0
has "threads: $(cat out err)" out '^right; tuned: .*WAY=1\(;.*\)\{0,1\}$'

# A kernel that waits for other threads of its region cannot run in the sandbox, and says so.
cat > waits.c << 'END2'
static int arrived;
#define STEP 1
#pragma autotune kernel param(STEP: 1, 2, 4) inout(x[0:n]) search(budget: 2s)
static void meet(int n, int all, int turn, double *x)
{
  for (int half = 2 * turn - 1; half <= 2 * turn; half++) { // one may be over when the call is copied
    __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < all * half)
      ;
  }
  for (int i = 0; i < n; i++)
    x[i] += STEP - STEP + 1;
}
int main(void)
{
  double x[2][100] = { 0 };
  #pragma omp parallel num_threads(2)
  for (int t = 1; t <= 3; t++) {
    #pragma omp for schedule(static, 1)
    for (int i = 0; i < 2; i++)
      meet(100, 2, t, x[i]);
  }
  return x[0][99] != 3 || x[1][0] != 3;
}
END2
# shellcheck disable=SC2086
check "a kernel that waits" autotune cc gcc -O2 -fopenmp -c waits.c
# shellcheck disable=SC2086
check "its program" gcc -fopenmp waits.o $link -o waits
begun=$SECONDS
timeout 60 ./waits > out 2> err; is "waits: status" $? 0
check "waits: $((SECONDS - begun)) s" [ $((SECONDS - begun)) -le 20 ]
has "waits: $(cat err)" err 'warning: meet: default: '
autotune why meet > why; has "waits, why: $(cat why)" why 'its last call ran the default: '

# The second kernel comes while the first one's winner is being checked again.
cat > two.c << 'END2'
#define WAY 0
#pragma autotune kernel param(WAY: 0, 1) inout(x[0:n]) search(budget: 4s)
void first(int n, double *x)
{
  for (volatile int again = WAY; again < 1000; again += 1 + 999 * WAY)
    for (int i = 0; i < n; i++)
      x[i] = i;
}
#pragma autotune kernel param(WAY: 0, 1) inout(x[0:n]) search(budget: 4s)
void second(int n, double *x)
{
  for (volatile int again = WAY; again < 900; again += 1 + 899 * WAY)
    for (int i = 0; i < n; i++)
      x[i] = i;
}
int main(void)
{
  int wrong = 0;
  #pragma omp parallel num_threads(2) reduction(+ : wrong)
  {
    double x[500] = { 0 };
    for (int t = 0; t < 100; t++) {
      first(500, x);
      second(500, x);
      wrong += x[499] != 499;
    }
  }
  return wrong > 0;
}
END2
check "two kernels" autotune cc gcc -O2 -fopenmp two.c -o two
AUTOTUNE_REVERIFY=on timeout 60 ./two > out 2> err; is "two: status" $? 0
for k in first second; do
  autotune why $k > why; has "two, $k: $(cat why err)" why 'threads at once = 2 *WAY=1'
done

# Threads that share the work of a kernel must all run the same code.
cat > shares.c << 'END2'
#define WAY 0
#pragma autotune kernel param(WAY: 0, 1, 2) inout(x[0:n]) search(budget: 2s)
static void all(int n, double *x)
{
  #pragma omp for
  for (int i = 0; i < n; i++)
    x[i] += 1 + WAY - WAY;
}
static double x[1000];
int main(void)
{
  #pragma omp parallel num_threads(3)
  for (int t = 0; t < 20; t++)
    all(1000, x);
  for (int i = 0; i < 1000; i++)
    if (x[i] != 20)
      return 1;
  return 0;
}
END2
check "a kernel that shares its work" autotune cc gcc -O2 -fopenmp shares.c -o shares
timeout 60 ./shares > out 2> err; is "shares: status" $? 0
is "shares: $(cat err)" "$(grep -c 'warning: all: default: it shares its work' err)" 1
autotune why all > why; has "shares, why: $(cat why)" why 'its last call ran the default: it shares its work'

# A call by one thread comes first, and is tuned: there the barrier is not needed. The calls from the region run the
# default, which has it; in the same process and in the next one.
cat > lone.c << 'END2'
#include <stdio.h>
#define WAY 0
#pragma autotune kernel param(WAY: 0, 1) inout(x[0:n]) out(y[0:n]) search(exhaustive, budget: 5s)
static void both(int n, double *x, double *y)
{
#if WAY == 0
  #pragma omp for
  for (int i = 0; i < n; i++) {
    for (volatile int k = 0; k < 50; k++)
      ;
    x[i] += 1;
  }
#else
  #pragma omp for nowait
  for (int i = 0; i < n; i++)
    x[i] += 1;
#endif
  #pragma omp for
  for (int i = 0; i < n; i++)
    y[i] = x[n - 1 - i];
}
enum { N = 20000, TURNS = 100 };
static double x[N], y[N];
int main(void)
{
  int wrong = 0;
  for (int i = 0; i < N; i++)
    x[i] = i;
  for (int t = 0; t < TURNS; t++) {
    both(N, x, y); /* by one thread */
    for (int threads = 2; threads < 5; threads += 2) {
      #pragma omp parallel num_threads(threads)
      both(N, x, y);
      for (int i = 0; i < N; i++)
        wrong += y[i] != x[N - 1 - i];
    }
  }
  for (int i = 0; i < N; i++)
    wrong += x[i] != i + 3 * TURNS;
  printf("%d wrong\n", wrong);
  return wrong > 0;
}
END2
for cc in $compilers; do
  export AUTOTUNE_CACHE=$work/cache.lone.$cc
  check "lone, $cc" autotune cc $cc -O2 -fopenmp lone.c -o lone
  timeout 60 ./lone > out 2> err; is "lone, $cc: status, $(cat out err)" $? 0
  is "lone, $cc: $(cat err)" "$(grep -c 'warning: both: default: it shares its work' err)" 1
  autotune why both > why; has "lone, $cc, why: $(cat why)" why 'n = 20000 *WAY=1'
  has "lone, $cc, why: $(cat why)" why 'n = 20000, threads at once = 2 *the default'
  has "lone, $cc, why: $(cat why)" why 'its last call ran the default: it shares its work'
  timeout 60 ./lone > out 2> err; is "lone, $cc, again: status, $(cat out err)" $? 0
done
export AUTOTUNE_CACHE=$work/cache

# What stands in a region of the kernel's own is for the threads of that region.
cat > own.c << 'END2'
#include <omp.h>
#define WAY 0
#pragma autotune kernel param(WAY: 0, 1) inout(x[0:n]) search(exhaustive, budget: 5s)
static void own(int n, double *x)
{
  #pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num(), all = omp_get_num_threads();
#if WAY == 0
    for (volatile int again = 0; again < 20000; again++)
      ;
#endif
    #pragma omp barrier
    for (int i = me; i < n; i += all)
      x[i] += 1;
  }
}
int main(void)
{
  int wrong = 0;
  #pragma omp parallel num_threads(3) reduction(+ : wrong)
  {
    double x[1000];
    for (int i = 0; i < 1000; i++)
      x[i] = i;
    for (int t = 0; t < 20; t++)
      own(1000, x);
    for (int i = 0; i < 1000; i++)
      wrong += x[i] != i + 20;
  }
  return wrong > 0;
}
END2
check "a kernel with a region" autotune cc gcc -O2 -fopenmp own.c -o own
timeout 60 ./own > out 2> err; is "own: status, $(cat err)" $? 0
autotune why own > why; has "own, why: $(cat why)" why 'threads at once = 3 *WAY=1'
finish
