/* SPDX-License-Identifier: Apache-2.0 */
/* block.h: the blocks that run together, and their threads, for the files that make
 * threads wait or that work on shared memory. Only the device thread uses this.
 *
 * The blocks of one cluster run together; without clusters that is one block. Thread T of
 * block I is threads[I * stride + T]; a warp is 32 of them from a multiple of 32 on. */
#ifndef AUTOTUNE_EMULATOR_BLOCK_H
#define AUTOTUNE_EMULATOR_BLOCK_H

#include "emulator.h"

enum { MAX_CLUSTER = 8, NAMED_BARRIERS = 16, WARPGROUP = 128 };

enum progress { FRESH, READY, AT_BLOCK, AT_WARP, AT_PLACE, AT_TEST, DONE };
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
  unsigned block; /* of the cluster */
  struct extent index;
  act_fn *act; /* AT_BLOCK, AT_WARP */
  void *arg;
  unsigned mask;     /* AT_WARP: the lanes to wait for; after AT_PLACE: those there */
  const void *place; /* AT_PLACE */
  bool (*ready)(const struct thread *t); /* AT_TEST: true if the thread can go on; */
  void *on;                              /* it depends on these two */
  unsigned value;
  struct pending *pending;
  unsigned n_pending, room, groups;
  unsigned bulk_groups;          /* committed groups of bulk copies */
  unsigned wgmmas, wgmma_groups; /* issued; committed groups */
  unsigned cluster_times;        /* when it arrived at the cluster's barrier */
};
struct named {
  unsigned arrived, count,
      times; /* threads that are there, of COUNT; how often it opened */
};
struct block {
  struct extent index;
  unsigned left, waiting; /* threads that have not returned; those AT_BLOCK */
  unsigned char *shared;  /* its dynamic shared memory */
  struct named named[NAMED_BARRIERS];
};
struct running {
  struct thread threads[MAX_CLUSTER * MAX_THREADS];
  struct block blocks[MAX_CLUSTER];
  unsigned n_blocks, stride, n; /* n: all entries of threads, with those between blocks */
  unsigned left, now;           /* threads that have not returned; the running one */
  struct extent cluster;        /* blocks of a cluster */
  unsigned cluster_arrived, cluster_times; /* its barrier */
  const struct grid *grid;
};
extern struct running b;

static inline struct thread *thread_now(void) {
  return &b.threads[b.now];
}
static inline struct block *block_now(void) {
  return &b.blocks[b.threads[b.now].block];
}
static inline unsigned thread_rank(void) {
  return b.now % b.stride;
}
/* Switches to the scheduler, which resumes this thread later. */
void block_leave(void);
/* Waits until READY is true for the running thread; ON and VALUE are for its use. */
void thread_wait(bool (*ready)(const struct thread *t), void *on, unsigned value);

/* Returns where the shared address AT is: of the running block, or of another block of
 * the cluster, as autotune_emulate_peer makes it. Ends the launch unless BYTES are there
 * and AT is a multiple of ALIGNED. */
void *shared_at(unsigned at, unsigned bytes, unsigned aligned);
/* The same for instructions that take addresses of the running block only (.shared::cta).
 */
void *shared_own(unsigned at, unsigned bytes, unsigned aligned);
/* The same place in block I's shared memory as P is in its own block's. */
void *shared_of(void *p, unsigned i);

/* ---- copies.c, mbarrier.c, bulk.c, wgmma.c --------------------------------------- */

/* Does the copies of the running thread that are still to be done. */
void copies_end(void);
/* Takes BYTES that have arrived off the mbarrier at P, which is in shared memory. */
void mbarrier_complete(void *p, unsigned bytes);
/* Does the oldest copy that the mbarrier at P waits for. False: there is none. */
bool bulk_arrive(const void *p);
/* Ends the launch if the running thread's copies have not read shared memory yet. */
void bulk_thread_end(void);
/* Opens the cluster's barrier if all threads that have not returned are there. */
void cluster_settle(void);
/* Forget copies, mbarriers and products of the blocks that ran. CHECK: ends the launch if
 * copies into their shared memory are under way. */
void bulk_end(bool check);
void mbarrier_end(void);
void wgmma_end(void);

#endif
