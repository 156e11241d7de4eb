/* SPDX-License-Identifier: Apache-2.0 */
/* bulk.c: copies of boxes of a tensor between device memory and shared memory, by a
 * tensor map (cp.async.bulk.tensor).
 *
 * A copy into shared memory takes place when a thread waits for its mbarrier, and a copy
 * out of it when its thread waits for its group. So a read that comes too early finds
 * what was there before, and so does a copy from memory that is written too early. With
 * the word `early` of AUTOTUNE_EMULATE both take place at once: then a copy into memory
 * that is still being read shows. */
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "tensor_map.h"

struct bulk {
  struct bulk *next;
  struct tensor_map map;
  int64_t at[TENSOR_RANK]; /* coordinates of the box */
  unsigned char *shared;
  void *barrier;               /* the mbarrier of a copy into shared memory, or NULL: */
  const struct thread *thread; /* the thread of a copy out of it */
  unsigned group;
};
static struct {
  struct bulk *first, **last;
} q = { NULL, &q.first };

static void bulk_unlink(struct bulk **at) {
  struct bulk *c = *at;
  *at = c->next;
  if (q.last == &c->next)
    q.last = at;
  free(c);
}

/* ---- one copy -------------------------------------------------------------------- */

/* Returns how many elements the box has in dimension I. */
static unsigned bulk_extent(const struct tensor_map *m, unsigned i) {
  return (m->box[i] + m->steps[i] - 1u) / m->steps[i];
}

static unsigned bulk_bytes(const struct tensor_map *m) {
  unsigned n = m->element;
  for (unsigned i = 0; i < m->rank; i++)
    n *= bulk_extent(m, i);
  return n;
}

static bool bulk_inside(const struct tensor_map *m, unsigned i, int64_t at) {
  return at >= 0 && at <= (int64_t)m->last[i];
}

/* Returns where byte OFFSET of a box at P lies: the 16-byte units of a row are exchanged
 * by bits of the address. Shared memory begins at a multiple of 4096. */
static unsigned char *bulk_swizzled(const struct tensor_map *m, unsigned char *p,
                                    unsigned offset) {
  uintptr_t at = (uintptr_t)(p + offset), units = (1u << m->swizzle) - 1;
  return p + offset + (ptrdiff_t)((at ^ (at >> 7 & units) << 4) - at);
}

/* What an element outside of the tensor becomes: 0, or the quiet NaN with all bits of its
 * fraction set. */
static void bulk_fill(const struct tensor_map *m, unsigned char *to) {
  memset(to, 0, m->element);
  if (!m->nan)
    return;
  memset(to, 0xff, m->element);
  to[m->element - 1] = 0x7f;
}

/* Copies a row of C's box, which begins at FROM in device memory (only read or written
 * inside of the tensor) and at byte OFFSET of the box. */
static void bulk_row(const struct bulk *c, unsigned char *device, bool inside,
                     unsigned offset) {
  const struct tensor_map *m = &c->map;
  for (unsigned x = 0; x < m->box[0]; x++) {
    unsigned char *here = bulk_swizzled(m, c->shared, offset + x * m->element);
    unsigned char *there = device + (c->at[0] + x) * m->element;
    bool exists = inside && bulk_inside(m, 0, c->at[0] + x);
    if (!c->barrier && exists)
      memcpy(there, here, m->element);
    else if (c->barrier && exists)
      memcpy(here, there, m->element);
    else if (c->barrier)
      bulk_fill(m, here);
  }
}

static void bulk_copy(const struct bulk *c) {
  const struct tensor_map *m = &c->map;
  unsigned index[TENSOR_RANK] = { 0 }, row = (unsigned)m->box[0] * m->element;
  for (unsigned offset = 0, n = bulk_bytes(m); offset < n; offset += row) {
    unsigned char *device = (unsigned char *)(uintptr_t)m->address;
    bool inside = true;
    for (unsigned i = 1; i < m->rank; i++) {
      int64_t at = c->at[i] + (int64_t)index[i] * m->steps[i];
      inside = inside && bulk_inside(m, i, at);
      device += inside ? at * (int64_t)m->strides[i - 1] : 0;
    }
    bulk_row(c, device, inside, offset);
    for (unsigned i = 1; i < m->rank; i++) {
      if (++index[i] < bulk_extent(m, i))
        break;
      index[i] = 0;
    }
  }
}

