/* SPDX-License-Identifier: Apache-2.0 */
/* block.c: the blocks of a grid, one by one; the threads of a block, each a fibre that
 * runs until it has to wait for others.
 *
 *   ready ──► runs ──► done
 *     ▲        │ __syncthreads · __shfl_sync, … · __activemask
 *     └── waits at the block · at the warp · at a place
 *
 * The last thread that arrives wakes the others. A thread may also wait until a test is
 * true, which the scheduler asks in its turn (mbarriers, named barriers, clusters). If no
 * thread can run and not all have returned, the launch fails; on a GPU that is undefined.
 *
 * The blocks of a cluster run together. The kernel says how many by a call at its
 * beginning, so the first block of a grid gets company while it runs. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "block.h"

enum { STACK = 128 << 10, GUARD = 4 << 10 };
enum { CANARY = 0xa5 };
enum { WINDOW = (SHARED_MOST + GUARD - 1) / GUARD * GUARD + GUARD }; /* of one block */

/* kernels do not write them: the toolkit's headers declare them const */
EXPORT struct extent threadIdx, blockIdx, blockDim, gridDim;

struct running b;
static struct {
  void *sp; /* stack pointer of the scheduler */
  char *stacks;
  unsigned made; /* stacks with a guard page */
  unsigned free[MAX_CLUSTER * MAX_THREADS], n_free;
  unsigned char *shared; /* MAX_CLUSTER windows */
  unsigned opened;       /* windows that the launch may use */
  sigjmp_buf end;
  CUresult error;
} s;
char launch_reason[256];

/* ---- shared memory --------------------------------------------------------------- */

EXPORT unsigned char *autotune_emulate_shared_place;
extern unsigned char *const autotune_emulate_shared
    __attribute__((alias("autotune_emulate_shared_place"), visibility("default")));

__attribute__((constructor)) static void shared_reserve(void) {
  void *p = mmap(NULL, (size_t)MAX_CLUSTER * WINDOW, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  s.shared = p == MAP_FAILED ? NULL : p;
  autotune_emulate_shared_place = s.shared;
}

static size_t shared_pages(size_t bytes) {
  return (bytes + GUARD - 1) / GUARD * GUARD;
}

/* Makes the pages of the BYTES that the launch requested accessible in block I's window,
 * and no others. Fills the rest of the last page with a canary, which shared_check
 * compares. */
static void shared_open(unsigned i, size_t bytes) {
  size_t pages = shared_pages(bytes);
  unsigned char *at = s.shared + (size_t)i * WINDOW;
  if (pages)
    mprotect(at, pages, PROT_READ | PROT_WRITE);
  mprotect(at + pages, WINDOW - pages, PROT_NONE);
  if (pages > bytes)
    memset(at + bytes, CANARY, pages - bytes);
}
static void shared_close(void) {
  if (s.opened > 1)
    mprotect(s.shared + WINDOW, (size_t)(s.opened - 1) * WINDOW, PROT_NONE);
  s.opened = 0;
}
static void shared_check(unsigned i, size_t bytes) {
  const unsigned char *at = s.shared + (size_t)i * WINDOW;
  for (size_t j = bytes; j < shared_pages(bytes); j++)
    if (at[j] != CANARY)
      launch_abort(CUDA_ERROR_ILLEGAL_ADDRESS,
                   "a write beyond the dynamic shared memory");
}

void *shared_at(unsigned at, unsigned bytes, unsigned aligned) {
  unsigned peer = at >> 24, offset = at & 0xffffff;
  const struct block *k = peer ? &b.blocks[peer - 1] : block_now();
  if (peer > b.n_blocks || offset > b.grid->shared || bytes > b.grid->shared - offset)
    launch_abort(CUDA_ERROR_ILLEGAL_ADDRESS,
                 "an address that is not in dynamic shared memory");
  if (offset % aligned)
    launch_abort(CUDA_ERROR_MISALIGNED_ADDRESS,
                 "an address in shared memory is not aligned as it must be");
  if (!k->left)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED,
                 "shared memory of a block of the cluster that has ended");
  return k->shared + offset;
}
void *shared_own(unsigned at, unsigned bytes, unsigned aligned) {
  if (at >> 24)
    launch_abort(CUDA_ERROR_ILLEGAL_ADDRESS,
                 "an address for the cluster where the block's own is needed");
  return shared_at(at, bytes, aligned);
}
void *shared_of(void *p, unsigned i) {
  size_t at = (size_t)((unsigned char *)p - s.shared);
  if (i >= b.n_blocks || !b.blocks[i].left)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED, "the cluster has no such block");
  return b.blocks[i].shared + at % WINDOW;
}

/* ---- fibres ---------------------------------------------------------------------- */

