/* SPDX-License-Identifier: Apache-2.0 */
/* site.h: what happens in the program's own calls, grouped by file. Begin to read here.
 *
 *   api.c           what a program may ask (autotune.h)
 *   site.c          the keys of each kernel, found without a lock
 *   begin.c         autotune_begin and autotune_end, around each call
 *   decide.c        which variant a call runs
 *   launch.c        the same for kernels that are launched on a device
 *   background.c    a tuning that goes on while the program does
 *   allowance.c     a budget that is a fraction of the time in the kernel
 *   provisional.c   the winner of a near key, until this key is tuned
 *   live.c          variants that are timed in these calls (live.h)
 *   watch.c         whether a winner stays as fast; drift.c judges (drift.h)
 *   session/        one tuning as a process (session.h) */
#ifndef AUTOTUNE_SITE_H
#define AUTOTUNE_SITE_H

#include <stdatomic.h>

#include "base/base.h"
#include "call/session/session.h"
#include "keep/store/store.h"
#include "run/target.h"

/* A text that another thread may be reading: it stays until the site is closed. */
struct note {
  struct note *next;
  char text[];
};

/* Code that a thread may be in: it stays until the site is closed. */
struct kept {
  struct kept *next;
  struct target_code *handle;
};

/* One key of one site. Found without a lock; never freed before the site is closed. */
struct node {
  struct node *_Atomic next;          /* in its bucket */
  struct node *all;                   /* in the list of all that the site ever had */
  atomic_bool decided;                /* entry.code will not change */
  atomic_bool asked;                  /* the store has no winner */
  atomic_bool captured;               /* its first call has been, or cannot be */
  atomic_bool retired;                /* forgotten, and out of its bucket */
  _Atomic(struct note *) why, values; /* newest first; values: "MR=6\nNR=64\n" */
  _Atomic(struct target_code *) code; /* of what runs; NULL: the default */
  struct target_code *handle;         /* the winner's */
  struct target_code *provisional;    /* of what ran before the winner was known */
  struct kept *kept;                  /* others that were the best for a while */
  struct watch *watch;                /* NULL: it is not watched */
  unsigned crashes;                   /* of its tuners */
  unsigned failures;                  /* to launch its winner */
  struct site *site;
  struct recall *known; /* what is to be checked before anything is tuned; or NULL */
  struct autotune_entry entry; /* last: its key is as long as the kernel says */
};

enum { BUCKETS = 64 };
struct site {
  struct site *next; /* in the list of all sites; under sites_lock */
  const struct autotune_kernel *kernel;
  struct autotune_site *place; /* in the program */
  struct node *_Atomic buckets[BUCKETS];
  _Atomic(struct node *) all, last; /* last: of the key used last */
  uint64_t unit, space;             /* struct identity */
  _Atomic double spent, cost; /* allowance.c: seconds in calls; of CPU, for tuning */
  _Atomic unsigned long long calls; /* that spent is of */
};

/* ---- site.c ---------------------------------------------------------------------- */

/* The list of open sites, locked until sites_unlock. */
struct site *sites_lock(void);
void sites_unlock(void);
/* The runtime's half of PLACE, made by the first call; NULL: no memory. Any thread. */
struct site *site_of(struct autotune_site *place);
/* The node of KEY, made where there is none; NULL: no memory. Any thread. */
struct node *node_of(struct site *s, const long long *key);
struct node *site_find(struct site *s, const long long *key); /* NULL: not called yet */
struct identity site_identity(const struct site *s, const long long *key);
/* Takes what is known of KEY (NULL: all keys) out of this process. */
void site_forget(struct site *s, const long long *key);
/* Adds TEXT to one of a node's lists of notes, unless it is the newest already. */
void site_note(_Atomic(struct note *) *list, const char *text);

/* Loads the variant at PATH, with VALUES ("MR=6\nNR=64\n"), for N's key. False and
 * *MESSAGE (malloc'ed): it cannot be. */
bool site_load(struct node *n, const char *path, const char *values,
               struct variant_code *out, char **message);
/* Sets what N's calls run from here on. */
void node_set(struct node *n, struct variant_code code);
bool node_is_default(const struct node *n); /* true if it is the default */
/* Leaves CODE, which a thread may be in, to the node until the site is closed. */
void site_keep(struct node *n, struct target_code *code);

