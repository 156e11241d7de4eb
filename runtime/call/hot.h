/* SPDX-License-Identifier: Apache-2.0 */
/* hot.h: kernels that are tuned only when much of the program's time is spent in them
 * (kernel_when_hot). Any thread may call these. Part of site.h. */
#ifndef AUTOTUNE_HOT_H
#define AUTOTUNE_HOT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "keep/store/store.h"

struct site;
struct node;

/* What samples of the calls of a kernel that is tuned when hot say (hot.c). */
struct heat {
  _Atomic double calls, seconds; /* estimated, of all calls */
  _Atomic double longer;         /* estimated seconds in calls long enough to be tuned */
  _Atomic double next;           /* of LONGER: it is judged again from there on */
  _Atomic double mean;           /* seconds of a call, of the last samples */
  atomic_uint armed;             /* calls that the next sample is for */
  atomic_uint most;              /* of ARMED */
  atomic_uint samples;
  _Atomic(pthread_t) thread; /* of the first sample; 0: there was none */
  atomic_bool shared;        /* samples of several threads */
  atomic_bool hot;
  struct earlier earlier; /* the run in which it was hot before; elapsed 0: none */
  struct vain vain; /* used while holding decide_take(), and as vain.h says these: */
  atomic_bool pools;
  _Atomic double next_tuning; /* seconds of all runs; 0: at any time */
};

void hot_begin(void); /* at the first call of any kernel */
/* Looks whether S, which is new, was hot in an earlier run. Then it is from the first
 * call on. */
void hot_recall(struct site *s);
/* Sets the gate of S, whose kernel is tuned when hot, for the calls after this one, and
 * returns how many calls this one is a sample of. */
unsigned hot_enter(struct site *s);
/* Returns the node of KEY, made if S has few yet; NULL: it is not made. */
struct node *hot_node(struct site *s, const long long *key);
/* True if a call of N may be decided: looked up, or tuned if S is hot. N: NULL: the key
 * is new. */
bool hot_lets(const struct site *s, const struct node *n);
/* True if S is hot, or need not be. */
bool hot_tunes(const struct site *s);
/* True if N, a key of S, was never timed, or takes at least half as much of the kernel's
 * time as its keys do in the mean. Other keys are not tuned. */
bool hot_leads(const struct site *s, const struct node *n);
/* Notes that a call of S took SECONDS, which is a sample of CALLS calls. N: NULL: it is
 * not known which key it had. */
void hot_see(struct site *s, struct node *n, double seconds, unsigned calls);
/* Returns what the program spends in S so far; 0: it need not be hot. Any thread. */
struct usage hot_usage(const struct site *s);
/* True if S, such a kernel, may look into the store. Looks take 1 % of the time if S is
 * hot, and 0.2 % before. */
bool hot_may_ask(const struct site *s);
/* Notes that a look into the store took SECONDS. */
void hot_asked(double seconds);
/* Return the seconds of this run, of its processors or since it began, the greater of
 * the two; and those of idle processors that tunings may use. */
double hot_time(void);
double hot_idle(void);
/* True if the program has used more than one processor at a time, on average. */
bool hot_runs_threads(void);
/* Returns the CPU seconds that tunings of such kernels may have cost by now. */
double hot_allowance(void);
/* Return hot_time and hot_allowance of the earlier run in which S was hot, and the
 * seconds that its calls took in it; 0: there was none. */
double hot_time_expected(const struct site *s);
double hot_allowance_expected(const struct site *s);
double hot_seconds_expected(const struct site *s);
/* Returns the part that is left after this call, should this run be like that one: of the
 * calls of S or of the time, whichever is less, 0 to 1; 0 also if that is not known. */
double hot_left(const struct site *s);
/* Returns hot_allowance of a program that began TIME seconds ago, has had CPU seconds of
 * processors, and may use PROCESSORS of them. */
double hot_allowance_of(double time, double cpu, unsigned processors);
/* At the end of the process: notes which kernels are hot, and stores why the others were
 * not tuned. */
void hot_at_exit(struct site *sites);
void hot_after_fork(struct site *sites); /* in the child of a fork */

#endif
