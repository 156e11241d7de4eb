/* SPDX-License-Identifier: Apache-2.0 */
/* tune.h: one tuning, in the tuner process, grouped by file. */
#ifndef AUTOTUNE_TUNE_H
#define AUTOTUNE_TUNE_H

#include "base/commit.h"
#include "base/role.h"
#include "compile/compile.h"
#include "compile/static.h"
#include "hints.h"
#include "plan.h"
#include "run/target.h"
#include "model/objective/objective.h"
#include "tune/search/search.h"
#include "model/space.h"
#include "keep/store/store.h"

/* ---- one tuning ------------------------------------------------------------------ */

enum { PRUNE_RULES = 3 };
enum { NONE = -1, FINALISTS = 48, RACE_SAMPLES = 120 };
/* Samples in a search that may only cost a fraction of the program's time: the race is
 * what has to be precise, and a search that never comes to it is lost. */
enum { RATIONED = 6, RATIONED_DEFAULT = 8 };
enum { FEW_VARIANTS = 16 }; /* after so many, having found nothing is a result */

#define SAY(out, ...) snprintf((out)->why, sizeof(out)->why, __VA_ARGS__)

/* One variant. Its ticket is its index + 1. */
struct candidate {
  choice *point;
  char *values;     /* as in struct record */
  uint64_t variant; /* as in struct record */
  char *body; /* from outside, in the place of the kernel's; NULL: the kernel's. It lives
                 as long as the process */
  unsigned body_number; /* of the strategy's */
  const char *compiler; /* with version; the backend's */
  enum maker maker;     /* its kind */
  bool in_part;         /* `object` does a part of the work */
  bool begun, done;     /* written to the store as pending; its status is known */
  bool taken;           /* put off: another process is trying it */
  bool offered;         /* sent, or not to be sent, to be timed in the program's calls */
  enum status status;
  struct estimate e;  /* of its cost, corrected for the slowdown: choices go by it */
  double slowdown;    /* of the moment in which its samples were taken; 0: not known */
  double run_seconds; /* as in struct trial, of a whole run; 0: not known */
  double part;        /* as in struct record: of `samples` */
  double *samples;
  unsigned n_samples;
  struct object object; /* kept while it may win */
  uint64_t code;        /* hash of the object; 0: there is none */
  bool near;            /* as in struct hint */
  char
      *from; /* where the point comes from, for people; NULL: the strategy asked for it */
  int unasked; /* index of the previous candidate that the strategy did not ask for, or
                  NONE */
  bool imagined, differs; /* it was compared on made-up data; it is wrong there */
  unsigned made_up;       /* the number of sets on which it agreed */
  double made_up_seconds, made_up_original; /* as in struct trial */
  char deviation[128];   /* as in struct trial; the largest of all its trials */
  bool strictly;         /* strict builds were compared */
  char strict[256];      /* summary.strict */
  double deviation_part; /* likewise */
  double compile_seconds, verify_seconds, time_seconds; /* as in struct record */
  struct features features;                             /* NAN where unknown */
  /* prune.c's: */
  int sibling[PRUNE_RULES]; /* index of the sibling that each rule compares it with, or
                               NONE */
  int condemned;            /* the rule that predicted that it loses, or NONE */
  bool hopeless;            /* the search expected it to be much slower than the best */
};

struct pruning {
  unsigned spoken[PRUNE_RULES]; /* how often each rule predicted that a variant loses */
  bool silent[PRUNE_RULES]; /* a prediction was wrong once: the rule is no longer used */
};

/* Trials of parts of a run (part.c). */
enum { PARTS_HELD = 8, PARTS_LEAST = 2, PARTS_SURE = 2, PART_FINALISTS = 8 };
struct part {
  unsigned divisor; /* a part is about a DIVISOR-th of the work; 0: runs are whole */
  double ratio;     /* cost of a part divided by that of a whole run; 0: not known yet */
  double best;      /* cost of the part of the best that was run as a whole */
  struct held {     /* the first ones, until that is known */
    unsigned candidate;
    struct trial trial;
  } held[PARTS_HELD];
  unsigned n_held;
  unsigned refused;             /* finalists that were not right */
  unsigned confirmed[STATUSES]; /* failures of parts that whole runs had as well */
};