static bool stacks_reserve(void) {
  if (s.stacks)
    return true;
  void *p = mmap(NULL, (size_t)(STACK + GUARD) * MAX_CLUSTER * MAX_THREADS,
                 PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (p != MAP_FAILED)
    s.stacks = p;
  return p != MAP_FAILED;
}
/* Makes N stacks free, each with a guard page below it. */
static void stacks_free(unsigned n) {
  for (; s.made < n; s.made++)
    mprotect(s.stacks + s.made * (size_t)(STACK + GUARD), GUARD, PROT_NONE);
  s.n_free = 0;
  for (unsigned i = n; i-- > 0;)
    s.free[s.n_free++] = i;
}

void block_leave(void) {
  fibre_switch(&b.threads[b.now].sp, s.sp);
}

static void settle_done(void);

/* Ends the running thread of the block: its fibre is not resumed. */
static _Noreturn void thread_end(void) {
  copies_end();
  bulk_thread_end();
  thread_now()->progress = DONE;
  block_now()->left--;
  b.left--;
  cluster_settle();
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
    me->stack = s.free[--s.n_free];
    me->sp =
        fibre_prepare(s.stacks + (me->stack + 1) * (size_t)(STACK + GUARD), thread_main);
  }
  me->progress = READY;
  b.now = t;
  threadIdx = me->index;
  blockIdx = b.blocks[me->block].index;
  autotune_emulate_shared_place = b.blocks[me->block].shared;
  fibre_switch(&s.sp, me->sp);
  if (me->progress == DONE)
    s.free[s.n_free++] = me->stack;
}

/* ---- waiting --------------------------------------------------------------------- */

/* Ends the wait at the barrier of block K if all threads that have not returned wait
 * there. False: some do not wait yet. */
