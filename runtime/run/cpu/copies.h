/* SPDX-License-Identifier: Apache-2.0 */
/* copies.h: copies of a worker that run side by side with it, so that a call of a
 * parallel region is timed as one of several threads. */
#ifndef AUTOTUNE_COPIES_H
#define AUTOTUNE_COPIES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/base.h"

enum { COPIES_MOST = 255 }; /* copies */

struct copies_board;
struct copies {
  struct copies_board *board;
  pid_t *pids;
  unsigned n, most; /* alive; when all are */
};
/* What a copy does. WHICH and BATCH are the worker's, for this run. */
struct copies_work {
  void (*prepare)(void *data);
  void (*run)(void *data, int which, unsigned batch);
  void *data;
};

/* Makes room for COPIES. False: no memory. */
bool copies_open(struct copies *c, unsigned copies);
/* Forks the copies, which have this process's memory as it is. W and its data must live
 * until copies_end. False: there are too few processes or too little memory. */
bool copies_begin(struct copies *c, const struct copies_work *w);
/* Before a run: lets the copies prepare it. */
void copies_ready(struct copies *c, int which, unsigned batch);
/* Waits until all are ready, and lets them begin; the caller begins at once. Returns 0;
 * else a copy has died: of that signal, or, below 0, with status -1 - that number. */
int copies_go(struct copies *c);
/* Ends the copies. Returns the seconds of CPU that they have taken. */
double copies_end(struct copies *c);

struct answer;
/* Writes into A how a copy has died. LOST: as from copies_go; 0: none has. */
void copies_judge(const struct copies *c, int lost, struct answer *a);
/* The same where copies_begin has failed. */
void copies_lack(const struct copies *c, struct answer *a);

#endif