struct online; /* online.c */
struct tuning {
  const struct autotune_kernel *kernel;
  const struct identity *id;
  const struct call *call;
  const struct plan *plan;
  struct space space;
  struct autotune_machine machine; /* of `space`, if the call is one of several */
  const struct strategy_class *class;
  struct strategy *strategy;
  const struct target *target;
  struct executor *workers;
  struct online *online; /* NULL: variants are timed in the sandbox */
  bool live;             /* the winner was chosen by times of real calls */
  struct pool *pool;
  uint64_t constants;  /* parts of the key that are constants in variants */
  struct pool *alone;  /* for what is needed at once while the search has others compiled;
                          NULL: not yet */
  struct store *store; /* NULL: none */
  struct candidate *candidates;
  unsigned n, capacity;
  bool earlier;   /* outside_earlier was called */
  bool exhausted; /* the strategy has no more points */
  bool lost;      /* no worker can be started any more */
  bool hurried;   /* the program does not want to wait any longer */
  bool undecided; /* the best seemed much faster than the default, but noise was larger */
  bool unraced;   /* some may be faster than the default, but none could be raced */
  bool quiet;     /* nothing is compiled while something is timed */
  bool settled;   /* less improvement is expected than the user asked for, or `reached` */
  bool reached;   /* the best is as near to the roof as the user asked for */
  bool untried;   /* the time was over before all compiled variants were tried */
  bool complete;  /* every variant that may be tried was tried */
  unsigned recalled; /* known from an earlier tuning, or from another process */
  struct sharing {
    double since, looked, waits;
    unsigned taken;
  } sharing;                 /* share.c */
  unsigned in_flight, ahead; /* being compiled; how many may be, at most */
  unsigned compiling;        /* threads that compile */
  int best;                  /* index of the best candidate, or NONE */
  int unasked; /* index of the last candidate that was not asked for, or NONE */
  struct hints *hints;
  unsigned next_hint;
  bool provisional; /* a variant of a nearby key was offered to the program */
  bool further;     /* a variant was tried, and not only recalled */
  double leading;   /* cost of the last variant that was raced meanwhile; 0: none */
  struct estimate original; /* cost of the default */
  double original_seconds;  /* seconds of one run of it */
  struct object as_written; /* the kernel as written, made as variants are; data NULL: it
                               is not to be timed, or not made yet */
  bool unmeasured; /* how far rounding moves the outputs (see `defer`), and so the kernel
                      as written is not made yet */
  struct part part;
  struct pruning pruning;
  double imagined_seconds; /* spent on comparing with made-up data */
  unsigned imagined_wrong; /* variants that were wrong there */
  double strict_seconds;   /* spent on strict builds */
  unsigned strict_wrong;   /* variants whose strict builds were wrong */
  char weak_text[160];     /* summary.weak */
  char compiler_text[160]; /* what a compiler said of the first variant that it refused */
  char covered_text[800];  /* summary.covered */
  char constants_text[512]; /* summary.constants */
  struct roof_end {
    double
        seconds;  /* the shortest time of a call that the machine allows; 0: not known */
    double least; /* less than that contradicts the limits */
    const char *limit; /* "the L2 cache": what allows no less */
    unsigned threads;  /* whose limits these are */
  } roof;              /* roof.c */
  bool usual; /* the budget is the default one, and the call waits for a part of it */
  double began, budget, deadline, explore_from, explore_until; /* sys_now */
  double slept;    /* seconds that it has slept, for others or for its share */
  double prepared; /* seconds, without these, until the search began */
  unsigned given;  /* of the plan's points, proposed so far */
  unsigned max_variants, hint, expected; /* hint: how many, for the strategy */
  struct summary summary;                /* counts and times, as they grow */
  char commit_text[COMMIT_SIZE];         /* summary.commit */
  char machine_text[160];                /* summary.machine */
  char origin_text[160]; /* "; the winner is that of …" where it was a hint; else "" */
  char why_text[240];    /* summary.why, where the winner was a hint */
  char search_text[64];  /* summary.search */
  char *assembly[2];     /* the summary's, of the default and of the winner */
  const struct tune_host *host;
};

/* ---- tune.c ---------------------------------------------------------------------- */
/* Runs one tuning, in the tuner process. OBJECT_FD: the memfd that receives the winner's
 * shared object. Returns 0 or -1 and fills in OUT. */
