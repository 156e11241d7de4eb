/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h: what the program asks of a tuning, the result, and what the tuner tells the
 * program meanwhile. Shared by the tuner (tune/) and the program (call/). */
#ifndef AUTOTUNE_PLAN_H
#define AUTOTUNE_PLAN_H

#include <stdatomic.h>

#include "keep/store/store.h"
#include "run/target.h"

/* ---- request and result ----------------------------------------------------------- */

/* The result of checking a winner again. */
enum verdict {
  VERDICT_NONE, /* it is not known: a process was lost, or the default did not end */
  VERDICT_RIGHT,
  VERDICT_WRONG,    /* its results differ, and the default repeats its own */
  VERDICT_ENDED,    /* it ends its process */
  VERDICT_RESTLESS, /* the default does not repeat its results on this call */
  VERDICT_NOTHING,  /* there are no outputs to compare, or PLAN.least is not reached */
  VERDICT_UNCHECKED /* a tuning: kernel_refuses_unchecked, and outputs are not compared */
};
/* The result of a tuning. */
struct outcome {
  bool tuned;      /* a tuning ran to its end */
  bool winner;     /* a variant beat the default; its code is at PATH */
  char path[4096]; /* of the shared object: in the store, or /proc/self/fd/N */
  int fd;          /* the memfd that such a path refers to, closed by the caller; or -1 */
  choice point[MAX_PARAMS]; /* the winner's */
  uint64_t variant;         /* the winner's, as in struct record */
  uint64_t body;            /* hash of its body, if that came from outside; else 0 */
  enum verdict verdict;     /* plan.loaded, plan.least; `why` is the difference */
  double seconds;           /* of a call of the winner; 0: not known */
  double original;          /* of a call of the default; 0: not known */
  double rest;              /* of the default budget, for a search that goes on later */
  double cost;              /* seconds of CPU that the tuner and its children took */
  char why[512];            /* for people */
};

enum plan_kind {
  PLAN_SEARCH,
  PLAN_RACE,  /* times the given points, the fastest variants of before and the default
                 again, after a slowdown was noticed */
  PLAN_CHECK, /* the first given point is compiled, run once, compared and linked; nothing
                 is timed */
  PLAN_ONLINE, /* checks variants in the sandbox, times them in the program's own calls */
};
/* What the program asks of a tuner. */
struct plan {
  enum plan_kind kind;
  bool background; /* the program does not wait */
  bool again;      /* search also where a result is stored */
  bool retry;      /* the last tuner crashed: skip the variants that it was compiling */
  double fraction; /* of the program's seconds in the kernel that the tuning may cost;
                   0: not bounded */
  double start;    /* FRACTION: wait until so many seconds are allowed, before anything is
                      done but the fork */
  unsigned after; /* go on for so many seconds when the program has ended, and the machine
                     has nothing else to do; 0: end with it */
  struct until until; /* when the search ends early */
  double rest; /* seconds of search that an earlier tuning has left; 0: it is a new one */
  double least; /* end at once, with VERDICT_NOTHING, if the default takes less seconds */
  double ratio, since; /* PLAN_RACE: how much slower it became, and when (unix time) */
  struct usage usage;  /* of the kernel, if it is tuned when hot */
  const choice *points;
  unsigned n_points; /* the points follow each other in POINTS; only session_start reads
                        them */
  const struct summary *adopt; /* PLAN_CHECK: the summary to store if the point is right;
                                  NULL: nothing is stored */
  bool suspect; /* PLAN_CHECK: a process ended in its first call of the point: if it fails
                   here, it is revoked */
  uint64_t constants; /* parts of the key that may be constants in variants
                         (model/constants.h) */
  unsigned team;   /* threads that make the call at the same time; 0 and 1: it is alone */
  bool nests;      /* TEAM: a region within the call has threads of its own */
  const char *why; /* why the store had no usable result; NULL: not known */
  /* PLAN_CHECK of what the program runs already: LOADED is compared on this call's data,
   * and nothing is compiled. NULL: the given point is. */
  autotune_fn loaded;
  const struct service *service; /* LOADED, SUSPECT: its row, without texts if SUSPECT */
  bool outlives; /* LOADED: the check is short, and goes on for some seconds
                    when the program ends */
  bool gentle;   /* LOADED: it gets little more of the processors than the program
                    leaves idle, and may take as much longer */
};
/* The progress of a tuning. */
struct progress_report {
  unsigned done, total;
  enum objective_kind objective;
  double best, original; /* costs; 0: not known yet */
  double left;           /* seconds of the budget */
  double silence;        /* seconds: if no report comes for that long, the tuner hangs */
};

