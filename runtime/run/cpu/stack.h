/* SPDX-License-Identifier: Apache-2.0 */
/* stack.h: a large enough stack for the first call, whatever stack the thread is on. */
#ifndef AUTOTUNE_STACK_H
#define AUTOTUNE_STACK_H

#include <stdbool.h>
#include <stddef.h>

/* Runs RUN(DATA) in this thread, which is not cancelled meanwhile, on a separate stack if
 * the thread's has little left.
 * False: no memory for one, and nothing was run. */
bool stack_run(void (*run)(void *data), void *data);

/* A stack for a process that shares the program's memory, with as much room as this
 * thread has left. */
struct stack {
  char *base;
  size_t size;
  char *before;
  size_t left; /* of where this thread was, between stack_enter and stack_leave */
};
/* False: no memory. */
bool stack_map(struct stack *s);
void stack_unmap(const struct stack *s);
/* Note that this thread is on S from now on, or, after stack_leave, where it was before.
 * They do not switch stacks. */
void stack_enter(struct stack *s);
void stack_leave(const struct stack *s);

/* In a fork of a thread that was on a separate stack: YES limits the functions called
 * to the stack that was left there. For a thread on its own stack nothing changes. */
void stack_confine(bool yes);

#endif