int tune_run(const struct autotune_kernel *k, const struct identity *id,
             const struct call *call, const struct plan *plan, int object_fd,
             const struct tune_host *host, struct outcome *out);
void tune_report(struct tuning *t, double silence);
/* Runs the default as the plan wants it, and keeps its outputs as the reference. False,
 * and OUT says why: it cannot be. */
bool tune_default(struct tuning *t, struct outcome *out);
/* Plans one run that is compared with the default's, and whose time is not used. */
struct trial_plan tune_once(double limit);
/* Returns the seconds by parts of which checks of the winner are limited: those that the
 * tuning has taken, and no less where a first call waits for a part of it only. */
double tune_taken(const struct tuning *t);
/* Returns the seconds that one run may take. */
double tune_limit(const struct tuning *t);
/* Returns what variants are compared in, for people; lives as long as T. */
const char *tune_covered(struct tuning *t);
/* Seconds until a trial with PLAN is over, come what may. */
double tune_silence(const struct trial_plan *plan);
/* Variants that were proposed, but for those that were dropped. */
unsigned tune_asked(const struct tuning *t);
/* True if the best candidate seems to be better than the default. */
bool tune_leads(const struct tuning *t);
/* Returns the cost of the better of the default and the best candidate. */
struct estimate tune_best(const struct tuning *t);
/* Returns the seconds of a run of C (NULL: the default), as far as they are known; else
 * those of the default. */
struct estimate tune_seconds(const struct tuning *t, const struct candidate *c);
/* The same of the variant that tune_best means. */
struct estimate tune_best_seconds(const struct tuning *t);
/* Loads, checks (once) and times C (NULL: the default). Sets T->lost where nothing can be
 * tried any more. */
void tune_try(struct tuning *t, struct candidate *c, const struct trial_plan *plan,
              struct trial *out);
/* Links C's object into the shared object PATH, which the program loads. False, and *WHY
 * (malloc'ed). */
/* Returns what is constant in C's code (struct summary), until the next call for T. */
const char *tune_constants(struct tuning *t, const struct candidate *c);
bool tune_link(const struct tuning *t, const struct candidate *c, const char *path,
               char **why);

/* ---- written.c ------------------------------------------------------------------- */
/* After the default was measured: measures how far the kernel as written moves when the
 * compiler of the variants makes it. Nothing is measured without a pool. False: nothing
 * can be tried any more. */
bool written_measure(struct tuning *t);
/* Times the kernel as written against WINNER, an index or NONE, in turns, and sets the
 * summary's `as_written`, after its `best`; where that is not possible or takes too long,
 * it stays 0. */
void written_time(struct tuning *t, int winner);
/* True if the tolerance may depend on that. */
bool written_matters(const struct tuning *t);

/* ---- assembly.c ------------------------------------------------------------------ */
/* Sets the summary's texts of the main loops of the default and of WINNER, an index or
 * NONE. */
bool assembly_keep(struct tuning *t, int winner);

/* ---- setup.c --------------------------------------------------------------------- */
void setup_budget(struct tuning *t);
/* After the reference, which took SPENT seconds: when the search and the tuning end. */
void setup_deadlines(struct tuning *t, double spent);
/* Does the parts that may fail. False, and OUT says why: the default stays. */
bool setup_tuning(struct tuning *t, struct outcome *out);
/* Chooses the search, from the default's time among others. False, and OUT says why: the
 * default stays. */
bool setup_search(struct tuning *t, struct outcome *out);
/* The part of setup_tuning that starts threads to compile. */
bool setup_pool(struct tuning *t, struct outcome *out);
void setup_store(struct tuning *t);
/* Looks for hints: variants that were fast for other keys, and for similar kernels. */
void setup_hints(struct tuning *t);

/* ---- roof.c ---------------------------------------------------------------------- */
/* After the default was measured: finds the shortest time of a call, if the search is to
 * end near it. Says once if that is not known. */
void roof_setup(struct tuning *t);
/* True if the best variant, or the default, is as near to that as the user asked for. */
bool roof_is_reached(struct tuning *t);
/* Writes how near the best is, for people: "roof reached: 81 % of what
 * memory allows (1 thread)". */
const char *roof_text(const struct tuning *t, char *text, size_t size);