/* ---- issue ----------------------------------------------------------------------- */

static void bulk_add(struct bulk c) {
  struct bulk *own = malloc(sizeof *own);
  if (!own)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED, "out of memory of the host");
  *own = c;
  own->next = NULL;
  *q.last = own;
  q.last = &own->next;
}

static struct bulk bulk_of(const void *map, const int *at, unsigned rank) {
  struct bulk c = { .thread = thread_now(), .group = thread_now()->bulk_groups };
  memcpy(&c.map, map, sizeof c.map);
  if ((uintptr_t)map % 64 || c.map.magic != TENSOR_MAP_MAGIC || c.map.rank != rank)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED, "a copy by no tensor map of its rank");
  if (c.map.swizzle && (unsigned)c.map.box[0] * c.map.element != 16u << c.map.swizzle)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED,
                 "boxes narrower than their swizzle are not emulated");
  for (unsigned i = 0; i < rank; i++)
    c.at[i] = at[i];
  return c;
}

static void bulk_issue_load(struct bulk c) {
  if (settings_get()->early) {
    bulk_copy(&c);
    mbarrier_complete(c.barrier, bulk_bytes(&c.map));
  } else {
    bulk_add(c);
  }
}

EXPORT void autotune_emulate_tensor_load(unsigned to, const void *map, const int *at,
                                         unsigned rank, unsigned barrier,
                                         unsigned blocks) {
  struct bulk c = bulk_of(map, at, rank);
  c.shared = shared_at(to, bulk_bytes(&c.map), 128);
  c.barrier = shared_at(barrier, 8, 8);
  if (!blocks) {
    bulk_issue_load(c);
    return;
  }
  for (unsigned i = 0; i < 16; i++)
    if (blocks >> i & 1) {
      struct bulk one = c;
      one.shared = shared_of(c.shared, i);
      one.barrier = shared_of(c.barrier, i);
      bulk_issue_load(one);
    }
}

EXPORT void autotune_emulate_tensor_store(const void *map, const int *at, unsigned rank,
                                          unsigned from) {
  struct bulk c = bulk_of(map, at, rank);
  c.shared = shared_own(from, bulk_bytes(&c.map), 128);
  if (settings_get()->early)
    bulk_copy(&c);
  else
    bulk_add(c);
}

EXPORT void autotune_emulate_bulk_commit(void) {
  thread_now()->bulk_groups++;
}

/* ---- arrival --------------------------------------------------------------------- */

bool bulk_arrive(const void *barrier) {
  for (struct bulk **at = &q.first; *at; at = &(*at)->next)
    if ((*at)->barrier == barrier) {
      struct bulk c = **at;
      bulk_unlink(at);
      bulk_copy(&c);
      mbarrier_complete(c.barrier, bulk_bytes(&c.map));
      return true;
    }
  return false;
}

EXPORT void autotune_emulate_bulk_wait(unsigned groups_left) {
  const struct thread *me = thread_now();
  unsigned until = me->bulk_groups > groups_left ? me->bulk_groups - groups_left : 0;
  for (struct bulk **at = &q.first; *at;) {
    struct bulk c = **at;
    if (c.barrier || c.thread != me || c.group >= until) {
      at = &(*at)->next;
      continue;
    }
    bulk_unlink(at);
    bulk_copy(&c);
  }
}

void bulk_thread_end(void) {
  for (const struct bulk *c = q.first; c; c = c->next)
    if (!c->barrier && c->thread == thread_now())
      launch_abort(CUDA_ERROR_LAUNCH_FAILED,
                   "a thread ends before its copies have read shared memory");
}

void bulk_end(bool check) {
  bool any = q.first != NULL;
  while (q.first)
    bulk_unlink(&q.first);
  if (any && check)
    launch_abort(CUDA_ERROR_LAUNCH_FAILED,
                 "a block ends while copies into its shared memory are under way");
}
