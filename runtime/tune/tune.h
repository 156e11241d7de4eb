/* SPDX-License-Identifier: Apache-2.0 */
/* tune.h: one tuning, in the tuner process, grouped by file. */
#ifndef AUTOTUNE_TUNE_H
#define AUTOTUNE_TUNE_H

#include "base/role.h"
#include "compile/compile.h"
#include "compile/static.h"
#include "plan.h"
#include "run/target.h"
#include "tune/objective/objective.h"
#include "tune/search/search.h"
#include "model/space.h"
#include "keep/store/store.h"

/* ---- hints.c: what was fast for like problems ------------------------------------ */

enum { MAX_HINTS = 16 };
struct hint {
  choice point[MAX_PARAMS];
  char from[96]; /* for people: "n = 1024" */
  bool near;     /* as in struct relative */
};
struct hints {
  unsigned n;
  struct hint items[MAX_HINTS];
};
/* Points that are worth trying first in SPACE, best first: they exist and none is there
 * twice. */
void hints_find(struct store *store, const struct space *space, const struct identity *id,
                struct hints *out);
/* The point of VALUES ("MR=6\nNR=64\n", of any kernel): parameters by name, those of
 * directives by what they are and their order; a number that is no candidate here becomes
 * the nearest one, what is not named the default's, and what the constraint refuses a
 * point nearby. False: there is none, or nothing is known. */
bool hints_point(const struct space *space, const char *values, choice *point);
/* What was fastest for ID itself: its last winner before all. */
void hints_own(struct store *store, const struct space *space, const struct identity *id,
               struct hints *out);
/* Adds the point of VALUES, unless there is none, or it is there. The hint, or NULL. */
struct hint *hints_add(struct hints *h, const struct space *space, const char *values,
                       const char *from);

/* ---- transfer.c -------------------------------------------------------------------- */

/* Tells ST what variants took for the nearest key, if there is a near one and CLASS
 * learns from that. How many, and in NAME which key that was. */
unsigned transfer_near(struct store *store, const struct space *space,
                       const struct identity *id, const struct strategy_class *class,
                       struct strategy *st, char name[96]);

/* ---- one tuning ------------------------------------------------------------------ */

enum { PRUNE_RULES = 3 };
enum { NONE = -1, FINALISTS = 48, RACE_SAMPLES = 120 };
enum { FEW_VARIANTS = 16 }; /* after as many, finding nothing is a result */

#define SAY(out, ...) snprintf((out)->why, sizeof(out)->why, __VA_ARGS__)

/* One variant. Its ticket is its index + 1. */
struct candidate {
  choice *point;
  char *values;         /* as in struct record */
  uint64_t variant;     /* as in struct record */
  const char *compiler; /* with version; the backend's */
  enum maker maker;     /* of it */
  bool begun, done;     /* written down as pending; its fate is known */
  bool taken;           /* put off: another process is at it */
  bool offered;         /* for the program's own calls */
  enum status status;
  struct estimate e;
  double *samples;
  unsigned n_samples;
  struct object object; /* kept while it may win */
  uint64_t code;        /* hash of the object; 0: there is none */
  bool near;            /* as in struct hint */
  char *
      from; /* where the point comes from if the strategy did not ask for it; else NULL */
  int unasked;              /* another such candidate, or NONE */
  struct features features; /* NAN where unknown */
  /* prune.c's: */
  int sibling[PRUNE_RULES]; /* index of what each rule holds it against, or NONE */
  int condemned;            /* the rule that spoke against it, or NONE */
  bool hopeless;            /* the search expected it to be much slower than the best */
};

struct pruning {
  unsigned spoken[PRUNE_RULES]; /* how often each rule has spoken */
  bool silent[PRUNE_RULES];     /* it was wrong once */
};