static bool block_complete(struct block *k) {
  static void *args[MAX_THREADS];
  struct thread *threads = &b.threads[(unsigned)(k - b.blocks) * b.stride];
  unsigned n = 0;
  act_fn *act = NULL;
  if (k->waiting != k->left)
    return false;
  for (unsigned t = 0; t < b.stride; t++) {
    struct thread *o = &threads[t];
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
  k->waiting = 0;
  for (unsigned t = 0; t < b.stride; t++)
    if (threads[t].progress == AT_BLOCK)
      threads[t].progress = READY;
  return true;
}

/* The same for the threads that wait with thread T of a warp. */
static bool warp_complete(unsigned t) {
  struct thread *warp = &b.threads[t & ~(WARP - 1u)], *me = &b.threads[t];
  unsigned lanes = 0;
  void *args[WARP] = { NULL };
  for (unsigned l = 0; l < WARP; l++) {
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
  for (unsigned t = first; t < first + WARP; t++)
    if (b.threads[t].progress == AT_WARP)
      warp_complete(t);
  if (block_now()->left)
    block_complete(block_now());
}

/* Resumes, when no thread can run, the threads of each warp that wait at the same place.
 * False: there are none. */
static bool settle_places(void) {
  bool any = false;
  for (unsigned first = 0; first < b.n; first += WARP) {
    struct thread *warp = &b.threads[first];
    unsigned mask = 0;
    const void *place = NULL;
    for (unsigned l = 0; l < WARP; l++)
      if (warp[l].progress == AT_PLACE && (!place || warp[l].place == place)) {
        place = warp[l].place;
        mask |= 1u << l;
      }
    for (unsigned l = 0; l < WARP; l++)
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
  block_now()->waiting++;
  if (!block_complete(block_now()))
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
  return thread_rank();
}

void thread_wait(bool (*ready)(const struct thread *t), void *on, unsigned value) {
  struct thread *me = thread_now();
  me->ready = ready;
  me->on = on;
  me->value = value;
  if (ready(me))
    return;
  me->progress = AT_TEST;
  block_leave();
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

/* ---- the end of a launch --------------------------------------------------------- */

_Noreturn void launch_abort(CUresult error, const char *reason) {
  s.error = error;
  snprintf(launch_reason, sizeof launch_reason, "%s", reason);
  siglongjmp(s.end, 1);
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

static struct extent extent_add(struct extent a, struct extent o) {
  return (struct extent){ a.x + o.x, a.y + o.y, a.z + o.z };
}
static void extent_step(struct extent *i, struct extent size) {
  if (++i->x < size.x)
    return;
  i->x = 0;
  if (++i->y < size.y)
    return;
  i->y = 0;
  i->z++;
}

/* Adds block INDEX to those that run. */
static void block_add(struct extent index) {
  unsigned i = b.n_blocks++, first = i * b.stride;
  const struct extent size = b.grid->block;
  struct block *k = &b.blocks[i];
  *k = (struct block){ .index = index,
                       .left = size.x * size.y * size.z,
                       .shared = s.shared + (size_t)i * WINDOW };
  if (i >= s.opened) {
    shared_open(i, b.grid->shared);
    s.opened = i + 1;
  }
  struct extent at = { 0, 0, 0 };
  for (unsigned t = 0; t < b.stride; t++) {
    struct thread *me = &b.threads[first + t];
    struct pending *pending = me->pending;
    unsigned room = me->room;
    *me = (struct thread){ .progress = t < k->left ? FRESH : DONE,
                           .block = i,
                           .index = at,
                           .pending = pending,
                           .room = room };
    extent_step(&at, size);
  }
  b.left += k->left;
  b.n += b.stride;
}

/* Adds the other blocks of the cluster to the first one. */
static void cluster_fill(void) {
  struct extent at = { 0, 0, 0 };
  unsigned blocks = b.cluster.x * b.cluster.y * b.cluster.z;
  for (unsigned i = 1; i < blocks; i++) {
    extent_step(&at, b.cluster);
    block_add(extent_add(b.blocks[0].index, at));
  }
}

EXPORT void autotune_emulate_cluster(unsigned x, unsigned y, unsigned z) {
  const struct extent g = b.grid->grid;
  if (b.cluster.x) {
    if (x != b.cluster.x || y != b.cluster.y || z != b.cluster.z)
      launch_abort(CUDA_ERROR_LAUNCH_FAILED, "the cluster has another size already");
    return;
  }
  if (x == 1 && y == 1 && z == 1)
    return;
  if (settings_get()->cc < 90 || !x || !y || !z || x > MAX_CLUSTER || y > MAX_CLUSTER ||
      z > MAX_CLUSTER || x * y * z > MAX_CLUSTER || g.x % x || g.y % y || g.z % z)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED,
                 "the grid cannot be divided into clusters of this size");
  if (s.n_free != b.stride - 1)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED,
                 "a cluster must begin before its threads wait");
  b.cluster = (struct extent){ x, y, z };
  stacks_free(x * y * z * b.stride);
  s.n_free--; /* the running thread has the first one */
  cluster_fill();
}

/* Runs all threads once that can run. False: there were none. */
static bool threads_run(void) {
  bool ran = false;
  for (unsigned t = 0; t < b.n; t++) {
    struct thread *me = &b.threads[t];
    if (me->progress <= READY || (me->progress == AT_TEST && me->ready(me))) {
      thread_run(t);
      ran = true;
    }
  }
  return ran;
}

static void cluster_run(const struct grid *g, struct extent index) {
  b.n_blocks = b.n = b.left = b.cluster_arrived = 0;
  block_add(index);
  if (b.cluster.x)
    cluster_fill();
  stacks_free(b.n);
  while (b.left)
    if (!threads_run() && !settle_places())
      launch_abort(CUDA_ERROR_LAUNCH_FAILED, "threads wait for others that never come");
  for (unsigned i = 0; i < b.n_blocks; i++)
    shared_check(i, g->shared);
  bulk_end(true);
  mbarrier_end();
  wgmma_end();
}

static void grid_end(void) {
  signals_limit(0);
  autotune_emulate_shared_place = s.shared;
  bulk_end(false);
  mbarrier_end();
  wgmma_end();
  shared_close();
}

CUresult grid_run(const struct grid *g) {
  unsigned threads = g->block.x * g->block.y * g->block.z;
  b.grid = g;
  b.stride = (threads + WARP - 1) / WARP * WARP;
  b.cluster = (struct extent){ 0, 0, 0 };
  s.error = CUDA_SUCCESS;
  launch_reason[0] = 0;
  if (!stacks_reserve() || !s.shared)
    return CUDA_ERROR_OUT_OF_MEMORY;
  blockDim = g->block;
  gridDim = g->grid;
  if (sigsetjmp(s.end, 1)) {
    grid_end();
    if (settings_get()->verbose)
      fprintf(stderr, "autotune-emulate: %s: block (%u,%u,%u), thread (%u,%u,%u): %s\n",
              g->name ? g->name : "a kernel", blockIdx.x, blockIdx.y, blockIdx.z,
              threadIdx.x, threadIdx.y, threadIdx.z, launch_reason);
    return s.error;
  }
  signals_limit(settings_get()->timeout);
  for (struct extent at = { 0, 0, 0 }; at.z < g->grid.z;) {
    cluster_run(g, at);
    struct extent size = b.cluster.x ? b.cluster : (struct extent){ 1, 1, 1 };
    if ((at.x += size.x) < g->grid.x)
      continue;
    at.x = 0;
    if ((at.y += size.y) < g->grid.y)
      continue;
    at.y = 0;
    at.z += size.z;
  }
  grid_end();
  return CUDA_SUCCESS;
}
