// SPDX-License-Identifier: Apache-2.0
// online.c: the tuner's side of mode `online`. The search runs in the sandbox as usual,
// but with one to three runs of each variant: enough to see that it is right and not
// hopeless. A variant that passes is linked and sent to the program, whose own calls then
// decide (halving.c). Between trials and while variants are compiled, online_step reads
// the times that have come, and writes the next orders. A kernel that uses all cores is
// timed in calls only while neither compilers nor the sandbox run (online_settle).
//
// A variant is pending in the store until its first real call has ended, so that after
// a crash of the program the next tuning knows which variant ran.
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/channel.h"
#include "halving.h"
#include "tune.h"

// A variant runs in real calls only if its time in the sandbox is within this factor of
// the best: `hopeful`; `hopeful_with_threads` for kernels with threads, which share the
// cores with the program there; `promising` for variants of an earlier process, which
// must be compiled again.
static const double hopeful = 1.25, hopeful_with_threads = 2, promising = 1.1;

// Seconds without a timed call after which the search goes on with other variants.
static const double rare = 0.1;

struct sent {
  int arm;
  unsigned round;
  bool drop;
};
struct online {
  struct halving race;
  struct lane *lane;
  int candidates[ARMS]; // index of each arm's candidate, or NONE
  int loading;          // the arm that the program is to load; NONE
  int fd,
      next; // a variant linked but not sent yet: its file, or -1; the candidate's index
  bool racing;   // not all orders are answered
  unsigned read; // answers
  struct sent sent[LIVE_ORDERS];
  double last;       // sys_now of the last answer
  double seen, cost; // sys_now and seconds of CPU at the last look
  double given;      // seconds by which the budget was extended
  double lost;       // seconds that calls lost by not running the best so far
  bool settles;      // nothing else runs: calls may be timed
};

bool online_new(struct tuning *t) {
  struct shared_memory *shared = t->host->shared;
  struct online *o = shared ? sys_calloc(1, sizeof *o) : NULL;
  if (!o)
    return false;
  o->lane = &shared->lane;
  o->loading = NONE;
  o->fd = -1;
  o->last = sys_now();
  for (int i = 0; i < ARMS; i++)
    o->candidates[i] = NONE;
  halving_init(&o->race);
  t->online = o;
  return true;
}

// ---- records ------------------------------------------------------------------------

static struct candidate *online_candidate_of(const struct tuning *t, int arm) {
  int i = t->online->candidates[arm];
  return i == NONE ? NULL : &t->candidates[i];
}

static void write_down(const struct tuning *t, const struct candidate *c,
                       const double *samples, unsigned n) {
  struct record r = candidate_record(c);
  r.samples = samples;
  r.n_samples = n;
  if (t->store)
    store_finish(t->store, t->id, &r);
}

// Stores the times of real calls in place of those in the sandbox.
static void keep_samples(const struct tuning *t, int arm) {
  const struct arm *a = &t->online->race.arms[arm];
  const struct candidate *c = online_candidate_of(t, arm);
  if (c && a->n > 0)
    write_down(t, c, a->samples, a->n < ARM_SAMPLES ? a->n : ARM_SAMPLES);
}

// ---- newcomers ----------------------------------------------------------------------

static bool online_is_twin(const struct tuning *t, const struct candidate *c) {
  for (unsigned i = 0; i < t->n; i++)
    if (t->candidates[i].offered && t->candidates[i].code == c->code && c->code != 0)
      return true;
  return false;
}

// Returns the best of the variants that wait for real calls; NULL: none is fast enough.
static struct candidate *next_newcomer(struct tuning *t) {
  double best = tune_best(t).median;
  struct candidate *found = NULL;
  double close = t->kernel->openmp ? hopeful_with_threads : hopeful;
  for (unsigned i = 0; i < t->n; i++) {
    struct candidate *c = &t->candidates[i];
    if (c->done && !c->offered && !c->body && c->status == STATUS_OK && c->e.n > 0 &&
        c->object.data && c->e.low <= close * best &&
        (!found || c->e.median < found->e.median) && !online_is_twin(t, c))
      found = c;
  }
  return found;
}

