// SPDX-License-Identifier: Apache-2.0
// first.c: the first call of a winner in this process. It is noted in the store, so that
// a winner that ends the process is not simply taken again by the next one.
//
// A call may leave by longjmp, or its thread may end. Then the note would stay, and the
// next process would check the winner without need. At a normal end of the process it is
// taken back, unless the call itself has called exit().
#include "run/cpu/stack.h"
#include "site.h"

// On a separate stack: the store needs more than a thread may have.
static void first_note(void *data) {
  struct node *n = data;
  struct identity id = node_identity(n);
  n->first.slot = entered_note(&id, n->variant);
}

static void first_clear(void *data) {
  const struct node *n = data;
  entered_clear(n->first.slot);
}

bool first_enter(struct node *n, const struct autotune_call_state *state) {
  enum first_state before = FIRST_TO_COME;
  struct first_call *f = &n->first;
  if (atomic_load_explicit(&f->state, memory_order_relaxed) != FIRST_TO_COME ||
      n->variant == 0 || !atomic_compare_exchange_strong(&f->state, &before, FIRST_RUNS))
    return false;
  f->thread = pthread_self();
  f->frame = state;
  f->slot = -1;
  stack_run(first_note, n);
  return true;
}

void first_leave(struct node *n) {
  enum first_state before = FIRST_RUNS;
  if (atomic_compare_exchange_strong(&n->first.state, &before, FIRST_RETURNED))
    stack_run(first_clear, n);
}

// The stack grows downwards: within the call, frames lie below its state.
void first_at_exit(struct node *n) {
  char here;
  const struct first_call *f = &n->first;
  if (atomic_load(&f->state) != FIRST_RUNS ||
      (pthread_equal(f->thread, pthread_self()) && (const void *)&here < f->frame))
    return;
  first_leave(n);
}
