/* SPDX-License-Identifier: Apache-2.0 */
/* block.c: the blocks of a grid, one by one; the threads of a block, each a fibre that
 * runs until it has to wait for others.
 *
 *   ready ──► runs ──► done
 *     ▲        │ __syncthreads · __shfl_sync, … · __activemask
 *     └── waits at the block · at the warp · at a place
 *
 * The last thread that arrives wakes the others. If no thread can run and not all have
 * returned, the launch fails; on a GPU that is undefined. */
#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "emulator.h"

enum { STACK = 128 << 10, GUARD = 4 << 10 };
enum { CANARY = 0xa5 };

enum progress { FRESH, READY, AT_BLOCK, AT_WARP, AT_PLACE, DONE };
typedef void act_fn(void *const *args, unsigned who);

struct pending { /* a copy by cp.async */
  void *to;
  const void *from;
  unsigned bytes, zero, group;
};
struct thread {
  enum progress progress;
  void *sp;
  unsigned stack; /* index of its stack */
  struct extent index;
  act_fn *act; /* AT_BLOCK, AT_WARP */
  void *arg;
  unsigned
      mask; /* AT_WARP: the lanes to wait for; after AT_PLACE: the lanes that are there */
  const void *place; /* AT_PLACE */
  struct pending *pending;
  unsigned n_pending, room, groups;
};

/* kernels do not write them: the toolkit's headers declare them const */
EXPORT struct extent threadIdx, blockIdx, blockDim, gridDim;

/* Only the device thread uses this. */
static struct {
  struct thread threads[MAX_THREADS];
  unsigned n, left, now, waiting; /* all threads; those that have not returned; the
                                     running one; those AT_BLOCK */
  void *sp;                       /* stack pointer of the scheduler */
  char *stacks;
  unsigned free_stacks[MAX_THREADS], n_free;
  const struct grid *grid;
  sigjmp_buf end;
  CUresult error;
} b;
char launch_reason[256];

/* ---- shared memory --------------------------------------------------------------- */