/* ---- part.c ---------------------------------------------------------------------- */
/* After the default was measured: decides if variants are compared by parts of a run. */
void part_setup(struct tuning *t);
/* Returns the divisor for trials of C; 0: it runs as a whole. */
unsigned part_of(const struct tuning *t, const struct candidate *c);
/* Returns what one trial of the default would take, about. */
double part_seconds(const struct tuning *t);
/* Plans a trial of a part. */
struct trial_plan part_plan(const struct tuning *t);
/* Takes the result of a part of C, which was tried just now, or did not compile. True:
 * TRIAL is kept until more is known, or C was run as a whole; TRIAL is not the caller's.
 * False: candidate_settle is next. */
bool part_hold(struct tuning *t, struct candidate *c, struct trial *trial);
/* Where parts are timed: moves the kernel as written behind the other N that are READY.
 * Their parts are mostly far shorter, and end the one of the kernel as written early. */
void part_order(const struct tuning *t, struct compiled *ready, unsigned n);
/* Settles what is kept, at the end of the search at the latest. */
void part_settle_held(struct tuning *t);
/* Returns how many times as slow as the best C may seem to be and still be a finalist.
 * USUAL: of whole runs. */
double part_margin(const struct candidate *c, double usual);

/* ---- finish.c -------------------------------------------------------------------- */
/* Runs the final race, links its winner to FD, stores the summary and fills in OUT. 0
 * or -1. */
int finish_tuning(struct tuning *t, int fd, struct outcome *out);
/* Stores that the default stays, because variants could only run unchecked: so neither
 * this key nor others are tuned again and again. */
void finish_unchecked(struct tuning *t);
/* Links C's object into the memory file FD, and into the store if there is one. */
bool finish_link(struct tuning *t, const struct candidate *c, int fd,
                 struct outcome *out);

/* ---- candidate.c ----------------------------------------------------------------- */
/* Adds a candidate for POINT, which the strategy asked for. NULL: no memory. */
struct candidate *candidate_add(struct tuning *t, const choice *point);
/* The same with BODY, which is taken over, and which is the strategy's NUMBER. */
struct candidate *candidate_add_body(struct tuning *t, const choice *point, char *body,
                                     unsigned number);
/* The same for a point that the strategy did not ask for. FROM (copied): where the point
 * comes from. */
struct candidate *candidate_give(struct tuning *t, const choice *point, const char *from);
/* True if there is a candidate for POINT that the strategy did not ask for. */
bool candidate_given(const struct tuning *t, const choice *point);
/* Sets C's compiler and the hash that identifies the variant. False: it cannot be
 * identified. */
bool candidate_identify(const struct tuning *t, struct candidate *c);
/* Returns the store's record of C, without samples. It points into C. */
struct record candidate_record(const struct candidate *c);
/* Returns what was measured of C, uncorrected: for people. */
struct estimate candidate_measured(const struct candidate *c);
/* Keeps MESSAGE if STATUS is that of a variant that a compiler refused, the first one. */
void candidate_keep_refusal(struct tuning *t, enum status status, const char *message);
/* Sets T->best anew. */
void candidate_find_best(struct tuning *t);
/* Counts C, whose status and cost are known, and tells the strategy. WHY: of a failure,
 * for people; NULL: not known. */
void candidate_note(struct tuning *t, struct candidate *c, const char *why);
/* Notes the result of C in the store, the counts and the strategy. C takes over TRIAL's
 * samples. */
void candidate_settle(struct tuning *t, struct candidate *c, const struct trial *trial,
                      double compile_seconds);
/* Stores that C, the winner of other keys, was wrong here, or ended its process. Other
 * results are not stored: they may be the machine's. */
void candidate_failed(struct tuning *t, const struct candidate *c, enum status status,
                      const char *why);
/* Ends in the store the records of candidates that were begun and not tried. */
void candidate_abandon(struct tuning *t);

/* ---- explore.c ------------------------------------------------------------------- */
/* Proposes, compiles, tries and learns until the strategy has no more points, or until
 * explore_until. */
void explore(struct tuning *t);
/* Returns the next of the plan's points that exists, as a candidate; NULL: no point is
 * left. */
struct candidate *explore_given(struct tuning *t);
/* Submits C to be compiled and then tried. False: it cannot be submitted. */
bool explore_submit(struct tuning *t, struct candidate *c);
/* Compiles and tries C again, whose time is known from an earlier process. False: it
 * failed. */
