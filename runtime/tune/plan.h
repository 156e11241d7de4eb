/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h: what the program wants of a tuning, what comes of it, and what the tuner tells
 * the program meanwhile. Shared by the tuner (tune/) and the program (call/). */
#ifndef AUTOTUNE_PLAN_H
#define AUTOTUNE_PLAN_H

#include <stdatomic.h>

#include "keep/store/store.h"

/* ---- what is wanted, and what comes of it ---------------------------------------- */

/* What came of a tuning. */
struct outcome {
  bool tuned;      /* a tuning ran to its end */
  bool winner;     /* a variant beat the default; its code is at PATH */
  char path[4096]; /* of the shared object: in the store, or /proc/self/fd/N */
  int fd;          /* of the memfd behind such a path: the caller closes it; or -1 */
  choice point[MAX_PARAMS]; /* the winner's */
  double seconds;           /* of a call of the winner; 0: not known */
  double cost;              /* seconds of CPU that the tuner and its children took */
  char why[512];            /* for people */
};

enum plan_kind {
  PLAN_SEARCH,
  PLAN_RACE,  /* the given points, what was fastest before, and the default: a drift is
                 noticed */
  PLAN_CHECK, /* the first given point is compiled, run once, compared and linked; nothing
                 is timed */
  PLAN_ONLINE, /* variants are checked in the sandbox and timed in the program's own calls
                */
};
/* What is wanted of a tuner. */
struct plan {
  enum plan_kind kind;
  bool background;     /* the program does not wait */
  bool again;          /* search also where a result is stored */
  bool retry;          /* the last tuner crashed: leave out what it was compiling */
  double fraction;     /* of the program's seconds in the kernel that the tuning may cost;
                       0: not bounded */
  double until;        /* end where less improvement is expected; 0: never */
  double ratio, since; /* PLAN_RACE: how much slower it became, and when (unix time) */
  const choice *points;
  unsigned n_points; /* one after another; read by session_start alone */
  const struct summary
      *adopt; /* PLAN_CHECK: what is stored where the point is right; NULL: nothing */
  const char *why; /* why the store was no help; NULL: not known */
};
/* How far a tuning is. */
struct progress_report {
  unsigned done, total;
  double best, original; /* seconds of a call; 0: not known yet */
  double left;           /* seconds of the budget */
  double silence; /* seconds until the next report at the latest: then the tuner hangs */
};

/* ---- shared memory -------------------------------------------------------------- */

/* How the tuner has variants timed in the program's own calls (call/live.h). It writes
 * orders, one after another, and the program answers each in turn. Arms are those of
 * halving.h. */
enum { LIVE_ARMS = 16, LIVE_ORDERS = 64, LIVE_REPEAT = 15 };
enum { LIVE_LOADED = 1, LIVE_REFUSED };
struct live_order {       /* by the tuner, but for the seconds */
  unsigned arm, repeat;   /* the median of so many calls is wanted */
  bool drop;              /* run nothing, and unload the arm */
  _Atomic double seconds; /* of a call; below 0: it was not run */
};
struct lane {
  atomic_uint written;  /* by the tuner: orders, ever */
  atomic_uint answered; /* by the program: of them */
  atomic_uint best;     /* by the tuner: the arm that all other calls are to run */
  atomic_bool
      waiting; /* by the program: it waits for the outcome, and no calls may come */
  atomic_uint
      running; /* by the program: the arm that a call is being timed in, + 1; 0: none */
  atomic_uint loaded[LIVE_ARMS];         /* by the program, once it has got the variant */
  struct live_order orders[LIVE_ORDERS]; /* the last, by their number modulo that */
};

/* Memory that program and tuner share, so that looking costs neither a system call nor a
 * lock. In the program only the thread that looks after the tuning may touch it. */
enum { COMPILING = 64 };
struct shared_memory {
  _Atomic double spent; /* by the program: seconds it has been in the kernel's calls */
  _Atomic double
      allowed; /* by the program: seconds of CPU that this tuning may have cost by now */
  _Atomic double
      cost;         /* by the tuner: seconds of CPU that it and its children have taken */
  atomic_uint news; /* by the tuner: how many messages it has sent */
  _Atomic uint64_t compiling[COMPILING]; /* by the pool: marks of what it compiles, for
                                            when it crashes */
  struct lane lane;                      /* for PLAN_ONLINE */
};

/* ---- the tuner's way to the program ---------------------------------------------- */

/* How a tuning reaches the program that wants it. Functions get DATA. */
struct tune_host {
  struct shared_memory *shared; /* NULL: no memory for it */
  /* Variants that former tuners of this session were compiling when they crashed. */
  const uint64_t *suspects;
  unsigned n_suspects;
  /* Reports how far it is. */
  void (*progress)(void *data, const struct progress_report *p);
  /* Offers the program what it may run until the tuning ends. */
  void (*provisional)(void *data, const struct outcome *out);
  /* Hands the shared object behind FD, which stays the caller's, to the program, as ARM.
   * False: the program has not read for long. */
  bool (*variant)(void *data, unsigned arm, int fd);
  void *data;
};

#endif
