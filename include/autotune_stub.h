/* SPDX-License-Identifier: Apache-2.0 */
/* autotune_stub.h: what stubs do in line: they look at their gate and entry, and
 * time statements. Part of autotune_abi.h. */
#ifndef AUTOTUNE_STUB_H
#define AUTOTUNE_STUB_H

#ifndef AUTOTUNE_ABI_H
#error "autotune_abi.h includes this file"
#endif

/* Where a kernel that was a statement keeps the state of a call that runs in its place:
 * one object for each thread and kernel, because a state on the stack of the statement's
 * function can keep compilers from inlining that function. */
struct autotune_timed {
  struct autotune_call_state state;
  const char *frame; /* of the stub that made the call */
  unsigned nested;   /* calls since then that looked as if they were within it */
};
/* Returns what autotune_time_end gets after the call STATE, which runs in its place;
 * NULL: the call is not timed, as are calls within a timed one. Frames grow downwards, so
 * a call whose frame is above that of a timed one is not within it: that one was left by
 * longjmp or an exception. Where the frame does not tell, the number of calls does in the
 * end. */
static __inline__ struct autotune_call_state *autotune_time(
    struct autotune_timed *timed, const struct autotune_call_state *state) {
  const char *frame = (const char *)__builtin_frame_address(0);
  if (state->node == 0 ||
      (timed->state.node != 0 && frame < timed->frame && ++timed->nested < 1000))
    return 0;
  timed->state = *state;
  timed->frame = frame;
  timed->nested = 0;
  return &timed->state;
}
/* A call within another, which was timed in its stead, may have ended it. */
static __inline__ void autotune_time_end(struct autotune_call_state *state) {
  if (state->node == 0)
    return;
  autotune_end(state);
  state->node = 0;
}
/* What stubs of statements return: NULL or a state where the statement is to run in its
 * place, or that it need not. */
static __inline__ struct autotune_call_state *autotune_taken(void) {
  return (struct autotune_call_state *)1;
}
static __inline__ int autotune_is_taken(const struct autotune_call_state *state) {
  return (size_t)state == 1;
}
static __inline__ int autotune_is_timed(const struct autotune_call_state *state) {
  return (size_t)state > 1;
}

/* True if the runtime wants to see this call of ENTRY. Threads may race for the count:
 * that does no harm, and the runtime switches the count off for short kernels that
 * several threads call. */
static __inline__ int autotune_due(struct autotune_entry *entry) {
  unsigned left;
  if (__builtin_expect(__atomic_load_n(&entry->watch, __ATOMIC_RELAXED) == 0, 1))
    return 0;
  left = __atomic_load_n(&entry->left, __ATOMIC_RELAXED);
  if (left <= 1)
    return 1;
  __atomic_store_n(&entry->left, left - 1, __ATOMIC_RELAXED);
  return 0;
}

/* True if this call, for which there is no entry, runs the default without the runtime.
 * As above, threads may race for the count. */
static __inline__ int autotune_gate_shut(struct autotune_gate *gate) {
  unsigned left = __atomic_load_n(&gate->left, __ATOMIC_RELAXED);
  if (left <= 1)
    return 0;
  if (left != AUTOTUNE_GATE_CLOSED)
    __atomic_store_n(&gate->left, left - 1, __ATOMIC_RELAXED);
  return 1;
}

/* True if SITE has no entry and its gate is shut: all that a call of a kernel that is not
 * hot costs. The rest of a stub is out of line, so that compilers inline functions with
 * such kernels as they would without them. */
static __inline__ int autotune_is_cold(const struct autotune_site *site,
                                       struct autotune_gate *gate) {
  return __atomic_load_n(&site->hot, __ATOMIC_RELAXED) == 0 && autotune_gate_shut(gate);
}

#endif
