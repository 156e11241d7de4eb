/* SPDX-License-Identifier: Apache-2.0 */
/* role.h: the role of this process in a tuning, and whether it was asked to stop. */
#ifndef AUTOTUNE_ROLE_H
#define AUTOTUNE_ROLE_H

#include <stdbool.h>

enum role {
  ROLE_PROGRAM, /* the user's program, or a tool: all processes that took no other role */
  ROLE_TUNER,   /* forked from the program */
  ROLE_WORKER   /* forked from the tuner: the zygote and its workers */
};
/* Sets this process's role; called right after the fork. Clears a request to stop that
 * the parent had received. */
void role_take(enum role role);
/* True in the tuner and all processes forked from it. In these every kernel runs its
 * default variant. A few nanoseconds, any thread. */
bool role_inside(void);
/* Asks this process to stop. Async-signal-safe. */
void role_stop(void);
/* Also asks this process to stop SECONDS after the process of PIDFD has ended (-1:
 * watches none) or role_end was called. PIDFD must stay open; later than at once, this
 * takes SIGALRM, whose handler must call role_stop. */
void role_watch(int pidfd, unsigned seconds);
/* Calls SEE once, if this process goes on when the program has ended: from the next call
 * of role_outlives or role_stopping after that. WHEN: it ended, by the clock that files
 * have their times of. */
struct timespec;
typedef void role_ended(const struct timespec *when);
void role_at_end(role_ended *see);
/* Notes that the program has ended. Async-signal-safe. */
void role_end(void);
/* True if the program has ended, and this process goes on for a while. */
bool role_outlives(void);
/* True if this process was asked to stop. */
bool role_stopping(void);

#endif
