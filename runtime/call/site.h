/* SPDX-License-Identifier: Apache-2.0 */
/* site.h: the runtime's work in the program's own calls, grouped by file. Start reading
 * here.
 *
 *   api.c           the functions of autotune.h for programs
 *   site.c          the keys of each kernel, found without a lock
 *   begin.c         autotune_begin and autotune_end, around each call
 *   decide.c        which variant a call runs
 *   plan.c          what a call asks of a tuner
 *   launch.c        the same for kernels that are launched on a device
 *   background.c    a tuning that runs while the program does
 *   allowance.c     a budget that is a fraction of the time in the kernel
 *   provisional.c   the winner of a near key, until this key is tuned
 *   stored.c        what is stored of a key
 *   given_up.c      the winner that many keys agree on; limits of keys and tunings
 *   lead.c          new values of a key that are not compared with the default (lead.h);
 *                   pairs.c decides whether the winner is faster for them (pairs.h)
 *   confirm.c       compares a new winner with the default in these calls (confirm.h)
 *   live.c          variants that are timed in these calls (live.h)
 *   watch.c         watches whether a winner stays as fast; drift.c decides (drift.h)
 *   doubt.c         keys that were decided on a call that did next to nothing (doubt.h)
 *   rest.c          goes on with searches that first calls did not wait for (rest.h)
 *   first.c         notes the first call of a winner
 *   team.c          calls that several threads make at the same time
 *   hot.c           kernels that are tuned only when much of the time is spent in them
 *                   (hot.h)
 *   refuse.c        calls that are not tuned, and why
 *   loss.c          what tunings and checks take from the program; ration.c decides what
 *                   they may (ration.h)
 *   vain.c          tunings that end before they have tried anything (vain.h)
 *   reverify.c      checks winners again; account.c decides when (account.h)
 *   session/        one tuning as a process (session.h) */
#ifndef AUTOTUNE_SITE_H
#define AUTOTUNE_SITE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"
#include "call/session/session.h"
#include "doubt.h"
#include "hot.h"
#include "keep/store/store.h"
#include "rest.h"
#include "run/target.h"

struct confirm;

/* A text that another thread may be reading; freed when the site is closed. */
struct note {
  struct note *next;
  char text[];
};

/* Code that a thread may be running; unloaded when the site is closed. */
struct kept {
  struct kept *next;
  struct target_code *handle;
};

/* The first call of a winner in this process, which is noted in the store until it has
 * returned (entered.c there). */
enum first_state { FIRST_TO_COME, FIRST_RUNS, FIRST_RETURNED };
struct first_call {
  _Atomic(enum first_state) state;
  int slot;          /* RUNS: of the note; -1: there is none */
  pthread_t thread;  /* RUNS */
  const void *frame; /* RUNS: the address of the call's state */
};

/* The threads that make a node's calls at the same time. Never changed, and freed with
 * the site. */
struct team {
  struct team *next;
  unsigned threads; /* at least 2 */
  bool nests;       /* a region within a call has threads of its own */
  const char **names;
  long long key[]; /* the node's, and one part more: THREADS */
};

