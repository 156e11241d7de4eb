/* SPDX-License-Identifier: Apache-2.0 */
/* role.h: what this process is to a tuning, and whether it is to stop. */
#ifndef AUTOTUNE_ROLE_H
#define AUTOTUNE_ROLE_H

#include <stdbool.h>

enum role {
  ROLE_PROGRAM, /* the user's program, or a tool: all processes that took no other role */
  ROLE_TUNER,   /* forked from the program */
  ROLE_WORKER   /* forked from the tuner: the zygote and its workers */
};
/* Sets this process's role, right after the fork. A request to stop that the parent had
 * received does not count here. */
void role_take(enum role role);
/* True in the tuner and all that is forked from it: there, every kernel is its default
 * variant. A few nanoseconds, any thread. */
bool role_inside(void);
/* Requests that this process stops. Async-signal-safe. */
void role_stop(void);
/* The end of the process that PIDFD refers to is such a request, too; -1: none. PIDFD
 * stays open. */
void role_watch(int pidfd);
/* True if this process is to stop. */
bool role_stopping(void);

#endif
