/* SPDX-License-Identifier: Apache-2.0 */
/* mbarrier.c: barriers beyond __syncthreads: mbarriers in shared memory, named barriers
 * of a block (bar.sync ID, COUNT), the barrier of a cluster.
 *
 * An mbarrier's phase ends when no arrival and no byte is missing. A thread that waits
 * for one also makes the copies arrive that the mbarrier expects (bulk.c). */
#include <stdlib.h>
#include <string.h>

#include "block.h"

enum { NO_BYTES = 1 << 20, MOST = (1 << 20) - 1, MARK = 2 };

struct mbarrier {                       /* 8 bytes of shared memory */
  uint64_t missing : 20, expected : 20; /* arrivals */
  uint64_t bytes : 21;                  /* NO_BYTES more than are missing */
  uint64_t phase : 1;
  uint64_t mark : 2; /* MARK: it was initialised */
};
_Static_assert(sizeof(struct mbarrier) == 8, "as CUDA's");

static struct {
  struct mbarrier **of; /* those that blocks have initialised */
  unsigned n, room;
} all;

static struct mbarrier *mbarrier_checked(struct mbarrier *m) {
  if (m->mark != MARK)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED, "there is no initialised mbarrier");
  return m;
}
/* Returns the running block's mbarrier at AT. */
static struct mbarrier *mbarrier_own(unsigned at) {
  return mbarrier_checked(
      shared_own(at, sizeof(struct mbarrier), sizeof(struct mbarrier)));
}

EXPORT void autotune_emulate_mbarrier_init(unsigned at, unsigned count) {
  struct mbarrier *m = shared_own(at, sizeof *m, sizeof *m);
  if (!count || count > MOST)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED, "an mbarrier of no arrivals, or of too many");
  if (all.n == all.room) {
    unsigned room = all.room ? 2 * all.room : 64;
    struct mbarrier **more = realloc(all.of, room * sizeof(struct mbarrier *));
    if (!more)
      launch_abort(CUDA_ERROR_LAUNCH_FAILED, "out of memory of the host");
    all.of = more;
    all.room = room;
  }
  all.of[all.n++] = m;
  *m = (struct mbarrier){
    .missing = count, .expected = count, .bytes = NO_BYTES, .mark = MARK
  };
}

void mbarrier_end(void) {
  while (all.n)
    memset(all.of[--all.n], 0, sizeof(struct mbarrier));
}

static void mbarrier_settle(struct mbarrier *m) {
  if (m->missing || m->bytes != NO_BYTES)
    return;
  m->phase ^= 1;
  m->missing = m->expected;
}

static void mbarrier_expect(struct mbarrier *m, unsigned bytes) {
  if (bytes > MOST || m->bytes + bytes > NO_BYTES + MOST)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED, "an mbarrier expects too many bytes");
  m->bytes += bytes;
}

EXPORT void autotune_emulate_mbarrier_expect(unsigned at, unsigned bytes) {
  mbarrier_expect(mbarrier_own(at), bytes);
}

/* Only an arrival without bytes may be at another block's mbarrier. PTX has the one with
 * bytes for the cluster too; hopper.h has it for the own block. */
EXPORT void autotune_emulate_mbarrier_arrive(unsigned at, unsigned bytes) {
  struct mbarrier *m = bytes
      ? mbarrier_own(at)
      : mbarrier_checked(shared_at(at, sizeof(struct mbarrier), sizeof(struct mbarrier)));
  if (!m->missing)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED,
                 "an mbarrier gets more arrivals than it expects");
  mbarrier_expect(m, bytes);
  m->missing--;
  mbarrier_settle(m);
}

void mbarrier_complete(void *p, unsigned bytes) {
  struct mbarrier *m = p;
  if (m->mark != MARK || bytes > m->bytes)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED, "bytes arrive at no initialised mbarrier");
  m->bytes -= bytes;
  mbarrier_settle(m);
}

/* True if the phase with the parity VALUE of the mbarrier ON is over. */
static bool mbarrier_passed(const struct thread *t) {
  const struct mbarrier *m = t->on;
  while (m->phase == t->value)
    if (!bulk_arrive(m))
      return false;
  return true;
}

EXPORT void autotune_emulate_mbarrier_wait(unsigned at, unsigned parity) {
  thread_wait(mbarrier_passed, mbarrier_own(at), parity & 1);
}

EXPORT int autotune_emulate_mbarrier_try(unsigned at, unsigned parity) {
  struct thread *me = thread_now();
  me->on = mbarrier_own(at);
  me->value = parity & 1;
  if (mbarrier_passed(me))
    return 1;
  block_leave(); /* it stays READY: its loop asks again */
  return 0;
}

/* ---- named barriers -------------------------------------------------------------- */

static bool named_passed(const struct thread *t) {
  return ((const struct named *)t->on)->times != t->value;
}

EXPORT void autotune_emulate_named(unsigned id, unsigned threads, int wait) {
  if (!id)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED,
                 "named barrier 0, which __syncthreads has already");
  if (id >= NAMED_BARRIERS || !threads || threads % WARP)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED, "there is no such named barrier");
  struct named *n = &block_now()->named[id];
  if (n->arrived && n->count != threads)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED,
                 "a named barrier of different numbers of threads");
  unsigned times = n->times;
  n->count = threads;
  if (++n->arrived == threads) {
    n->arrived = 0;
    n->times++;
  }
  if (wait)
    thread_wait(named_passed, n, times);
}

/* ---- clusters -------------------------------------------------------------------- */

static bool cluster_passed(const struct thread *t) {
  return b.cluster_times != t->value;
}

EXPORT void autotune_emulate_cluster_arrive(void) {
  thread_now()->cluster_times = b.cluster_times;
  b.cluster_arrived++;
  cluster_settle();
}

void cluster_settle(void) {
  if (b.cluster_arrived < b.left || !b.cluster_arrived)
    return;
  b.cluster_arrived = 0;
  b.cluster_times++;
}

EXPORT void autotune_emulate_cluster_wait(void) {
  thread_wait(cluster_passed, NULL, thread_now()->cluster_times);
}

EXPORT unsigned autotune_emulate_cluster_rank(void) {
  return thread_now()->block;
}

EXPORT unsigned autotune_emulate_peer(unsigned at, unsigned rank) {
  if (at >> 24 || rank >= b.n_blocks)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED, "the cluster has no such block");
  return at | (rank + 1) << 24;
}

EXPORT void *autotune_emulate_shared_pointer(unsigned at) {
  return shared_at(at, 0, 1);
}