/* One key of one site. Found without a lock; never freed before the site is closed. */
struct node {
  struct node *_Atomic next;          /* in its bucket */
  struct node *all;                   /* in the list of all nodes the site ever had */
  atomic_bool decided;                /* entry.code will not change */
  atomic_bool asked;                  /* the store has no winner */
  atomic_bool captured;               /* its first call was captured, or cannot be */
  atomic_bool shared;                 /* team_refuse has been called */
  atomic_bool retired;                /* forgotten, and out of its bucket */
  _Atomic(struct note *) why, values; /* newest first; values: "MR=6\nNR=64\n" */
  _Atomic(struct target_code *) code; /* the code that runs; NULL: the default */
  struct target_code *handle;         /* the winner's code */
  struct target_code *provisional;    /* the code that ran before the winner was known */
  struct kept *kept;                  /* other code that was the best for a while */
  struct watch *watch;                /* NULL: it is not watched */
  struct reverify *reverify;          /* NULL: it is not checked again */
  _Atomic(struct confirm *) confirm;  /* NULL: it is not compared in calls */
  uint64_t variant;        /* the winner's, as in struct record; 0: not known */
  uint64_t extent;         /* kernel_extent of the call that was tuned; 0: none was */
  uint64_t constants;      /* as in struct variant_code, of the winner's code */
  struct first_call first; /* of the winner, in this process */
  unsigned crashes;        /* how many of its tuners crashed */
  unsigned failures;       /* how often its winner could not be launched */
  unsigned others;         /* keys of its kernel in the store, when asked */
  /* The part of the kernel's time that a known variant would save. It is known from a
   * tuning that did not come to its end, or from other keys. 0: there is none. */
  _Atomic double found;
  _Atomic(enum refusal) refusal; /* why its calls were not tuned last */
  struct doubt doubt;
  struct rest rest;
  bool tuned;      /* in this process, to its end */
  bool refused;    /* the winner that other keys agree on is wrong */
  bool looked;     /* given_up.c: other keys were looked up once */
  atomic_bool own; /* it was tuned here, or refused: no winner of others leads it */
  _Atomic double not_before; /* sys_now: it cannot be decided earlier; or 0 */
  _Atomic double usual;      /* hot.c: seconds of its calls, rather low; 0: not known */
  _Atomic double spent;      /* hot.c: seconds in its calls while it was timed */
  struct site *site;
  _Atomic(struct team *) team; /* NULL: its calls are made one at a time */
  struct team *teams;          /* all that it ever had */
  atomic_bool has_known;       /* for threads that do not hold decide_take() */
  struct recall *known; /* a stored result that must be checked before tuning; or NULL */
  struct autotune_entry entry; /* last: its key has the length that the kernel declares */
};

/* What a kernel's texts say (struct identity). */
struct facts {
  uint64_t unit, space, contract;
};

enum { BUCKETS = 64, WARM = 3 };
struct given_up;
struct lead;
struct recall;
struct site {
  struct site *next; /* in the list of all sites; under sites_lock */
  const struct autotune_kernel *kernel;
  struct autotune_site *place; /* the program's half */
  struct node *_Atomic buckets[BUCKETS];
  _Atomic(struct node *) all, last; /* last: the node used last */
  const struct target *target;
  /* launch.c: decided nodes that were the hot one before, and the place of the next. */
  _Atomic(struct node *) warm[WARM];
  atomic_uint warm_next;
  struct facts facts;         /* site_facts */
  atomic_bool knowing, knows; /* a thread writes FACTS; they are written */
  atomic_int cooperates;      /* 1: it does; -1: it does not; 0: not known yet */
  _Atomic double spent, cost; /* allowance.c: seconds in calls; CPU seconds of tuning */
  _Atomic unsigned long long calls; /* calls that `spent` counts */
  atomic_uint n_nodes;              /* not forgotten ones */
  /* given_up.c: the agreement found last, or NULL; all of them, to be freed; the tunings
   * in this process, when the first began, how long they took, and when the present one
   * began (sys_now, or 0). */
  _Atomic(struct given_up *) given_up;
  struct given_up *agreements;
  _Atomic(struct lead *) lead; /* lead.c: NULL: new values are compared, or tuned */
  struct lead *leads;          /* all of them, to be freed */
  unsigned n_agreements, tunings;
  double tuning_first, tuning_seconds, tuning_began;
  struct heat heat; /* of a kernel that is tuned when hot */
};

/* ---- site.c ---------------------------------------------------------------------- */

/* The list of open sites, locked until sites_unlock. */
struct site *sites_lock(void);
void sites_unlock(void);
/* Returns the runtime's half of PLACE, made by the first call; NULL: no memory. Any
 * thread. */
struct site *site_of(struct autotune_site *place);
/* Returns the node of KEY, made if it does not exist; NULL: no memory. Any thread. */
struct node *node_of(struct site *s, const long long *key);
struct node *site_find(struct site *s, const long long *key); /* NULL: not called yet */
/* Reads S's texts when it is first called: in C++ they hold all headers, which takes a
 * millisecond that kernels which are not hot should not cost. Thread-safe. */
