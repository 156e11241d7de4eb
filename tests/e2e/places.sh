#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# C2 and C3: first calls from inside parallel regions and tasks, constructors, small stacks, libraries that
# come and go while others call, exit while another thread tunes, and the program's own forks before, during and
# after a first call. Each must end by itself within its watchdog, with the right answer.
set -u
build=$(cd "$1" && pwd)
command -v pgrep > /dev/null || { echo "skipped: pgrep is not here to look for what is left"; exit 77; }
PATH=$build/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset AUTOTUNE_MODE AUTOTUNE_SEARCH
export AUTOTUNE_BUDGET=1s LC_ALL=C
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
failed=0

fail() { echo "FAILED: $*"; failed=1; }
# NAME: runs twice, tuning and tuned; each begins with a store of its own
run() {
  export AUTOTUNE_CACHE=$work/cache-$1
  for pass in first second; do
    timeout -k 5 60 "$work/$1" > "$1.out" 2> "$1.err" || { fail "$1, $pass: status $?"; cat "$1.err"; }
    grep -q '^right$' "$1.out" || fail "$1, $pass: wrong answer"
  done
  for wait in 1 2 3 4 5 6 7 8; do
    pgrep -f "^$work/$1" > /dev/null || return
    sleep 0.5
  done
  fail "$1: left processes behind"
}

cat > kernel.h << 'END'
#include <stdio.h>
#include <stdlib.h>
#define STEP 1
#pragma autotune kernel param(STEP: 1, 2, 4) inout(x[0:n])
static long sum(int n, double *x)
{
  long s = 0;
  for (int i = 0; i < n; i += STEP)
    for (int j = i; j < n && j < i + STEP; j++)
      s += (long)(x[j] = (double)j);
  return s;
}
static int right(int n)
{
  double *x = calloc((size_t)n, sizeof *x);
  long s = sum(n, x);
  int fine = s == (long)n * (n - 1) / 2 && x[n - 1] == n - 1;
  free(x);
  return fine;
}
END

cat > parallel.c << 'END'
#include "kernel.h"
int main(void)
{
  int wrong = 0;
  #pragma omp parallel for num_threads(4) reduction(+ : wrong)
  for (int i = 0; i < 64; i++)
    wrong += !right(1000 + i % 3);
  #pragma omp parallel num_threads(4)
  #pragma omp single
  for (int i = 0; i < 64; i++) {
    #pragma omp task shared(wrong)
    if (!right(2000 + i % 3)) {
      #pragma omp atomic
      wrong++;
    }
  }
  puts(wrong || !right(3000) ? "wrong" : "right");
  return 0;
}
END
cat > constructor.c << 'END'
#include "kernel.h"
static int early;
__attribute__((constructor)) static void begin(void) { early = right(1000); }
__attribute__((destructor)) static void end(void) { puts(early && right(1000) ? "right" : "wrong"); }
int main(void) { return 0; }
END
# A program whose invalid operations raise a signal: neither the runtime nor a compiler may raise it.
cat > traps.c << 'END'
#include "kernel.h"
int main(void)
{
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~0x680u) | 0x4000); /* feenableexcept, FE_UPWARD */
  int fine = right(1000) && right(1000) && (__builtin_ia32_stmxcsr() & 0x6680) == 0x4000;
#else
  int fine = right(1000);
#endif
  puts(fine ? "right" : "wrong");
  return 0;
}
END
cat > library.c << 'END'
#include "kernel.h"
__attribute__((visibility("default"))) int library_right(int n) { return right(n); }
END
cat > loading.c << 'END'
#include <dlfcn.h>
#include <pthread.h>
#include "kernel.h"
static void *other(void *p) { return right(1500) && right(1000) ? p : NULL; }
int main(void)
{
  int wrong = 0;
  pthread_t t[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&t[i], NULL, other, &wrong);
  for (int i = 0; i < 30; i++) {
    void *h = dlopen("./library.so", RTLD_NOW);
    int (*f)(int) = h ? (int (*)(int))dlsym(h, "library_right") : NULL;
    wrong += !f || !f(1000 + i % 2);
    if (h)
      dlclose(h);
  }
  for (int i = 0; i < 4; i++) {
    void *fine;
    pthread_join(t[i], &fine);
    wrong += !fine;
  }
  puts(wrong ? "wrong" : "right");
  return 0;
}
END
cat > leaving.c << 'END'
#include <pthread.h>
#include <unistd.h>
#include "kernel.h"
static void *other(void *p) { right(1000); return p; }
int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, other, NULL);
  usleep(100000); // it tunes by now
  puts("right");
  exit(0);
}
END
cat > forks.c << 'END'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kernel.h"
static int forked(int calls) // 1: the child ended well
{
  pid_t pid = fork();
  int status = 1;
  if (pid == 0)
    _exit(calls ? !right(1000) : 0);
  return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}