/* ---- shared memory -------------------------------------------------------------- */

/* The orders by which the program times variants in its own calls (call/live.h). The
 * tuner writes orders one after another, and the program answers them in that order.
 * Arms are those of halving.h. */
enum { LIVE_ARMS = 16, LIVE_ORDERS = 64, LIVE_REPEAT = 15 };
enum { LIVE_LOADED = 1, LIVE_REFUSED };
struct live_order {       /* written by the tuner, except the seconds */
  unsigned arm, repeat;   /* answer with the median of so many calls */
  bool drop;              /* unload the arm instead of running it */
  _Atomic double seconds; /* of a call; below 0: it was not run */
};
struct lane {
  atomic_uint written;  /* by the tuner: orders written so far */
  atomic_uint answered; /* by the program: orders answered so far */
  atomic_uint best;     /* by the tuner: the arm that all other calls are to run */
  atomic_bool waiting; /* by the program: it waits for the result, so no calls may come */
  atomic_uint
      running; /* by the program: the arm that a call is being timed in, + 1; 0: none */
  atomic_uint loaded[LIVE_ARMS];         /* by the program, once it has got the variant */
  struct live_order orders[LIVE_ORDERS]; /* order i is at i % LIVE_ORDERS */
};

/* Memory that program and tuner share, so that reading it costs neither a system call
 * nor a lock. In the program only the thread that watches the tuning may touch it. */
enum { COMPILING = 64 };
struct shared_memory {
  _Atomic double spent; /* by the program: seconds it has been in the kernel's calls */
  _Atomic double
      allowed; /* by the program: seconds of CPU that this tuning may have cost by now */
  _Atomic double
      cost; /* by the tuner: seconds of CPU that it and its children have taken */
  _Atomic int64_t
      ended; /* by the program: it ends, in ns of CLOCK_REALTIME_COARSE; 0: not yet */
  atomic_uint news; /* by the tuner: messages sent so far */
  _Atomic unsigned long long
      killed;        /* by the tuner: 1 and what shortage_begin returned; 0: not known */
  atomic_bool owned; /* by the tuner: the target's `own` has ended */
  atomic_bool hurry; /* by the program: end with the best so far */
  _Atomic uint64_t
      compiling[COMPILING]; /* by the compiling threads: hashes of the variants being
                               compiled, to be read after a crash */
  struct lane lane;         /* for PLAN_ONLINE */
};

/* ---- the tuner's way to the program ---------------------------------------------- */

/* The functions by which a tuning talks to the program that asked for it. Each is called
 * with DATA. */
struct tune_host {
  struct shared_memory *shared; /* NULL: it could not be allocated */
  /* Hashes of variants that earlier tuners of this session were compiling when they
   * crashed. */
  const uint64_t *suspects;
  unsigned n_suspects;
  /* Reports the progress. */
  void (*progress)(void *data, const struct progress_report *p);
  /* Offers the program what it may run until the tuning ends. */
  void (*provisional)(void *data, const struct outcome *out);
  /* Gives the program the shared object that FD refers to, as ARM. FD stays the caller's.
   * False: not sent, because the program has not read for long. */
  bool (*variant)(void *data, unsigned arm, int fd);
  /* Asks the program's half of the target. */
  target_ask_fn *ask;
  void *data;
};

#endif
