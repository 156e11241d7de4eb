/* SPDX-License-Identifier: Apache-2.0 */
/* copies.c: cp.async. A thread's copies take place when it waits for their group, so that
 * a read that comes too early finds what was there before. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"

/* Performs the pending copies of the first UNTIL groups. */
static void copies_do(struct thread *me, unsigned until) {
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

EXPORT void autotune_emulate_copy(void *to, const void *from, unsigned bytes,
                                  unsigned zero) {
  struct thread *me = thread_now();
  if (me->n_pending == me->room) {
    unsigned room = me->room ? 2 * me->room : 16;
    struct pending *more = realloc(me->pending, room * sizeof *more);
    if (!more)
      launch_abort(CUDA_ERROR_LAUNCH_FAILED, "out of memory of the host");
    me->pending = more;
    me->room = room;
  }
  me->pending[me->n_pending++] = (struct pending){ to, from, bytes, zero, me->groups };
  if (settings_get()->early)
    copies_do(me, UINT_MAX);
}

EXPORT void autotune_emulate_commit(void) {
  thread_now()->groups++;
}

EXPORT void autotune_emulate_wait(unsigned groups_left) {
  struct thread *me = thread_now();
  copies_do(me, me->groups > groups_left ? me->groups - groups_left : 0);
}

void copies_end(void) {
  copies_do(thread_now(), UINT_MAX);
}
