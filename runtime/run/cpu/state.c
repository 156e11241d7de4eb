// SPDX-License-Identifier: Apache-2.0
// state.c: the state of the thread and of the process that a kernel may change.
#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <xxhash.h>

#include "state.h"

enum { SIGNAL_BYTES = 8 };

static _Thread_local struct {
  bool known;
  bool threads; // the process had several
  fenv_t environment;
} program; // a process that is forked has its thread's

void state_enter(fenv_t *programs) {
  fegetenv(programs);
  program.environment = *programs;
  program.known = true;
  program.threads = !__libc_single_threaded;
  fesetenv(FE_DFL_ENV);
}

void state_leave(const fenv_t *programs) {
  fesetenv(programs);
}

void state_give(void) {
  fesetenv(program.known ? &program.environment : FE_DFL_ENV);
}

// ---- what a run left ----------------------------------------------------------------

// Reads the control bits of the floating-point unit, without the exceptions raised, and
// sets the default environment.
static void state_take_environment(struct state *s) {
  fenv_t e;
  fegetenv(&e);
#if defined(__x86_64__)
  s->control = (uint64_t)e.__control_word << 32 | (e.__mxcsr & ~0x3fu);
  s->x87 = e.__tags != 0xffff; // values on its stack, as MMX leaves them
#elif defined(__aarch64__)
  s->control = e.__fpcr;
#else
  s->control = (unsigned)fegetround();
#endif
  fesetenv(FE_DFL_ENV);
}

static int state_openmp(const char *name) {
  int (*get)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, name);
  return get ? get() : -1;
}

static void state_set_openmp(const char *name, int value) {
  void (*set)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, name);
  if (set && value >= 0)
    set(value);
}

static uint64_t state_hash(const char *text) {
  return text ? XXH3_64bits(text, strlen(text)) : 0;
}

// Returns a hash of the state of rand() and random(). initstate() writes the place in the
// sequence and the kind of table to the table that it leaves, and returns that table
// (glibc's stdlib/random_r.c). Where the program had several threads, one may have held
// the lock of these functions when this process was forked: then the hash is always 0.
static uint64_t state_random(void) {
  static const size_t bytes[] = { 8, 32, 64, 128, 256 };
  char other[8], *own = program.threads ? NULL : initstate(1, other, sizeof other);
  int32_t first = 0;
  if (!own)
    return 0;
  memcpy(&first, own, sizeof first);
  uint64_t hash = XXH3_64bits(own, bytes[(uint32_t)first % 5]);
  setstate(own);
  return hash;
}

void state_take(struct state *s) {
  char folder[4096];
  struct itimerval timer = { 0 };
  *s = (struct state){ .threads = -1, .dynamic = -1, .levels = -1 };
  state_take_environment(s);
  s->threads = state_openmp("omp_get_max_threads");
  s->dynamic = state_openmp("omp_get_dynamic");
  s->levels = state_openmp("omp_get_max_active_levels");
  pthread_sigmask(SIG_SETMASK, NULL, &s->signals);
  s->random = state_random();
  s->umask = umask(0);
  umask(s->umask);
  s->locale = state_hash(setlocale(LC_ALL, NULL));
  s->folder = state_hash(getcwd(folder, sizeof folder));
  for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++)
    s->timer |= getitimer((__itimer_which_t)which, &timer) == 0 &&
        (timer.it_value.tv_sec || timer.it_value.tv_usec);
}

void state_restore(const struct state *s, const struct state *now) {
  const struct itimerval none = { 0 };
  if (s->threads != now->threads)
    state_set_openmp("omp_set_num_threads", s->threads);
  if (s->dynamic != now->dynamic)
    state_set_openmp("omp_set_dynamic", s->dynamic);
  if (s->levels != now->levels)
    state_set_openmp("omp_set_max_active_levels", s->levels);
  umask(s->umask);
  pthread_sigmask(SIG_SETMASK, &s->signals, NULL);
  for (int which = ITIMER_REAL; which <= ITIMER_PROF && now->timer && !s->timer; which++)
    setitimer((__itimer_which_t)which, &none, NULL);
}

const char *state_difference(const struct state *a, const struct state *b) {
  return a->control != b->control ? "floating-point control (rounding, subnormal numbers)"
      : a->x87 != b->x87          ? "the x87 stack"
      : a->threads != b->threads  ? "OpenMP's number of threads"
      : a->dynamic != b->dynamic  ? "OpenMP's dynamic adjustment"
      : a->levels != b->levels    ? "OpenMP's nested parallelism"
      : a->umask != b->umask      ? "umask"
      : a->locale != b->locale    ? "locale"
      : a->folder != b->folder    ? "working folder"
      : a->timer != b->timer      ? "timers"
      : a->random != b->random    ? "the state of rand()"
      : memcmp(&a->signals, &b->signals, SIGNAL_BYTES) != 0 ? "blocked signals"
                                                            : NULL;
}
