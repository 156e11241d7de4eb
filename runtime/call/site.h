/* SPDX-License-Identifier: Apache-2.0 */
/* site.h: the keys of a kernel (site.c), what is decided for each (decide.c), and api.c
 * tells. */
#ifndef AUTOTUNE_SITE_H
#define AUTOTUNE_SITE_H

#include <stdatomic.h>

#include "base/base.h"
#include "call/session/session.h"
#include "keep/store/store.h"
#include "run/target.h"

/* A text that somebody may be reading: it stays until the site is closed. */
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
/* The runtime's half of PLACE, made by whoever comes first; NULL: no memory. */
struct site *site_of(struct autotune_site *place);
/* The node of KEY, made where there is none; NULL: no memory. */
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
/* What N's calls run from here on. */
void node_set(struct node *n, struct variant_code code);
bool node_is_default(const struct node *n); /* true if it is the default */
/* Leaves code that somebody may be in to the node, which goes when the site does. */
void site_keep(struct node *n, struct target_code *code);

/* ---- decide.c -------------------------------------------------------------------- */

/* One thread at a time decides, tunes, or looks after a tuning. False: another one does.
 */
bool decide_take(void);
void decide_release(void);
enum tuning_mode decide_mode(const struct autotune_kernel *k);
/* A launch of N, which is perhaps not decided: N->code is what to launch then. */
void decide_launch(struct site *s, struct node *n, const struct call *call);
/* What a tuning of N came to: installed and logged, its descriptor closed. */
void decide_outcome(struct site *s, struct node *n, struct outcome *out);
/* Frees what N has of it. */
void decide_free(struct node *n);
/* Is a kernel being tuned? */
bool site_busy(void);
/* In the child of a fork: whoever was busy is not there. */
void decide_after_fork(void);

/* ---- allowance.c: a budget that is a share of the time in the kernel; by anyone ---- */

double allowance_asked(
    const struct autotune_kernel *k); /* the share that was asked for; 0: none */
double allowance_fraction(
    const struct autotune_kernel *k); /* 0: it is none, or cannot be kept */
void allowance_spend(struct site *s, double seconds); /* in a call */
void allowance_cost(struct site *s,
                    double seconds); /* of tuning, and of calls that waited for it */
double allowance_left(const struct site *s); /* seconds of CPU, beyond what is spent */
/* May a tuning begin? */
bool allowance_begins(const struct site *s);

/* ---- provisional.c --------------------------------------------------------------------
 */

/* What the tuner of N lends: calls run it until more is known. */
void provisional_install(struct node *n, const struct outcome *out);
/* What was borrowed for N's key by an earlier process. */
struct recall;
void provisional_known(struct node *n, const struct recall *known);
/* Where nothing is tuned: what won for a near key, if it proves right for this call.
 * False: there is none, or it is not; else OUT is as of a tuning. */
bool provisional_checked(struct site *s, struct node *n, const struct call *call,
                         struct outcome *out);

/* ---- watch.c: does what was tuned stay as fast? ---------------------------------- */

/* N's winner is installed, which took RECORDED seconds when it was tuned. No race for
 * PAUSE seconds. */
void watch_begin(struct node *n, double recorded, double pause);
void watch_end(struct node *n);
double watch_pause(void); /* seconds between two races, at least */
/* In a call of N: is it to be timed? */
bool watch_due(struct node *n);
void watch_see(struct node *n, double seconds);
bool watch_wants_race(const struct node *n);
/* False: there have been enough. */
bool watch_race(struct node *n, struct plan *plan);

/* ---- background.c: the tuning beside the program; by whoever has decide_take, unless
 * said otherwise ---- */

bool background_goes(void); /* by anyone */
/* Begins one for N, where there is none. 0, or -1 and OUT. */
int background_start(struct site *s, struct node *n, const struct call *call,
                     const struct plan *plan, struct outcome *out);
/* Is there something to look after? A few nanoseconds. */
bool background_calls(void);
/* Looks after it, waiting at most SECONDS for its end. */
void background_look(double seconds);
/* The same, by anyone. False: there is none, or somebody else is at it. */
bool background_wait(double seconds);
/* Tells N that it has to wait for its turn. */
void background_tell(struct node *n);
/* By anyone: no tuning of S goes on when this returns. False: one cannot be stopped. */
bool background_leave(const struct site *s);
void background_forget(void); /* in the child of a fork */

#endif