bool explore_again(struct tuning *t, struct candidate *c);

/* ---- objects.c ------------------------------------------------------------------ */
/* Makes sure that C has its object, which may come from an earlier tuning. False: it
 * cannot be compiled or read, or (*LATE, unless LATE is NULL) the time was over first. */
bool object_compile(struct tuning *t, struct candidate *c, bool *late);
/* Compiles C (NULL: the kernel as written) and waits for it, whatever else is being
 * compiled. MARK: as for pool_submit. GOT's ticket is 0 if there is no result. */
void object_compile_alone(struct tuning *t, const struct candidate *c, uint64_t ticket,
                          uint64_t mark, struct compiled *got);

/* ---- provisional.c: a variant for the program to run meanwhile ------------------- */
/* C was tried. Offers it to the program, and to later processes, if it may run there
 * until the tuning ends. */
void provisional_consider(struct tuning *t, struct candidate *c);
/* Before anything is compiled: considers the best variant of earlier runs, unless these
 * have offered it. */
void provisional_resume(struct tuning *t);

/* ---- share.c: other processes that tune the same problem ------------------------- */
/* Joins the processes that tune ID, and returns how many there were before. A process
 * leaves by ending. */
unsigned share_join(const struct identity *id);
/* Looks up what the store knows of C by now. KNOWN_RESULT: the result is noted.
 * KNOWN_TAKEN: C is put off. */
enum knowledge share_look(struct tuning *t, struct candidate *c);
/* Learns the results that other processes stored since the last time. Retries candidates
 * claimed by a process that died. */
void share_news(struct tuning *t);
/* True if nothing is left but to wait for candidates that other processes are trying;
 * then sleeps for 10 ms. After some seconds of waiting: false. */
bool share_waits(struct tuning *t);
/* Returns the candidate that the store has as the winner already, and which must be
 * beaten; NULL: none. */
struct candidate *share_rival(struct tuning *t);
/* Writes the phase and the times of this tuning into the store, for others to see. WHY:
 * the result, at its end. */
void share_phase(const struct tuning *t, enum phase phase, const char *why);
/* The same for a tuning that has yet to begin, and has no store. */
void share_waiting(struct tuning *t);

/* ---- prune.c: pure, except that it writes to F, ALL and C ---------------------- */
/* Called once candidate INDEX has its features or its cost: notes which siblings the
 * rules compare it with, and for which candidates it is the sibling. */
void prune_relate(struct candidate *all, unsigned n, unsigned n_params, unsigned index);
/* True if EXPECTED (a cost; 0: not known) is much more than the best. */
bool prune_hopeless(double expected, struct estimate best);
/* Returns the rule that predicts that C, which was not run, loses; NONE: no rule does. */
int prune_loser(const struct pruning *f, const struct candidate *all, unsigned n,
                const struct candidate *c, struct estimate best);
/* Decides about C, against which RULE spoke. True: drop C. False: run C all the same,
 * to check the rule. */
bool prune_drops(struct pruning *f, struct candidate *c, int rule);
/* Returns a guess of the cost of C, which was dropped. Searches are told this. */
double prune_guess(const struct candidate *all, const struct candidate *c,
                   struct estimate best);
/* Called after C was run: silences the rule that spoke against C, if it was wrong. */
void prune_learn(struct pruning *f, const struct candidate *all,
                 const struct candidate *c, struct estimate best);
const char *prune_why(int rule); /* "spills in its main loop" */

/* ---- throttle.c ------------------------------------------------------------------ */
/* Lowers the priority of this thread, and of threads and processes that it begins from
 * now on, below the program's. NICE_TO_ALL: it gets little more than what is idle. */
enum throttle_niceness { NICE_TO_PROGRAM = 10, NICE_TO_ALL = 19 };
void throttle_yield(enum throttle_niceness nice);
/* Returns the seconds of CPU used so far, and tells them to the program. */
double throttle_count(const struct tuning *t);
/* True if the tuning has cost no more than the plan's fraction allows, or if there is
 * no such limit. When the program has ended: if the machine has nothing else to do. */
bool throttle_allows(const struct tuning *t);
/* Sleeps until what a tuning costs at its beginning is allowed, or the program has
 * ended. */
void throttle_start(struct tuning *t);
/* Sleeps while the tuning has cost more than the plan's fraction allows. Returns the
 * seconds slept; deadlines are moved by them. */