struct online; /* online.c */
struct tuning {
  const struct autotune_kernel *kernel;
  const struct identity *id;
  const struct call *call;
  const struct plan *plan;
  struct space space;
  const struct strategy_class *class;
  struct strategy *strategy;
  const struct target *target;
  struct executor *workers;
  struct online *online; /* NULL: variants are timed in the sandbox */
  bool live;             /* real calls have decided */
  struct pool *pool;
  struct store *store; /* NULL: none */
  struct candidate *candidates;
  unsigned n, capacity;
  bool exhausted;    /* the strategy has no more points */
  bool lost;         /* no worker can be had any more */
  bool unraced;      /* some may be faster than the default, and none could be raced */
  bool quiet;        /* nothing is compiled while something is timed */
  bool settled;      /* less improvement is expected than is wanted */
  bool complete;     /* all that may be tried was */
  unsigned recalled; /* known from an earlier tuning, or from another process */
  struct sharing {
    double since, looked, waits;
    unsigned taken;
  } sharing;                 /* share.c */
  unsigned in_flight, ahead; /* being compiled; how many may be */
  int best;                  /* index of the best candidate, or NONE */
  int unasked;               /* the last that the strategy did not ask for, or NONE */
  struct hints *hints;
  unsigned next_hint;
  bool provisional; /* the program has something to run meanwhile */
  struct estimate original;
  struct pruning pruning;
  double until; /* the plan's or the kernel's; 0: never */
  double began, budget, deadline, explore_from, explore_until; /* sys_now */
  unsigned given;                        /* of the plan's points, proposed so far */
  unsigned max_variants, hint, expected; /* hint: how many, for the strategy */
  struct summary summary;                /* counts and times, as they grow */
  char machine_text[160];                /* summary.machine */
  char origin_text[160]; /* "; the winner is that of …" where it was a hint; else "" */
  char why_text[240];    /* summary.why, where the winner was a hint */
  char search_text[64];  /* summary.search */
  const struct tune_host *host;
};

/* ---- tune.c ---------------------------------------------------------------------- */
/* The pass, in the tuner process. OBJECT_FD: memfd that receives the winner's shared
 * object. 0 or -1, and OUT. */
int tune_run(const struct autotune_kernel *k, const struct identity *id,
             const struct call *call, const struct plan *plan, int object_fd,
             const struct tune_host *host, struct outcome *out);
void tune_report(struct tuning *t, double silence);
/* Seconds that a run may take. */
double tune_limit(const struct tuning *t);
/* Seconds until a trial with PLAN is over, come what may. */
double tune_silence(const struct trial_plan *plan);
/* Variants that were proposed, but for those that were dropped. */
unsigned tune_asked(const struct tuning *t);
/* The better of the default and the best candidate. */
struct estimate tune_best(const struct tuning *t);
/* Loads, checks (once) and times C (NULL: the default). Sets T->lost where nothing can be
 * tried any more. */
void tune_try(struct tuning *t, struct candidate *c, const struct trial_plan *plan,
              struct trial *out);
/* Makes of C's object what the program loads, as the file PATH. False, and *WHY
 * (malloc'ed). */
bool tune_link(const struct tuning *t, const struct candidate *c, const char *path,
               char **why);

/* ---- setup.c --------------------------------------------------------------------- */
void setup_budget(struct tuning *t);
/* All that may fail and then leaves the default. */
bool setup_tuning(struct tuning *t, struct outcome *out);
void setup_store(struct tuning *t);
/* What was found for other keys, and for kernels like this one. */
void setup_hints(struct tuning *t);

/* ---- finish.c -------------------------------------------------------------------- */
/* The final race; its winner linked to FD and stored; the outcome. 0 or -1. */
int finish_tuning(struct tuning *t, int fd, struct outcome *out);
/* C's object as a shared object, in the memory file FD and in the store where there is
 * one. */
bool finish_link(struct tuning *t, const struct candidate *c, int fd,
                 struct outcome *out);

/* ---- candidate.c ----------------------------------------------------------------- */
/* A new one for POINT, which the strategy asked for. NULL: no memory. */
struct candidate *candidate_add(struct tuning *t, const choice *point);
/* The same for a point that it did not ask for; FROM says where it comes from. */
struct candidate *candidate_give(struct tuning *t, const choice *point, const char *from);
/* Is there one for POINT that the strategy did not ask for? */
bool candidate_given(const struct tuning *t, const choice *point);
/* Finds out what makes C this variant and no other. */
bool candidate_identify(const struct tuning *t, struct candidate *c);
/* What is known of C, without samples. */
struct record candidate_record(const struct candidate *c);
/* Counts C, whose fate and time are known, and tells the strategy. */
void candidate_note(struct tuning *t, struct candidate *c);
/* What came of C, in the store, the counts and the strategy. TRIAL's samples are C's from
 * then on. */
void candidate_settle(struct tuning *t, struct candidate *c, const struct trial *trial,
                      double compile_seconds);
