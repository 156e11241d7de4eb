/* SPDX-License-Identifier: Apache-2.0 */
/* session.h: one tuning, as the program and the tuner see it. */
#ifndef AUTOTUNE_SESSION_H
#define AUTOTUNE_SESSION_H

#include <stdatomic.h>
#include "keep/store/store.h"
#include "model/kernel.h"

/* ---- what is wanted, and what comes of it ---------------------------------------- */

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
struct plan { /* what is wanted of a tuner */
  enum plan_kind kind;
  bool background; /* the program does not wait */
  bool again;      /* what is stored is not final: search on */
  bool retry;      /* the last tuner crashed: without what it was compiling */
  double fraction; /* of the program's seconds in the kernel that all may cost; 0: no such
                   bound */
  double until;    /* end where less improvement is expected; 0: never */
  double ratio, since; /* PLAN_RACE: how much slower it became, and when (unix time) */
  const choice *points;
  unsigned n_points; /* one after another; read by session_start alone */
  /* In the program, by whoever looks after the session: what may be run until the tuning
   * ends. NULL: nothing is wanted. */
  void (*provisional)(const struct outcome *out, void *data);
  void *data;
  const struct summary
      *adopt; /* PLAN_CHECK: what is stored where the point is right; NULL: nothing */
  const char *why; /* why the store was no help; NULL: not known */
};
struct progress_report {
  unsigned done, total;
  double best, original; /* seconds of a call; 0: not known yet */
  double left;           /* seconds of the budget */
  double silence; /* seconds until the next report at the latest: then the tuner hangs */
};

/* ---- memory of both -------------------------------------------------------------- */

/* What tuner and program say to each other about variants in the program's own calls
 * (live.h). The tuner writes orders, one after another; the program answers each in turn.
 * Arms are as in halving.h. */
enum { LIVE_ARMS = 16, LIVE_ORDERS = 64, LIVE_REPEAT = 15 };
enum { LIVE_LOADED = 1, LIVE_REFUSED };
struct live_order {       /* by the tuner, but for the seconds */
  unsigned arm, repeat;   /* the median of so many calls is wanted */
  bool drop;              /* nothing is to be run: the arm is unloaded */
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

/* Memory of the program and its tuner both, so that looking costs neither a system call
 * nor a lock. In the program only whoever is `busy` (decide.c) may touch it. */
enum { COMPILING = 64 };
struct shared_memory {
  _Atomic double spent; /* by the program: seconds it has been in the kernel's calls */
  _Atomic double
      allowed; /* by the program: seconds of CPU that this tuning may have cost by now */
  _Atomic double
      cost;         /* by the tuner: seconds of CPU that it and its children have taken */
  atomic_uint news; /* by the tuner: how many packets it has sent */
  _Atomic uint64_t compiling[COMPILING]; /* by the pool: marks of what it compiles, for
                                            when it crashes */
  struct lane lane;                      /* for PLAN_ONLINE */
};

/* ---- session.c, tuner.c ---------------------------------------------------------- */

/* In the tuner: offers the program what it may run meanwhile. */
void session_offer(const struct outcome *out);
/* In the tuner: hands the shared object behind FD to the program, as ARM. False: the
 * program has not read for long. */
bool session_send_variant(unsigned arm, int fd);
/* The page of the session that runs; NULL: there is none, or no memory for it. */
struct shared_memory *session_shared_memory(void);
/* In the tuner: was VARIANT being compiled when a former tuner of this session crashed?
 */
bool session_suspects(uint64_t variant);
/* Called in the child of a fork: what is going on in the parent is not ours.
 * Async-signal-safe. */
void session_forget(void);

enum session_state {
  SESSION_NONE, /* there is no session */
  SESSION_RUNS,
  SESSION_ENDED,   /* OUT is filled; its rc is in OUT->tuned: false, and only OUT->why is
                      set */
  SESSION_CRASHED, /* as ENDED without a result, but with plan.retry another tuner may do
                      better */
};
/* In the program, all by one thread at a time (decide.c: busy), one session at a time.
 * Forks the tuner. 0, or -1 and OUT->why. */
int session_start(const struct autotune_kernel *k, const struct identity *id,
                  const struct call *call, const struct plan *plan, struct outcome *out);
/* Is there something that session_wait would see to? A few nanoseconds. */
bool session_has_news(void);
/* Reads what the tuner has sent, and waits at most SECONDS for the end (negative: as long
 * as the tuner shows life). After ENDED and CRASHED there is no session. */
enum session_state session_wait(double seconds, struct outcome *out);
/* Ends the tuner: nobody wants its result any more. */
void session_cancel(void);
/* Starts and waits, once more where the tuner crashes. 0 or -1 (then only OUT->why is
 * set). */
int session_run(const struct autotune_kernel *k, const struct identity *id,
                const struct call *call, const struct plan *plan, struct outcome *out);

#endif