// Links C into a memory file and returns its descriptor; -1: it cannot be linked.
static int link_file(const struct tuning *t, const struct candidate *c) {
  char path[64], *why = NULL;
  int fd = channel_file("autotune-variant", NULL, 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (fd >= 0 && !tune_link(t, c, path, &why)) {
    log_message(AUTOTUNE_DEBUG, "%s: a variant cannot be linked: %s", t->kernel->name,
                why ? why : "no memory");
    close(fd);
    fd = -1;
  }
  free(why);
  return fd;
}

// Links one variant at a time, and sends it as soon as an arm is free and the program
// reads.
static void send_newcomer(struct tuning *t) {
  struct online *o = t->online;
  struct candidate *c = o->loading == NONE && o->fd < 0 ? next_newcomer(t) : NULL;
  if (c && imagine_agrees(t, c)) {
    c->offered = true;
    o->fd = link_file(t, c);
    o->next = (int)(c - t->candidates);
  } else if (c && !c->differs) {
    c->offered = true; // there is no time to look at it: the next one may have been
  }
  int arm = o->loading == NONE && o->fd >= 0 ? halving_room(&o->race) : -1;
  if (arm < 0)
    return;
  atomic_store(&o->lane->loaded[arm], 0);
  if (!t->host->variant(t->host->data, (unsigned)arm, o->fd))
    return;
  close(o->fd);
  o->fd = -1;
  o->candidates[arm] = o->next;
  o->loading = arm;
}

static void see_loaded(struct tuning *t) {
  struct online *o = t->online;
  unsigned loaded = o->loading == NONE ? 0 : atomic_load(&o->lane->loaded[o->loading]);
  if (loaded == LIVE_LOADED) {
    struct record r = candidate_record(online_candidate_of(t, o->loading));
    if (t->store)
      store_begin(t->store, t->id, &r);
    halving_join(&o->race, o->loading);
  } else if (loaded == LIVE_REFUSED) {
    o->candidates[o->loading] = NONE;
  }
  if (loaded)
    o->loading = NONE;
}

// ---- rounds -------------------------------------------------------------------------

static void write_order(struct online *o, struct sent s, unsigned repeat) {
  unsigned n = atomic_load(&o->lane->written);
  struct live_order *order = &o->lane->orders[n % LIVE_ORDERS];
  o->sent[n % LIVE_ORDERS] = s;
  order->arm = (unsigned)s.arm;
  order->repeat = repeat;
  order->drop = s.drop;
  atomic_store(&order->seconds, 0);
  atomic_store(&o->lane->written, n + 1);
}

static unsigned online_room(const struct online *o) {
  return LIVE_ORDERS - (atomic_load(&o->lane->written) - o->read);
}

// Returns the number of calls of which the median is one sample: a single short call
// says little.
static unsigned online_repeats(double seconds) {
  return seconds < 2e-6 ? LIVE_REPEAT : seconds < 20e-6 ? 7 : seconds < 200e-6 ? 3 : 1;
}

static void see_answer(struct tuning *t, struct sent s, double seconds) {
  struct online *o = t->online;
  struct arm *a = &o->race.arms[s.arm];
  if (s.drop) {
    a->state = ARM_FREE;
    o->candidates[s.arm] = NONE;
    return;
  }
  if (seconds < 0)
    return;
  if (a->n == 0 && online_candidate_of(t, s.arm)) // the first real call returned
    write_down(t, online_candidate_of(t, s.arm), online_candidate_of(t, s.arm)->samples,
               online_candidate_of(t, s.arm)->n_samples);
  halving_sample(&o->race, s.arm, s.round, seconds);
  double best = halving_time(&o->race.arms[o->race.incumbent]).median;
  o->lost += best > 0 && seconds > best ? seconds - best : 0;
  o->last = sys_now();
}

static void read_answers(struct tuning *t) {
  struct online *o = t->online;
  unsigned answered = atomic_load(&o->lane->answered);
  for (; o->read != answered; o->read++)
    see_answer(t, o->sent[o->read % LIVE_ORDERS],
               atomic_load(&o->lane->orders[o->read % LIVE_ORDERS].seconds));
}

static void online_tell(const struct tuning *t, int arm, const char *what) {
  const struct candidate *c = online_candidate_of(t, arm);
  const struct arm *a = &t->online->race.arms[arm];
  struct estimate e = halving_time(a);
  char *point = c ? space_describe(&t->space, c->point) : NULL;
  log_message(AUTOTUNE_DEBUG, "%6.2f s  %s: %s after %u real calls, %.4g s: %s",
              sys_now() - t->began, t->kernel->name, what, a->n, e.median,
              point ? point : "the default");
  free(point);
}

static void online_judge(struct tuning *t) {
  struct online *o = t->online;
  int before = o->race.incumbent;
  halving_judge(&o->race);
  if (o->race.incumbent != before)
    online_tell(t, o->race.incumbent, "the best so far");
  atomic_store(&o->lane->best, (unsigned)o->race.incumbent);
}

// Unloads the arms that are out, which makes room.
static void drop_out(struct tuning *t) {
  struct online *o = t->online;
  for (int i = 1; i < ARMS; i++)
    if (o->race.arms[i].state == ARM_OUT && online_candidate_of(t, i) &&
        i != o->loading && online_room(o) > 0) {
      online_tell(t, i, "out");
      keep_samples(t, i);
      object_free(&online_candidate_of(t, i)->object);
      o->candidates[i] = NONE;
      write_order(o, (struct sent){ .arm = i, .drop = true }, 0);
    }
}

double online_lost(const struct tuning *t) {
  return t->online->lost;
}

static void order_rounds(struct tuning *t) {
  struct online *o = t->online;
  int arms[ARMS];
  bool may = throttle_allows(t) && (!t->quiet || o->settles);
  unsigned rounds, n = may ? halving_round(&o->race, arms, &rounds) : 0;
  double best = halving_time(&o->race.arms[o->race.incumbent]).median;
  unsigned repeat = online_repeats(best > 0 ? best : tune_best(t).median);
  for (unsigned k = 0; n > 0 && k < rounds; k++)
    for (unsigned i = 0; i < n && online_room(o) > 0; i++)
      write_order(
          o,
          (struct sent){ .arm = arms[(i + k) % n], .round = o->race.round - rounds + k },
          repeat);
}

// Extends the budget, which is meant as time that the tuning can use. If the program
// leaves it little of the machine, the tuning may go on for up to four times as long.
static void extend_budget(struct tuning *t) {
  struct online *o = t->online;
  double now = sys_now();
  if (now - o->seen < 0.1)
    return;
  double cost = throttle_count(t), starved = now - o->seen - (cost - o->cost);
  if (o->seen > 0 && starved > 0 && o->given + starved < 3 * t->budget) {
    o->given += starved;
    t->deadline += starved;
    t->explore_until += starved;
  }
  o->seen = now;
  o->cost = cost;
}

void online_step(struct tuning *t) {
  struct online *o = t->online;
  extend_budget(t);
  read_answers(t);
  if (o->racing && o->read == atomic_load(&o->lane->written)) {
    o->racing = false;
    online_judge(t);
  }
  see_loaded(t);
  if (!o->racing) {
    drop_out(t);
    order_rounds(t);
    o->racing = o->read != atomic_load(&o->lane->written);
  }
  send_newcomer(t);
}

// ---- between trials -----------------------------------------------------------------

static bool all_sent(struct tuning *t) {
  return t->online->loading == NONE && t->online->fd < 0 && !next_newcomer(t);
}

void online_settle(struct tuning *t) {
  struct online *o = t->online;
  double call = t->original.median;
  o->settles = true;
  o->last = sys_now();
  do {
    tune_report(t, tune_silence(NULL));
    online_step(t);
    nanosleep(&(struct timespec){ .tv_nsec = 500 * 1000 }, NULL);
  } while ((o->racing || !all_sent(t)) && !role_stopping() &&
           sys_now() - o->last < rare + 4 * call);
  o->settles = false;
}

// ---- the end ------------------------------------------------------------------------

// Compiles and checks again what an earlier process found good, to compete.
static void see_again(struct tuning *t) {
  for (int found = 0; found < FINALISTS && !role_stopping(); found++) {
    double best = tune_best(t).median;
    struct candidate *next = NULL;
    for (unsigned i = 0; i < t->n; i++) {
      struct candidate *c = &t->candidates[i];
      if (c->done && !c->offered && !c->object.data && c->status == STATUS_OK &&
          c->e.n > 0 && c->e.low <= promising * best &&
          (!next || c->e.median < next->e.median))
        next = c;
    }
    if (!next)
      return;
    if (!explore_again(t, next))
      next->offered = true; // do not take it again
  }
}

// Stores the real samples of all arms that ran, also if the program ended in the middle
// of a call.
static void keep_all(struct tuning *t) {
  unsigned running = atomic_load(&t->online->lane->running);
  for (int i = 1; i < ARMS; i++) {
    const struct arm *a = &t->online->race.arms[i];
    const struct candidate *c = online_candidate_of(t, i);
    if (c && a->n > 0)
      keep_samples(t, i);
    else if (c && a->state == ARM_RACING && running != (unsigned)i + 1)
      write_down(t, c, c->samples,
                 c->n_samples); // it did not run when the program ended
  }
}

// Replaces the times of the sandbox by those of real calls. The default may have run when
// the machine was slower or faster than it was for the best, so its time is computed from
// the ratio within the same rounds.
static int online_conclude(struct tuning *t) {
  const struct halving *race = &t->online->race;
  const struct arm *original = &race->arms[0], *best = &race->arms[race->incumbent];
  struct candidate *c = online_candidate_of(t, race->incumbent);
  if (original->n > 0)
    t->original = halving_time(original);
  if (c) {
    struct estimate e = c->e = halving_time(best), r = original->ratio;
    c->slowdown = 1;
    t->best = (int)(c - t->candidates);
    if (r.n > 0)
      t->original = (struct estimate){ e.median * r.median, e.median * r.low,
                                       e.median * r.high, original->n };
  }
  return halving_winner(race) ? t->best : NONE;
}

// True if calls still come. False if the program waits for the result, or if none came
// for as long as a tuning lasts.
static bool has_calls(const struct tuning *t) {
  double silence = sys_now() - t->online->last, call = t->original.median;
  double patience = t->budget > 20 * call ? t->budget : 20 * call;
  return silence < (atomic_load(&t->online->lane->waiting) ? 0.1 + 2 * call : patience);
}

int online_finish(struct tuning *t, bool *decided) {
  struct online *o = t->online;
  see_again(t);
  o->settles = true;
  o->last = sys_now();
  while (!o->race.over && !role_stopping() && has_calls(t)) {
    tune_report(t, tune_silence(NULL));
    online_step(t);
    if (all_sent(t) && !o->racing)
      halving_close(&o->race);
    nanosleep(&(struct timespec){ .tv_nsec = 500 * 1000 }, NULL);
  }
  keep_all(t);
  *decided = o->race.over;
  return o->race.over ? online_conclude(t) : NONE;
}