struct facts site_facts(const struct site *s);
/* kernel_cooperates of S's kernel, likewise. */
bool site_cooperates(struct site *s);
struct identity site_identity(const struct site *s, const long long *key);
/* Makes this process forget KEY (NULL: all keys). */
void site_forget(struct site *s, const long long *key);
/* Adds TEXT to LIST, a list of notes of a node, unless it is the newest already. */
void site_note(_Atomic(struct note *) *list, const char *text);

/* Loads the variant at PATH, with VALUES ("MR=6\nNR=64\n"), for N's key. False and
 * *MESSAGE (malloc'ed): it cannot be loaded. */
bool site_load(struct node *n, const char *path, const char *values,
               struct variant_code *out, char **message);
/* Sets the code that N's calls run from now on. */
void node_set(struct node *n, struct variant_code code);
bool node_is_default(const struct node *n); /* true if N runs the default */
/* Gives CODE, which a thread may be running, to N, which keeps it until the site is
 * closed. */
void site_keep(struct node *n, struct target_code *code);

/* ---- decide.c -------------------------------------------------------------------- */

/* Takes the right to decide, to tune, or to attend to a tuning, which one thread at a
 * time has. Never waits. False: another thread has it. */
bool decide_take(void);
void decide_release(void);
enum tuning_mode decide_mode(const struct autotune_kernel *k);
/* Returns what runs for N: the default, until a winner or a provisional winner is
 * installed. */
autotune_fn decide_current(const struct node *n);
/* The same; N also becomes the entry that the stub compares first, if S has one. */
autotune_fn decide_use(struct site *s, struct node *n);
/* Decides N, for which CALL waits, or finds that it cannot be decided now. Returns what
 * to run. */
autotune_fn decide_key(struct site *s, struct node *n, const struct call *call);
/* Looks N, which is not decided, up in the store for a launch that is recorded into a
 * graph; else notes that the graph keeps the default. */
void decide_recorded(struct site *s, struct node *n, const struct call *call);
/* Notes that a call of N whose sections overlap could not be tuned, unless it has another
 * reason. */
void decide_overlaps(struct node *n);
/* In a call of N, which is decided: attends to a tuning in the background, or begins a
 * race. */
void decide_look(struct site *s, struct node *n, const struct call *call);
/* The same in a call that lead_of treats as one of N: begins no race. */
void decide_look_led(struct site *s, struct node *n, const struct call *call);
/* True if decide_look_led may have something to do. Takes a few nanoseconds. */
bool decide_led_wants(const struct node *n);
/* Installs and logs OUT, the outcome of a tuning of N, and closes its descriptor. */
void decide_outcome(struct site *s, struct node *n, struct outcome *out);
/* Decides N as the default, because of WHY. */
void decide_default(struct node *n, const char *why);
/* Loads the shared object at PATH for N, with VALUES of VARIANT, because of WHY. False,
 * after a message: it cannot be loaded. */
bool decide_install(struct site *s, struct node *n, const char *path, const char *values,
                    uint64_t variant, const char *why);
/* Returns the reason why nothing is tuned in MODE. */
enum refusal decide_why_not(enum tuning_mode mode);
/* True while a kernel is being tuned, or a thread holds decide_take. */
bool site_busy(void);
/* In the child of a fork: releases decide_take, whose holder does not exist in the
 * child. */
void decide_after_fork(void);

/* ---- stored.c -------------------------------------------------------------------- */
/* Call these only while holding decide_take(). */

/* Looks N up in the store, once: results that other processes store later are for later
 * runs. True: decided. A winner without code is left in N->known. */
bool stored_ask(struct site *s, struct node *n);
/* Decides N by KNOWN, if its code is stored. False: there is no code, or it cannot be
 * loaded. */
bool stored_adopt(struct site *s, struct node *n, const struct recall *known);
void stored_free(struct node *n); /* frees N->known */

/* launch.c: makes launches of S look up all its nodes again. Any thread. */
void launch_cool(struct site *s);