double throttle_keep(struct tuning *t);

/* ---- after.c: when the program has ended ----------------------------------------- */
/* From the end of the program on, this process and all that it has forked get a lower
 * priority. If the plan of T goes on then, and is no check, it ends where another such
 * tuning goes on with the same store, or when the next program begins. */
void after_begin(const struct tuning *t);
/* True if the processors that the tuning needs have nothing else to do. The program has
 * ended. */
bool after_allows(const struct tuning *t);

/* ---- online.c -------------------------------------------------------------------- */
/* Starts timing in real calls; called before anything is tried. False: no memory, or
 * none is shared with the program. */
bool online_new(struct tuning *t);
/* Reads the times of real calls, orders more of them, and sends variants that passed in
 * the sandbox. Does not wait for a call. */
void online_step(struct tuning *t);
/* For a kernel that uses all cores, whose calls are timed only in here, while nothing is
 * compiled or tried: returns when the variants that passed have been compared, or calls
 * have become rare. */
void online_settle(struct tuning *t);
/* Returns the seconds that calls lost by not running the best variant so far. They count
 * as cost of the tuning. */
double online_lost(const struct tuning *t);
/* Waits until real calls have decided, or too few come (then *DECIDED is false). Returns
 * the winner's index or NONE. */
int online_finish(struct tuning *t, bool *decided);

/* ---- reverify.c ------------------------------------------------------------------ */
/* PLAN_CHECK of what the program runs: compares plan->loaded with the default on this
 * call's data, writes what the store is to know, and fills in OUT. 0, or -1: nothing was
 * found out. */
int reverify(struct tuning *t, struct outcome *out);
/* Notes what TRIAL says of C, in whose first call a process has ended. */
void reverify_suspect(struct tuning *t, const struct candidate *c,
                      const struct trial *trial);
/* True if VARIANT was a winner here and is revoked. */
bool reverify_refuses(const struct tuning *t, uint64_t variant);

/* ---- imagine.c ------------------------------------------------------------------- */
/* Compares C, which is right for this call, with the default on made-up data, once, if
 * there is time for it. False: C differs there, which is noted, or others did and there
 * is no time left to look at C. */
bool imagine_agrees(struct tuning *t, struct candidate *c);

/* ---- sums.c ---------------------------------------------------------------------- */

/* True if TEXT may add to the same place in several iterations, so that another order of
 * them rounds in another way. FUNCTION: the one whose loops are all that there are. */
bool sums_reorder(const char *text, const char *function);

/* ---- strict.c -------------------------------------------------------------------- */
/* Compares strict builds of C, which would win, and of the kernel as written, once, if
 * there is time for it. Sets C->strict and warns where a parameter changes the answer.
 * False: C's directives do, which is noted, or others did and there is no time left. */
bool strict_agrees(struct tuning *t, struct candidate *c);

/* ---- outside.c ------------------------------------------------------------------- */
/* Returns why bodies from outside are not taken, for people; NULL: they are. */
const char *outside_no_bodies(const struct tuning *t);
/* Returns the candidate for POINT, which was asked for last, with the body that the
 * search gave it; NULL: none, or no memory. */
struct candidate *outside_asked(struct tuning *t, const choice *point);
/* PLAN_RACE: returns the last winner, if its body came from outside; once. */
struct candidate *outside_earlier(struct tuning *t);
/* True if the search has no point now, but may have one later. Waits for a moment if
 * nothing else is to be done. */
bool outside_waits(struct tuning *t);
/* Makes of COMPILED, of C, a failure if C's body does what no body may. */
void outside_look(const struct tuning *t, const struct candidate *c,
                  struct compiled *compiled);
/* True if C, which is right for this call and was looked at by imagine_agrees, may win: a
 * body from outside may not without other data. */
bool outside_may_win(const struct tuning *t, const struct candidate *c);

/* ---- race.c ---------------------------------------------------------------------- */
/* Runs the finalists and the default in turns, while nothing else runs. Returns the index
 * of the winner; NONE: the default stays. */
int race(struct tuning *t);
/* During the search: runs C, which is compiled, and the default in turns. True if C beats
 * it as in the last race; *GAIN: how many times as fast it is. */
bool race_meanwhile(struct tuning *t, struct candidate *c, double *gain);

#endif
