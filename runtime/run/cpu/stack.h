/* SPDX-License-Identifier: Apache-2.0 */
/* stack.h: room for what a first call does, on whatever stack it comes. */
#ifndef AUTOTUNE_STACK_H
#define AUTOTUNE_STACK_H

#include <stdbool.h>
#include <stddef.h>

/* Runs RUN(DATA) in this thread, on a stack of its own where the thread's has little
 * left. False: there is no memory for one, and nothing was run. */
bool stack_run(void (*run)(void *data), void *data);

/* A stack for a process that shares the program's memory, and is to have as much of it as
 * this thread has. */
struct stack {
  char *base;
  size_t size;
  char *before;
  size_t left; /* of where this thread was, between stack_enter and stack_leave */
};
/* False: no memory. */
bool stack_map(struct stack *s);
void stack_unmap(const struct stack *s);
/* From here on this thread is on S, or, after stack_leave, where it was before. Nothing
 * is switched. */
void stack_enter(struct stack *s);
void stack_leave(const struct stack *s);

/* In a fork of a thread that is on another stack than its own: YES: what is called has as
 * much left as it had there. Of a thread that is on its own, nothing changes. */
void stack_confine(bool yes);

#endif