/* ---- decide.c -------------------------------------------------------------------- */

/* One thread at a time decides, tunes, or looks after a tuning: the one that holds this.
 * Never waits. False: another thread holds it. */
bool decide_take(void);
void decide_release(void);
enum tuning_mode decide_mode(const struct autotune_kernel *k);
/* What runs for N: the default, until something better is decided or provisional. */
autotune_fn decide_current(const struct node *n);
/* The same; and N becomes what the stub looks at first. */
autotune_fn decide_use(struct site *s, struct node *n);
/* Decides N, for which CALL waits, or finds that it cannot be decided now. What to run.
 */
autotune_fn decide_key(struct site *s, struct node *n, const struct call *call);
/* In a call of N, which is decided: sees to a tuning in the background, or begins a race.
 */
void decide_look(struct site *s, struct node *n, const struct call *call);
/* Installs and logs OUT, which came of a tuning of N, and closes its descriptor. */
void decide_outcome(struct site *s, struct node *n, struct outcome *out);
/* Frees what N knows from the store. */
void decide_free(struct node *n);
/* True while a kernel is being tuned, or a thread holds decide_take. */
bool site_busy(void);
/* In the child of a fork: the thread that held decide_take is not there. */
void decide_after_fork(void);

/* ---- begin.c --------------------------------------------------------------------- */

/* A launch of N, which is perhaps not decided: N->code is what to launch then. */
void begin_launch(struct site *s, struct node *n, const struct call *call);

/* ---- allowance.c: a budget that is a fraction of the time in the kernel; any thread */

double allowance_asked(
    const struct autotune_kernel *k); /* the fraction that was requested; 0: none */
double allowance_fraction(const struct autotune_kernel
                              *k); /* 0: none was requested, or it cannot be enforced */
void allowance_spend(struct site *s, double seconds); /* in a call */
void allowance_cost(struct site *s,
                    double seconds); /* of tuning, and of calls that waited for it */
double allowance_left(const struct site *s); /* seconds of CPU, beyond what is spent */
/* True if a tuning may begin. */
bool allowance_begins(const struct site *s);

/* ---- provisional.c --------------------------------------------------------------- */

/* Calls of N run what OUT, from its tuner, says, until more is known. */
void provisional_install(struct node *n, const struct outcome *out);
struct recall;
/* The same with the provisional winner that an earlier process stored for N's key. */
void provisional_known(struct node *n, const struct recall *known);
/* Where nothing is tuned: checks the winner of a near key on this call's data. False:
 * there is none, or it is wrong here; else OUT is as after a tuning. */
bool provisional_checked(struct site *s, struct node *n, const struct call *call,
                         struct outcome *out);

/* ---- watch.c: whether a winner stays as fast --------------------------------------- */

/* Begins for N, whose winner is installed and took RECORDED seconds when it was tuned. No
 * race begins for PAUSE seconds. */
void watch_begin(struct node *n, double recorded, double pause);
void watch_end(struct node *n);
double watch_pause(void); /* seconds between two races, at least */
/* True if this call of N is to be timed. */
bool watch_due(struct node *n);
/* A timed call of N took SECONDS. */
void watch_see(struct node *n, double seconds);
bool watch_wants_race(const struct node *n);
/* Makes the plan of a race for N. False: there have been enough. */
bool watch_race(struct node *n, struct plan *plan);

/* ---- background.c: a tuning that goes on while the program does -------------------- */
/* Call these only while holding decide_take(), unless they say otherwise. */

bool background_goes(void); /* true while there is one; any thread */
/* Begins one for N, where there is none. 0, or -1 and OUT. */
int background_start(struct site *s, struct node *n, const struct call *call,
                     const struct plan *plan, struct outcome *out);
/* True if background_look would have something to do. A few nanoseconds. */
bool background_calls(void);
/* Looks after it, waiting at most SECONDS for its end. */
void background_look(double seconds);
/* The same, from any thread. False: there is none, or another thread looks after it. */
bool background_wait(double seconds);
/* Notes in N that another kernel is being tuned. */
void background_tell(struct node *n);
/* Ends a tuning of S, from any thread. False: it cannot be stopped. */
bool background_leave(const struct site *s);
void background_forget(void); /* in the child of a fork */

#endif