/* Ends in the store what was begun and not tried. */
void candidate_abandon(struct tuning *t);

/* ---- explore.c ------------------------------------------------------------------- */
/* Until the strategy has no more points, or explore_until: proposes, compiles, tries,
 * learns. */
void explore(struct tuning *t);
/* The next of the plan's points that exists, as a candidate; NULL: there is none. */
struct candidate *explore_given(struct tuning *t);
/* Compiles C, to be tried. False: that cannot be. */
bool explore_submit(struct tuning *t, struct candidate *c);
/* Sees to it that C has its object; it may come from an earlier tuning. False: it cannot
 * be had. */
bool explore_compile(struct tuning *t, struct candidate *c);
/* Compiles and tries once more what is known from an earlier process. False: it was
 * nothing. */
bool explore_again(struct tuning *t, struct candidate *c);

/* ---- provisional.c: something to run meanwhile
 * ------------------------------------------ */
bool provisional_wants(const struct tuning *t, const struct candidate *c);
void provisional_offer(struct tuning *t, const struct candidate *c);

/* ---- share.c: other processes that tune the same problem ------------------------- */
/* How many were at it when this process joined them; it leaves them by ending. */
unsigned share_join(const struct identity *id);
/* What the store knows of C by now. KNOWN_RESULT: it is noted; KNOWN_TAKEN: it is put
 * off. */
enum knowledge share_look(struct tuning *t, struct candidate *c);
/* Learns what others have found since the last time; takes up again what was put off for
 * nothing. */
void share_news(struct tuning *t);
/* Is there nothing to do but to wait for what others are at? */
bool share_waits(struct tuning *t);
/* The winner that is in the store already, to be beaten; NULL: there is none. */
struct candidate *share_rival(struct tuning *t);
/* Lets others see how far it is; WHY: what came of it, at its end. */
void share_phase(const struct tuning *t, enum phase phase, const char *why);

/* ---- prune.c: pure, but for what it notes in F, ALL and C ---------------------- */
/* Candidate INDEX has its features, or its time: notes which siblings rules hold it, or
 * hold against it. */
void prune_relate(struct candidate *all, unsigned n, unsigned n_params, unsigned index);
/* Is EXPECTED (seconds; 0: no idea) much more than the best? */
bool prune_hopeless(double expected, struct estimate best);
/* The rule by which C, not run, is sure to lose; NONE: there is none. */
int prune_loser(const struct pruning *f, const struct candidate *all, unsigned n,
                const struct candidate *c, struct estimate best);
/* RULE has spoken against C. False: run it all the same, so that the rule stays honest.
 */
bool prune_drops(struct pruning *f, struct candidate *c, int rule);
/* Seconds that C, which was dropped, may have taken: what searches are told. */
double prune_guess(const struct candidate *all, const struct candidate *c,
                   struct estimate best);
/* After C was run: was the rule wrong that spoke against it? */
void prune_learn(struct pruning *f, const struct candidate *all,
                 const struct candidate *c, struct estimate best);
const char *prune_why(int rule); /* "spills in its main loop" */

/* ---- throttle.c ----------------------------------------------------------------------
 */
/* From here on this thread, and those that it begins, come after the program's. */
void throttle_yield(void);
/* Seconds of CPU so far, also told the program. */
double throttle_count(const struct tuning *t);
/* Has the tuning cost less than the plan's share allows, if there is one? */
bool throttle_allows(const struct tuning *t);
/* Where the plan has a share: sleeps while the tuning has cost more than it allows.
 * Seconds that it slept; deadlines are moved by them. */
double throttle_keep(struct tuning *t);

/* ---- online.c -------------------------------------------------------------------- */
/* Before anything is tried. False: no memory. */
bool online_new(struct tuning *t);
/* Reads what real calls took, orders more of them, sends what the sandbox has passed.
 * Returns at once. */
void online_step(struct tuning *t);
/* Seconds that calls have taken more than with the best so far: a cost of the tuning. */
double online_lost(const struct tuning *t);
/* Until real calls have decided, or too few come (then *DECIDED is false): the winner's
 * index or NONE. */
int online_finish(struct tuning *t, bool *decided);

/* ---- race.c ---------------------------------------------------------------------- */
/* The finalists and the default in turns, nothing else running. The index of the winner;
 * NONE: the default stays. */
int race(struct tuning *t);

#endif