/* ---- plan.c ---------------------------------------------------------------------- */

/* Returns the plan of a tuning of N in this call. */
struct plan plan_of(const struct node *n);
/* Returns the parts of N's key that may be constants in its variants. */
uint64_t plan_constants(const struct node *n);

/* ---- begin.c --------------------------------------------------------------------- */

/* Decides N, if it is not decided, for a launch. Afterwards N->code is what to launch. */
void begin_launch(struct site *s, struct node *n, const struct call *call);

/* ---- allowance.c: a budget that is a fraction of the time in the kernel; any thread */

double allowance_asked(
    const struct autotune_kernel *k); /* the requested fraction; 0: none */
double allowance_fraction(
    const struct autotune_kernel *k); /* the fraction that is enforced; 0: none */
void allowance_spend(struct site *s, double seconds,
                     double calls); /* adds CALLS calls of SECONDS */
void allowance_cost(struct site *s,
                    double seconds); /* adds cost: tuning, and calls waiting for it */
double allowance_left(const struct site *s); /* CPU seconds that tuning may still cost */
/* True if K's tunings share what may be spent on kernels that are tuned when hot. */
bool allowance_is_shared(const struct autotune_kernel *k);
/* True if a tuning of N may begin. */
bool allowance_begins(const struct node *n);
/* The seconds of CPU that a tuning of S takes until it has found anything. */
double allowance_start(const struct site *s);
/* The seconds for which a tuning of K goes on when the program has ended. */
unsigned allowance_after(const struct autotune_kernel *k);

/* Returns the CPU seconds of tunings of kernels that are tuned when hot, so far. */
double allowance_cost_now(void);
/* In the child of a fork: it has cost nothing so far. */
void allowance_after_fork(void);

/* ---- loss.c: what tunings and checks take from the program itself, in all its runs ---
 */

/* Returns the seconds that a fork takes from the program: those of the fork, and of pages
 * copied afterwards. Any thread. */
double loss_expected(void);
/* Returns what the copies of such a fork of PAGES take at most, usually. Measures
 * nothing. Any thread. */
double loss_most_copies(double pages);
/* Returns the seconds that copies of all its pages would take. Any thread. */
double loss_copies(void);
/* True if another tuning of a kernel that is tuned when hot may begin. TIME: of this run,
 * as is expected (hot_time_expected); FOUND: as in struct ration. Any thread. */
bool loss_lets_tune(double time, double found);
/* Return the seconds of all runs of the program so far, and those that earlier ones have
 * saved for tunings (ration_saved). Any thread. */
double loss_time(void);
double loss_saved(void);
/* True if there is credit for a check that will cost EXPECTED. */
bool loss_lets_check(double expected);
/* True if there would be, had no other check taken anything. */
bool loss_affords_check(double expected);
/* True if the last run had winners that were never checked for want of credit: these have
 * precedence. */
bool loss_others_wait(void);
/* Call these while holding decide_take(), for a tuning or check in the background: before
 * its process is forked, after that, and at its end. The last one charges what it has
 * taken from the program, to checks in addition (CHECK), and returns that, in seconds; 0:
 * there was no session. */
void loss_begin(void);
void loss_forked(void);
double loss_end(bool check);
/* Charges what processors spent on a check: to checks, and to what is lost as far as the
 * program did not leave them idle. */
void loss_check(double seconds);
/* Writes the ledger. WAITING: winners of this run that were never checked. */
void loss_at_exit(unsigned waiting);
void loss_after_fork(void); /* in the child of a fork */

/* ---- first.c: the first call of a winner; any thread --------------------------------
 */

/* Notes in the store that the call in STATE is the first of N's winner, if it is. True:
 * the caller has to see to first_leave. */
bool first_enter(struct node *n, const struct autotune_call_state *state);
void first_leave(struct node *n); /* it has returned */
/* The same at the end of the process, unless the call has ended it. */
void first_at_exit(struct node *n);

/* ---- team.c ---------------------------------------------------------------------- */

