// SPDX-License-Identifier: Apache-2.0
// stack.c: runs the first call's work on a large enough stack. A thread of the program
// may have 16 KiB of stack, or run on one that it made itself. SQLite needs more, and
// so do the tuner and the sandbox, which are forks of that thread. They get a separate
// stack in the same thread, which so keeps its thread-local variables, its device and
// its number of OpenMP threads.
//
// A trial there would have more room than the variant has in the program. Therefore a
// worker limits the run that it checks to the caller's room: a variant that needs more
// crashes there and never wins.
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/tsan.h"
#include "sandbox.h"
#include "stack.h"

static const size_t enough = 256 << 10, least = 8 << 20, most = 1 << 30;

static _Thread_local struct {
  char *base;  // of a stack of ours; NULL: the thread is on the program's
  size_t left; // bytes that were left there
} now;

// ---- what there is ------------------------------------------------------------------

// Returns the thread's stack; size 0: not known.
static struct range stack_of_thread(void) {
  pthread_attr_t attributes;
  void *low = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return (struct range){ 0 };
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return (struct range){ .base = low, .size = size };
}

static bool stack_holds(const struct range *stack, const char *here) {
  return here >= stack->base && here < stack->base + stack->size;
}

// True in the thread that the process began with, whose stack may grow by a limit.
static bool stack_is_first(void) {
  static _Thread_local signed char first; // 0: not known; in a fork another thread's
  if (!first)
    first = getpid() == (pid_t)syscall(SYS_gettid) ? 1 : -1;
  return first > 0;
}

// Returns the first thread's stack where nothing else can lie in it: below a stack that
// may grow by its limit nothing is mapped within 128 MiB (mmap_base in Linux). The path
// of the program is at its top. Saves a reading of /proc/self/maps.
static struct range stack_of_first(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), small = 64 << 20;
  const char *path = (const char *)getauxval(AT_EXECFN);
  struct rlimit limit;
  if (!path || !stack_is_first() || getrlimit(RLIMIT_STACK, &limit) != 0 ||
      limit.rlim_cur > small)
    return (struct range){ 0 };
  uintptr_t top = ((uintptr_t)path + strlen(path) + page) & ~(page - 1);
  size_t size = (size_t)limit.rlim_cur & ~(page - 1);
  return (struct range){ .base = (char *)(top - size), .size = size };
}

// Returns the bytes that are left below this frame. The thread's stack is kept: to find
// that of the main thread, /proc/self/maps is read, and a first call asks three times.
static size_t left_here(void) {
  static _Thread_local struct range kept;
  char *here = __builtin_frame_address(0);
  bool heap;
  if (!kept.size)
    kept = stack_of_first();
  if (!kept.size)
    kept = stack_of_thread();
  struct range own = kept;
  if (own.size && !stack_holds(&own, here))
    own = sandbox_mapping(here, &heap); // such as a coroutine's
  return own.size ? (size_t)(here - own.base) : enough;
}

static size_t stack_left(void) {
  return now.base ? now.left : left_here();
}

// ---- another stack ------------------------------------------------------------------

static char *cpu_stack_map(size_t size) {
  if (sys_fails(SYS_MMAP))
    return NULL;
  char *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  return base == MAP_FAILED ? NULL : base;
}

bool stack_map(struct stack *s) {
  size_t left = stack_left() & ~(size_t)0xffff;
  s->size = left < least ? least : left < most ? left : most;
  s->base = cpu_stack_map(s->size);
  if (!s->base && s->size > least) // address space may be limited
    s->base = cpu_stack_map(s->size = least);
  if (s->base)
    mprotect(s->base, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE);
  return s->base != NULL;
}

void stack_unmap(const struct stack *s) {
  munmap(s->base, s->size);
}

void stack_enter(struct stack *s) {
  s->before = now.base;
  s->left = now.left;
  now.left = stack_left();
  now.base = s->base;
}

void stack_leave(const struct stack *s) {
  now.base = s->before;
  now.left = s->left;
}

// ---- running there ------------------------------------------------------------------

struct trip {
  void (*run)(void *data);
  void *data;
  ucontext_t there, back;
};
static _Thread_local struct trip *trip;

static void stack_travel(void) {
  trip->run(trip->data);
}

static void stack_go(struct stack *s, void (*run)(void *data), void *data) {
  struct trip t = { .run = run, .data = data };
  if (getcontext(&t.there) != 0)
    return;
  t.there.uc_stack.ss_sp = s->base;
  t.there.uc_stack.ss_size = s->size;
  t.there.uc_link = &t.back;
  makecontext(&t.there, stack_travel, 0);
  trip = &t;
  stack_enter(s);
  swapcontext(&t.back, &t.there);
  stack_leave(s);
}

// True if the main thread certainly has enough left. Saves a reading of /proc/self/maps:
// below a stack that may grow by its limit nothing else is mapped within 128 MiB, or
// within the limit if that is less (mmap_base in Linux), and this thread uses little yet.
static bool stack_is_young(void) {
#if defined(__x86_64__) && defined(__GLIBC__)
  extern void *__libc_stack_end;
  struct rlimit limit;
  const char *here = __builtin_frame_address(0), *end = __libc_stack_end;
  return here < end && stack_is_first() && (size_t)(end - here) < enough &&
      getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur >= 4 * enough;
#else
  return false;
#endif
}

bool stack_run(void (*run)(void *data), void *data) {
  struct stack s;
  int cancel;
  // Sanitizers would have to be told of other stacks, and have none of this size.
  bool here = tsan_or_asan() || now.base || stack_is_young() || left_here() >= enough;
  if (!here && !stack_map(&s))
    return false;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); // nothing unwinds through here
  if (here)
    run(data);
  else
    stack_go(&s, run, data);
  pthread_setcancelstate(cancel, NULL);
  if (!here)
    stack_unmap(&s);
  return true;
}

// ---- in a worker --------------------------------------------------------------------

void stack_confine(bool yes) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
            here = (uintptr_t)__builtin_frame_address(0);
  uintptr_t low = (uintptr_t)now.base + page, end = (here - now.left) & ~(page - 1);
  if (now.base && now.left < here && end > low)
    mprotect((void *)low, end - low, yes ? PROT_NONE : PROT_READ | PROT_WRITE);
}