static unsigned char *shared_reserve(void) {
  size_t size = (SHARED_BLOCK + GUARD - 1) / GUARD * GUARD;
  void *p = mmap(NULL, size + GUARD, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}
EXPORT unsigned char *autotune_emulate_shared_place;
extern unsigned char *const autotune_emulate_shared
    __attribute__((alias("autotune_emulate_shared_place"), visibility("default")));

__attribute__((constructor)) static void shared_place(void) {
  autotune_emulate_shared_place = shared_reserve();
}

static size_t shared_pages(size_t bytes) {
  return (bytes + GUARD - 1) / GUARD * GUARD;
}

/* Makes the pages of the BYTES that the launch requested accessible, and no others. Fills
 * the rest of the last page with a canary, which shared_check compares. */
static void shared_open(size_t bytes) {
  size_t pages = shared_pages(bytes);
  if (pages)
    mprotect(autotune_emulate_shared_place, pages, PROT_READ | PROT_WRITE);
  mprotect(autotune_emulate_shared_place + pages,
           shared_pages(SHARED_BLOCK) + GUARD - pages, PROT_NONE);
  if (pages > bytes)
    memset(autotune_emulate_shared_place + bytes, CANARY, pages - bytes);
}
static void shared_check(size_t bytes) {
  for (size_t i = bytes; i < shared_pages(bytes); i++)
    if (autotune_emulate_shared_place[i] != CANARY)
      launch_abort(CUDA_ERROR_ILLEGAL_ADDRESS,
                   "a write beyond the dynamic shared memory");
}

/* ---- fibres ---------------------------------------------------------------------- */

static bool stacks_make(void) {
  if (b.stacks)
    return true;
  size_t one = STACK + GUARD;
  void *p = mmap(NULL, one * MAX_THREADS, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (p == MAP_FAILED)
    return false;
  b.stacks = p;
  for (unsigned i = 0; i < MAX_THREADS; i++)
    mprotect(b.stacks + i * one, GUARD, PROT_NONE);
  return true;
}

/* Switches to the scheduler, which resumes this thread later. */
static void block_leave(void) {
  fibre_switch(&b.threads[b.now].sp, b.sp);
}

static void settle_done(void);
static void block_copies_do(struct thread *me, unsigned until);

/* Ends the running thread of the block: its fibre is not resumed. */
static _Noreturn void thread_end(void) {
  block_copies_do(&b.threads[b.now], UINT_MAX);
  b.threads[b.now].progress = DONE;
  b.left--;
  settle_done();
  block_leave();
  __builtin_unreachable();
}

static void thread_main(void) {
  b.grid->call(b.grid->fn, b.grid->args);
  thread_end();
}

EXPORT void autotune_emulate_exit(void) {
  thread_end();
}

static void thread_run(unsigned t) {
  struct thread *me = &b.threads[t];
  if (me->progress == FRESH) {
    me->stack = b.free_stacks[--b.n_free];
    me->sp =
        fibre_prepare(b.stacks + (me->stack + 1) * (size_t)(STACK + GUARD), thread_main);
    me->progress = READY;
  }
  b.now = t;
  threadIdx = me->index;
  fibre_switch(&b.sp, me->sp);
  if (me->progress == DONE)
    b.free_stacks[b.n_free++] = me->stack;
}

/* ---- waiting --------------------------------------------------------------------- */

/* Ends the wait at the block's barrier if all threads that have not returned wait there.
 * False: some do not wait yet. */
static bool block_complete(void) {
  static void *args[MAX_THREADS];
  unsigned n = 0;
  act_fn *act = NULL;
  if (b.waiting != b.left)
    return false;
  for (unsigned t = 0; t < b.n; t++) {
    struct thread *o = &b.threads[t];
    if (o->progress == DONE)
      continue;
    if (n && o->act != act)
      launch_abort(CUDA_ERROR_LAUNCH_FAILED,
                   "threads of a block wait at different barriers");
    act = o->act;
    args[n++] = o->arg;
  }
  if (act)
    act(args, n);
  b.waiting = 0;
  for (unsigned t = 0; t < b.n; t++)
    if (b.threads[t].progress == AT_BLOCK)
      b.threads[t].progress = READY;
  return true;
}

/* The same for the threads that wait with thread T of a warp. */
static bool warp_complete(unsigned t) {
  struct thread *warp = &b.threads[t & ~(WARP - 1u)], *me = &b.threads[t];
  unsigned lanes = 0, n = b.n - (t & ~(WARP - 1u));
  void *args[WARP] = { NULL };
  for (unsigned l = 0; l < WARP && l < n; l++) {
    if (!(me->mask >> l & 1) || warp[l].progress == DONE)
      continue;
    if (warp[l].progress != AT_WARP || warp[l].mask != me->mask || warp[l].act != me->act)
      return false;
    lanes |= 1u << l;
    args[l] = warp[l].arg;
  }
  if (me->act)
    me->act(args, lanes);
  for (unsigned l = 0; l < WARP; l++)
    if (lanes >> l & 1)
      warp[l].progress = READY;
  return true;
}

/* Ends the waits for which the returned thread was the last one missing. */
static void settle_done(void) {
  unsigned first = b.now & ~(WARP - 1u);
  for (unsigned t = first; t < first + WARP && t < b.n; t++)
    if (b.threads[t].progress == AT_WARP)
      warp_complete(t);
  if (b.left)
    block_complete();
}

/* Resumes, when no thread can run, the threads of each warp that wait at the same place.
 * False: there are none. */
static bool settle_places(void) {
  bool any = false;
  for (unsigned first = 0; first < b.n; first += WARP) {
    struct thread *warp = &b.threads[first];
    unsigned n = b.n - first < WARP ? b.n - first : WARP, mask = 0;
    const void *place = NULL;
    for (unsigned l = 0; l < n; l++)
      if (warp[l].progress == AT_PLACE && (!place || warp[l].place == place)) {
        place = warp[l].place;
        mask |= 1u << l;
      }
    for (unsigned l = 0; l < n; l++)
      if (mask >> l & 1) {
        warp[l].mask = mask;
        warp[l].progress = READY;
        any = true;
      }
  }
  return any;
}

EXPORT void autotune_emulate_block(act_fn *act, void *arg) {
  struct thread *me = &b.threads[b.now];
  me->progress = AT_BLOCK;
  me->act = act;
  me->arg = arg;
  b.waiting++;
  if (!block_complete())
    block_leave();
}

EXPORT void autotune_emulate_warp(unsigned mask, act_fn *act, void *arg) {
  struct thread *me = &b.threads[b.now];
  if (!(mask >> b.now % WARP & 1))
    launch_abort(CUDA_ERROR_LAUNCH_FAILED, "a lane is not in the mask that it gives");
  me->progress = AT_WARP;
  me->mask = mask;
  me->act = act;
  me->arg = arg;
  if (!warp_complete(b.now))
    block_leave();
}

EXPORT unsigned autotune_emulate_active(void) {
  struct thread *me = &b.threads[b.now];
  me->progress = AT_PLACE;
  me->place = __builtin_return_address(0);
  block_leave();
  return me->mask;
}

EXPORT unsigned autotune_emulate_rank(void) {
  return b.now;
}

EXPORT void autotune_emulate_yield(void) {
  if (b.left > 1)
    block_leave();
}

EXPORT long long autotune_emulate_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* ---- cp.async -------------------------------------------------------------------- */

EXPORT void autotune_emulate_copy(void *to, const void *from, unsigned bytes,
                                  unsigned zero) {
  struct thread *me = &b.threads[b.now];
  if (me->n_pending == me->room) {
    unsigned room = me->room ? 2 * me->room : 16;
    struct pending *more = realloc(me->pending, room * sizeof *more);
    if (!more)
      launch_abort(CUDA_ERROR_LAUNCH_FAILED, "out of memory of the host");
    me->pending = more;
    me->room = room;
  }
  me->pending[me->n_pending++] = (struct pending){ to, from, bytes, zero, me->groups };
}

EXPORT void autotune_emulate_commit(void) {
  b.threads[b.now].groups++;
}

/* Performs the pending copies of the first UNTIL groups. */
static void block_copies_do(struct thread *me, unsigned until) {
  unsigned kept = 0;
  for (unsigned i = 0; i < me->n_pending; i++) {
    struct pending *p = &me->pending[i];
    if (p->group >= until) {
      me->pending[kept++] = *p;
      continue;
    }
    memcpy(p->to, p->from, p->bytes);
    memset((char *)p->to + p->bytes, 0, p->zero);
  }
  me->n_pending = kept;
}

EXPORT void autotune_emulate_wait(unsigned groups_left) {
  struct thread *me = &b.threads[b.now];
  block_copies_do(me, me->groups > groups_left ? me->groups - groups_left : 0);
}

/* ---- the end of a launch --------------------------------------------------------- */

_Noreturn void launch_abort(CUresult error, const char *reason) {
  b.error = error;
  snprintf(launch_reason, sizeof launch_reason, "%s", reason);
  siglongjmp(b.end, 1);
}

EXPORT void autotune_emulate_trap(void) {
  launch_abort(CUDA_ERROR_LAUNCH_FAILED, "__trap()");
}

EXPORT void autotune_emulate_assert(const char *text, const char *file, unsigned line,
                                    const char *function) {
  char reason[400];
  snprintf(
      reason, sizeof reason,
      "%.100s:%u: %.60s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%.60s` failed.",
      file, line, function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
      threadIdx.z, text);
  fprintf(stderr, "%s\n", reason);
  launch_abort(CUDA_ERROR_ASSERT, reason);
}

/* Fails an assertion in a function that kernels and the host share. On the host it ends
 * the program, as assert does. */
EXPORT void autotune_emulate_failed(const char *text, const char *file, unsigned line,
                                    const char *function) {
  if (signals_in_kernel())
    autotune_emulate_assert(text, file, line, function);
  fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, text);
  abort();
}

/* ---- grids ----------------------------------------------------------------------- */

static void block_begin(const struct grid *g) {
  struct extent i = { 0, 0, 0 };
  b.left = b.n;
  b.waiting = 0;
  b.n_free = 0;
  for (unsigned s = b.n; s-- > 0;)
    b.free_stacks[b.n_free++] = s;
  for (unsigned t = 0; t < b.n; t++) {
    struct thread *me = &b.threads[t];
    me->progress = FRESH;
    me->index = i;
    me->n_pending = me->groups = 0;
    if (++i.x == g->block.x) {
      i.x = 0;
      if (++i.y == g->block.y) {
        i.y = 0;
        i.z++;
      }
    }
  }
}

static void block_run(const struct grid *g) {
  block_begin(g);
  while (b.left) {
    bool ran = false;
    for (unsigned t = 0; t < b.n; t++)
      if (b.threads[t].progress <= READY) {
        thread_run(t);
        ran = true;
      }
    if (!ran && !settle_places())
      launch_abort(CUDA_ERROR_LAUNCH_FAILED, "threads wait for others that never come");
  }
  shared_check(g->shared);
}

CUresult grid_run(const struct grid *g) {
  b.grid = g;
  b.error = CUDA_SUCCESS;
  b.n = g->block.x * g->block.y * g->block.z;
  launch_reason[0] = 0;
  if (!stacks_make() || !autotune_emulate_shared_place)
    return CUDA_ERROR_OUT_OF_MEMORY;
  shared_open(g->shared);
  blockDim = g->block;
  gridDim = g->grid;
  if (sigsetjmp(b.end, 1)) {
    signals_limit(0);
    if (settings_get()->verbose)
      fprintf(stderr, "autotune-emulate: %s: block (%u,%u,%u), thread (%u,%u,%u): %s\n",
              g->name ? g->name : "a kernel", blockIdx.x, blockIdx.y, blockIdx.z,
              threadIdx.x, threadIdx.y, threadIdx.z, launch_reason);
    return b.error;
  }
  signals_limit(settings_get()->timeout);
  for (unsigned z = 0; z < g->grid.z; z++)
    for (unsigned y = 0; y < g->grid.y; y++)
      for (unsigned x = 0; x < g->grid.x; x++) {
        blockIdx = (struct extent){ x, y, z };
        block_run(g);
      }
  signals_limit(0);
  return CUDA_SUCCESS;
}