static void *first(void *p) { return right(1000) ? p : NULL; }
int main(void)
{
  int wrong = 0;
  pthread_t t;
  void *fine;
  for (int i = 0; i < 300; i++) // before
    wrong += !forked(0);
  pthread_create(&t, NULL, first, &wrong);
  for (int i = 0; i < 300; i++) { // during
    wrong += !forked(i % 100 == 99);
    usleep(1000);
  }
  pthread_join(t, &fine);
  for (int i = 0; i < 400; i++) // after
    wrong += !forked(1);
  puts(wrong || !fine ? "wrong" : "right");
  return 0;
}
END
cat > stacks.c << 'END'
// First calls on the least stack that a thread may have, with a page behind it that must not be touched, and on
// one that no thread knows of. The best variant needs more than that, so it may not win.
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#define ROOM 0
#define STEP 1
#pragma autotune kernel param(ROOM: 0, 1) param(STEP: 1, 2) key(n) constant() out(x[0:n])
static void fill(int n, double *x)
{
#if ROOM
  volatile char room[100000];
  room[n] = 1;
  for (int i = 0; i < n; i++)
    x[i] = i * room[n];
#else
  for (volatile int i = 0; i < n * STEP; i++)
    x[i / STEP] = i / STEP;
#endif
}
static double x[20000];
static ucontext_t there, back;
static void *first(void *n) { fill(*(int *)n, x); return n; }
static void routine(void) { fill(20000, x); }
static char *stack(size_t size)
{
  char *p = mmap(NULL, size + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(p + 4096, size, PROT_READ | PROT_WRITE);
  return p + 4096;
}
int main(void)
{
  int n = 10000, wrong = 0;
  pthread_t t;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack(PTHREAD_STACK_MIN), PTHREAD_STACK_MIN);
  for (int calls = 0; calls < 2; calls++)
    wrong += pthread_create(&t, &attributes, first, &n) || pthread_join(t, NULL) || x[n - 1] != n - 1;
  getcontext(&there);
  there.uc_stack.ss_sp = stack(32768);
  there.uc_stack.ss_size = 32768;
  there.uc_link = &back;
  makecontext(&there, routine, 0);
  swapcontext(&back, &there);
  puts(wrong || x[19999] != 19999 ? "wrong" : "right");
  return 0;
}
END

cc="autotune cc gcc -O1 -pthread"
$cc -fopenmp parallel.c -o parallel && $cc constructor.c -o constructor &&
  $cc -shared -fPIC library.c -o library.so && $cc loading.c -o loading -ldl &&
  $cc leaving.c -o leaving && $cc forks.c -o forks && $cc stacks.c -o stacks && $cc traps.c -o traps || { echo "FAILED: build"; exit 1; }
for program in parallel constructor loading leaving forks traps; do
  run $program
  # All threads but the one that leaves early must have reached the tuning, or nothing was tested.
  [ $program = leaving ] || autotune report > report.out || fail "$program: nothing was tuned"
  [ $program != traps ] || ! grep -q "ended unexpectedly" traps.err || fail "traps: a signal in the tuner"
done

if nm -D "$build/lib/libautotune.so" | grep -q 'U __asan_init'; then
  echo "left out: a sanitizer needs more stack than a thread may have"
else
  for mode in background first; do
    rm -rf cache-stacks
    AUTOTUNE_MODE=$mode run stacks
  done
  AUTOTUNE_CAPTURE=$work/calls AUTOTUNE_MODE=off run stacks
  autotune report --json > report.json
  grep -q SIGSEGV report.json || fail "stacks: no variant was too large"
fi
exit $failed