/* Returns what N's result belongs to. Lives as long as N. Any thread. */
struct identity node_identity(const struct node *n);
/* Returns what a result for this call of N, in a region, would belong to. Lives as long
 * as N. Call it only while holding decide_take(). */
struct identity team_identity(struct node *n);
/* Notes how many threads make N's calls at the same time: those of the region that this
 * call is in. Where that is new, N has to be looked up again. False: no memory. Call it
 * only while holding decide_take(), while N is neither decided nor tuned. */
bool team_join(struct node *n);
/* True if this call of S shares S's work with other threads of a region, so that it runs
 * the default. Any thread. */
bool team_shares(struct site *s);
/* Notes and says so for N, in its first such call. Any thread. */
void team_refuse(struct node *n);
/* Returns the reason why this call of S can neither be tuned nor change what S's calls
 * run, because of the region that it is in. Any thread. */
enum refusal team_refuses(const struct site *s);
/* Sets PLAN's team. */
void team_plan(const struct node *n, struct plan *plan);
void team_free(struct node *n);

/* ---- refuse.c -------------------------------------------------------------------- */

/* Notes, says and stores, as refusal_words has it, that N's calls are not tuned for
 * REASON. TEXT: for people; NULL: the reason's own. Where the reason lasts, call it on a
 * stack of stack_run. Any thread. */
void refuse(struct node *n, enum refusal reason, const char *text);
/* The same for a reason that may pass, while holding decide_take(). Nothing is noted
 * while a provisional variant runs. */
void refuse_for_now(struct node *n, enum refusal reason);
/* The same for this call of N, for which team_shares is true. Not in N, if it is decided:
 * that is for calls by one thread. Call it only while holding decide_take(). */
void refuse_shared(struct node *n);
/* At the end of the process: says and stores the reasons that could have passed. */
void refuse_at_exit(struct site *sites);

/* ---- provisional.c --------------------------------------------------------------- */

/* Makes calls of N run OUT, sent by its tuner, until a better result is known. */
void provisional_install(struct node *n, const struct outcome *out);
struct recall;
/* The same with KNOWN, the provisional winner that an earlier process stored for N's
 * key. */
void provisional_known(struct node *n, const struct recall *known);
/* If nothing is tuned: checks the winner of a nearby key on this call's data. False: no
 * such winner exists, or it is wrong here. Otherwise OUT is as after a tuning. */
bool provisional_checked(struct site *s, struct node *n, const struct call *call,
                         struct outcome *out);

/* These limit the time of checks in a program with very many keys: checks_next returns
 * the time (sys_now) from which a check may begin (any thread), checks_spend adds SECONDS
 * of a check (while holding decide_take). */
double checks_next(void);
void checks_spend(double seconds);

/* ---- given_up.c ------------------------------------------------------------------ */

/* Returns the node of CALL's key like node_of. NULL: the default runs, because there is
 * no memory, there are too many keys, the key takes a winner that cannot be checked yet,
 * or tuned keys agree on the default. Any thread. */
struct node *given_up_node(struct site *s, const struct call *call);
/* Returns what tuned keys agree on for KEY, which may be NULL, for people; it lives until
 * the site is closed. NULL: nothing. Any thread. */
const char *given_up_why(const struct site *s, const long long *key);
/* Returns the parts of S's key, as bits, that nobody chose and that change from call to
 * call in this process, or did in the earlier one in which S was hot. Any thread. */
uint64_t given_up_changing(const struct site *s);
/* Called before N, which is not known, is tuned (LOCKED: before something is done for it
 * in a mode that never tunes), while holding decide_take. If tuned keys agree on a
 * winner, sets N->known to it, which is to be checked, or decides N as the default. True:
 * nothing is to be done for N now. */
bool given_up_decides(struct site *s, struct node *n, const struct call *call,
                      bool locked);
/* Called after the check of N->known, which took SECONDS. */
void given_up_checked(struct site *s, struct node *n, bool good, double seconds);
void given_up_tuned(struct node *n, bool tuned); /* a tuning of N has ended */
/* True if N cannot be decided yet. Takes a few nanoseconds; any thread. */
bool given_up_waits(const struct node *n);
void given_up_forget(struct site *s); /* any thread */
void given_up_free(struct site *s);   /* when the site is closed */

/* ---- watch.c: watches whether a winner stays as fast ----------------------------- */

/* Starts watching N, whose winner is installed and took RECORDED seconds when it was
 * tuned. No race begins for PAUSE seconds. */
void watch_begin(struct node *n, double recorded, double pause);
void watch_end(struct node *n);
/* Times calls of N, which need not be watched. False: no memory. */
bool watch_times(struct node *n);
double watch_pause(void); /* least seconds between two races */
/* True if this call of N must be timed. */
bool watch_due(struct node *n);
/* Notes that a timed call of N took SECONDS. */
void watch_see(struct node *n, double seconds);
bool watch_wants_race(const struct node *n);
/* The next call of N, which is watched, must be timed, too. Any thread. */
void watch_next(struct node *n);
bool watch_is_shared(const struct node *n); /* several threads call N; any thread */
/* Makes the plan of a race for N. False: there have been enough races. */
bool watch_race(struct node *n, struct plan *plan);
double watch_seconds(const struct node *n); /* of a call; 0: not known */

/* ---- reverify.c: checks winners again in the program's calls ---------------------- */
/* Call these only while holding decide_take(), unless they say otherwise. */

/* True if winners of K are checked again; any thread. */
bool reverify_is_wanted(const struct autotune_kernel *k);
/* Starts checking N, whose winner was just installed. SERVICE (copied): its row; STORED:
 * it comes from an earlier process, else it was tuned on this call's data. ORIGINAL and
 * BEST: seconds of a call; 0: not known. */
void reverify_install(struct node *n, const struct service *service, bool stored,
                      double original, double best);
/* Counts CALLS of N, which took SECONDS; any thread. */
void reverify_count(struct node *n, unsigned calls, double seconds);
/* True if a check of N may be due; any thread. */
bool reverify_wants(const struct node *n);
/* Starts a check of N's winner on CALL's data, if that is due, allowed, and no tuning
 * goes on. */
void reverify_look(struct site *s, struct node *n, const struct call *call);
/* Takes OUT, the result of the check of N. */
void reverify_settle(struct node *n, const struct outcome *out);
/* Lets N's calls run the default while its winner, which seems to be wrong, is looked at
 * once more. */
void reverify_suspend(struct node *n, const struct outcome *out);
/* Notes that the check of N was ended for something else. */
void reverify_cancel(struct node *n);
/* Returns how many winners of SITES were never checked in a call after their tuning, only
 * because others have used up the credit. Any thread, at the end of the process. */
unsigned reverify_waiting(struct site *sites);
/* Makes N run the default from now on; WHY is for people. */
void reverify_revoke(struct node *n, const char *why);

/* ---- background.c: a tuning that runs while the program does ----------------------- */
/* Call these only while holding decide_take(), unless they say otherwise. */

bool background_goes(void);   /* true while such a tuning runs; any thread */
bool background_checks(void); /* true if it only checks a winner again; any thread */
/* Ends a check, so that a tuning can begin. */
void background_yield(void);
/* Starts a tuning of N; none may be running. Returns 0, or -1 and OUT. */
int background_start(struct site *s, struct node *n, const struct call *call,
                     const struct plan *plan, struct outcome *out);
/* True if background_look would have something to do. Takes a few nanoseconds. */
bool background_calls(void);
/* Attends to the tuning: reads its messages, installs its winner. Waits at most SECONDS
 * for its end. */
void background_look(double seconds);
/* The same, from any thread. False: no tuning runs, or another thread attends to it. */
bool background_wait(double seconds);
/* Notes in N that another kernel is being tuned. */
void background_tell(struct node *n);
/* Ends a tuning of S, from any thread. False: the tuning cannot be stopped. */
bool background_leave(const struct site *s);
void background_forget(void); /* in the child of a fork */
/* At the end of the process: charges what a tuning has taken by now. Any thread. */
void background_at_exit(void);

#endif
