// SPDX-License-Identifier: Apache-2.0
// hot.c: kernels that are tuned only when much of the program's time is spent in them.
//
// Such kernels are many: a build may make each loop nest one. The stub's gate
// (autotune_abi.h) lets one of N calls through. It is timed, which costs SAMPLE_COST and
// stands for N calls; N is such that this is at most PART of the time of the calls, and
// SHORT_PART of that of calls too short to tune. N is drawn from a range, so that a
// program that repeats a pattern of calls is not always seen at the same place.
//
// The sum of calls times seconds is an estimate of the kernel's time. Only calls that
// take LONG_CALL or more count: for these a sample of each call costs PART, so that a
// kernel with many keys may ask for each of them. Where the sum is large enough, in
// seconds and as a share of the program's time, the kernel is hot, and its calls go on
// as in other kernels. Before that a key may be looked up in the store, if that costs
// little of the program's time.
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "keep/store/tables.h"
#include "run/cpu/stack.h"
#include "site.h"
#include "vain.h"

#define PART 0.01
#define SAMPLE_COST 0.2e-6 // seconds of autotune_begin and autotune_end, rather high
#define LONG_CALL (SAMPLE_COST / PART)
#define SHORT_PART 0.002
// A tuning costs some tenths of a second at least. A kernel that takes less in a whole
// run, or a twentieth of it, does not earn that in many runs. Of short programs those
// count that take half of the time.
static const double hot_seconds = 0.2, hot_share = 0.05;
static const double short_seconds = 0.1, short_share = 0.5;
static const double fair_part = 0.5; // of the mean time of a kernel's keys: those that
                                     // take less are not tuned
static const double again = 1.05;    // judged again when its time has grown by this
static const double shared_from = 50e-6; // seconds: shorter calls of several threads are
                                         // not counted, which would slow them down
static const double look_cost = 1e-3;    // seconds: of the first look into the store
static const double look_again = 0.1e-3; // and of another one
static const double cold_part = 0.002;   // of the program's time, for looks of kernels
                                         // that are not hot: few have results
static const double hot_look_part = 0.005, late_part = 0.0075; // and of those that are
static const double program_part = 0.05; // of the program's time, for tunings
static const double several = 1.1;       // processors: a program with more runs threads
static const double idle_part = 0.5; // of the time of a processor that is idle, likewise
static const double late_left = 0.1; // of the earlier run
static const double exit_from = 1; // seconds: shorter programs store nothing at their end

enum { MOST_CALLS = 1024, COLD_NODES = 64, MEAN_OF = 16 };

// The program's time: of its processors, and since it began.
static struct {
  _Atomic double began;     // sys_now
  _Atomic double cpu, when; // sys_cpu, and when it was read
  _Atomic double looks;     // seconds of looks into the store
} program;

static double hot_get(const _Atomic double *number) {
  return atomic_load_explicit(number, memory_order_relaxed);
}

static void hot_set(_Atomic double *number, double value) {
  atomic_store_explicit(number, value, memory_order_relaxed);
}

static void hot_add(_Atomic double *sum, double value) {
  double old = hot_get(sum);
  while (!atomic_compare_exchange_weak_explicit(
      sum, &old, old + value, memory_order_relaxed, memory_order_relaxed))
    ;
}

// ---- the program's time -------------------------------------------------------------

// The program had one thread until its first call of a kernel, about.
void hot_begin(void) {
  double cpu = sys_cpu();
  hot_set(&program.began, sys_now() - cpu);
  hot_set(&program.cpu, cpu);
}

static double hot_elapsed(void) {
  return sys_now() - hot_get(&program.began);
}

// Returns sys_cpu, which is a system call, as it was a millisecond ago at most.
static double hot_cpu(void) {
  double now = sys_now();
  if (now - hot_get(&program.when) > 1e-3) {
    hot_set(&program.when, now);
    hot_set(&program.cpu, sys_cpu());
  }
  return hot_get(&program.cpu);
}

static bool hot_is_several(double time, double cpu) {
  return cpu > several * time;
}

bool hot_runs_threads(void) {
  return hot_is_several(hot_elapsed(), hot_cpu());
}

// A processor that the program leaves idle costs it little. More than one is not counted:
// others may need them. Threads that run at the same time also wait for each other. If a
// tuner takes the processor of a waiting thread, all threads wait longer. So a program
// that used two processors on average is assumed to need four.
static double hot_idle_of(double time, double cpu, unsigned processors) {
  double needed = hot_is_several(time, cpu) ? 2 * cpu : cpu;
  double idle = processors * time - needed;
  return idle_part * (idle < 0 ? 0 : idle > time ? time : idle);
}

// Of the time, not of the processors' time: threads that wait for each other all wait for
// what disturbs one of them.
double hot_allowance_of(double time, double cpu, unsigned processors) {
  return program_part * time + hot_idle_of(time, cpu, processors);
}

double hot_time(void) {
  return fmax(hot_cpu(), hot_elapsed());
}

double hot_idle(void) {
  return hot_idle_of(hot_elapsed(), hot_cpu(), machine_threads());
}

double hot_allowance(void) {
  return hot_allowance_of(hot_elapsed(), hot_cpu(), machine_threads());
}

void hot_asked(double seconds) {
  hot_add(&program.looks, seconds);
}

// Where each call has another key, looks into the store take all of their part early. A
// tuning that begins late needs some then.
bool hot_may_ask(const struct site *s) {
  double earlier = s->heat.earlier.elapsed, elapsed = fmax(hot_elapsed(), earlier);
  double looks = hot_get(&program.looks);
  if (!hot_tunes(s))
    return looks + look_cost <= cold_part * elapsed;
  if (looks <= 0)
    return look_cost <= PART * elapsed;
  bool late = earlier > 0 && hot_left(s) <= late_left;
  return looks + look_again <= (late ? late_part : hot_look_part) * elapsed;
}

// ---- earlier runs -------------------------------------------------------------------

void hot_recall(struct site *s) {
  struct heat *h = &s->heat;
  if (!kernel_when_hot(s->kernel) || decide_mode(s->kernel) == MODE_OFF)
    return;
  bool found = earlier_find(s->kernel, &h->earlier);
  vain_recall(s);
  if (!found)
    return;
  hot_set(&h->mean, h->earlier.usage.seconds);
  atomic_store(&h->hot, true);
}

double hot_time_expected(const struct site *s) {
  return fmax(s->heat.earlier.elapsed, s->heat.earlier.cpu);
}

double hot_allowance_expected(const struct site *s) {
  const struct earlier *e = &s->heat.earlier;
  return e->elapsed > 0 ? hot_allowance_of(e->elapsed, e->cpu, machine_threads()) : 0;
}

double hot_seconds_expected(const struct site *s) {
  const struct earlier *e = &s->heat.earlier;
  return e->usage.share * fmin(e->elapsed, e->cpu); // as in hot_part
}

double hot_left(const struct site *s) {
  const struct earlier *e = &s->heat.earlier;
  if (e->elapsed <= 0 || e->usage.calls <= 0)
    return 0;
  double calls = (hot_get(&s->heat.calls) + 1) / e->usage.calls;
  return fmax(0, 1 - fmax(calls, hot_elapsed() / e->elapsed));
}

// ---- samples ------------------------------------------------------------------------

static unsigned hot_interval(struct heat *h) {
  unsigned most = atomic_load_explicit(&h->most, memory_order_relaxed);
  double mean = hot_get(&h->mean);
  double wanted = mean > 0 && mean < LONG_CALL ? SAMPLE_COST / SHORT_PART / mean : 1;
  unsigned n = wanted < 1 ? 1 : wanted < most ? (unsigned)wanted : most;
  if (n < 4)
    return n ? n : 1;
  unsigned serial = atomic_fetch_add_explicit(&h->samples, 1, memory_order_relaxed);
  return n / 2 + (serial * 2654435769u >> 12) % (n + 1);
}

unsigned hot_enter(struct site *s) {
  struct autotune_gate *gate = kernel_gate(s->kernel);
  struct heat *h = &s->heat;
  unsigned n = gate ? hot_interval(h) : 1;
  bool closed = (atomic_load_explicit(&h->shared, memory_order_relaxed) &&
                 hot_get(&h->mean) < shared_from) ||
      decide_mode(s->kernel) == MODE_OFF;
  if (gate)
    __atomic_store_n(&gate->left, closed ? AUTOTUNE_GATE_CLOSED : n, __ATOMIC_RELAXED);
  unsigned before = atomic_exchange_explicit(&h->armed, n, memory_order_relaxed);
  return before ? before : 1;
}

struct node *hot_node(struct site *s, const long long *key) {
  return atomic_load_explicit(&s->n_nodes, memory_order_relaxed) < COLD_NODES
      ? node_of(s, key)
      : NULL;
}

bool hot_tunes(const struct site *s) {
  return !kernel_when_hot(s->kernel) ||
      atomic_load_explicit(&s->heat.hot, memory_order_relaxed);
}

// A key that was never timed may be called only once, like the number of a step.
bool hot_leads(const struct site *s, const struct node *n) {
  double keys = atomic_load_explicit(&s->n_nodes, memory_order_relaxed);
  double spent = hot_get(&n->spent);
  return !kernel_when_hot(s->kernel) || spent <= 0 ||
      spent * keys >= fair_part * hot_get(&s->heat.longer);
}

bool hot_lets(const struct site *s, const struct node *n) {
  bool hot = hot_tunes(s);
  double usual = n ? hot_get(&n->usual) : 0;
  if (usual <= 0 && hot)
    usual = hot_get(&s->heat.mean);
  if (usual < LONG_CALL)
    return false;
  return n && atomic_load(&n->asked) ? hot && hot_leads(s, n) : hot_may_ask(s);
}

// Follows the time that a quarter of the calls do not exceed, about: a call that is
// interrupted is not a long one.
static void hot_follow(struct node *n, double seconds) {
  double usual = hot_get(&n->usual);
  double up = 1.1 * usual, down = 0.75 * usual;
  hot_set(&n->usual,
          usual <= 0           ? seconds
              : seconds > up   ? up
              : seconds < down ? down
                               : seconds);
}

// Returns the part of the program's time that S's long calls took. The time of a program
// that waits is that of its processors; calls of several threads take as much time as
// these have.
static double hot_part(const struct site *s) {
  double time = hot_elapsed(), cpu = hot_cpu();
  if (atomic_load(&s->heat.shared) || cpu < time)
    time = cpu;
  double part = time > 0 ? hot_get(&s->heat.longer) / time : 0;
  return part < 1 ? part : 1;
}

struct usage hot_usage(const struct site *s) {
  double calls = hot_get(&s->heat.calls);
  if (calls <= 0)
    return s->heat.earlier.usage;
  return (struct usage){ .calls = calls,
                         .seconds = hot_get(&s->heat.seconds) / calls,
                         .share = hot_part(s) };
}

static bool hot_is_worth(double longer, double part) {
  return longer >= hot_seconds ? part >= hot_share
                               : longer >= short_seconds && part >= short_share;
}

static void hot_judge(struct site *s) {
  struct heat *h = &s->heat;
  double longer = hot_get(&h->longer), part = hot_part(s);
  hot_set(&h->next, again * longer);
  if (!hot_is_worth(longer, part) || atomic_exchange(&h->hot, true))
    return;
  log_message(AUTOTUNE_INFO, "%s: hot: %.0f %% of the time so far, %.3g ms a call",
              s->kernel->name, 100 * part, 1e3 * hot_get(&h->mean));
}

static void hot_notice_thread(struct heat *h) {
  pthread_t self = pthread_self(), nobody = 0;
  if (!atomic_compare_exchange_strong(&h->thread, &nobody, self) &&
      !pthread_equal(nobody, self))
    atomic_store_explicit(&h->shared, true, memory_order_relaxed);
}

void hot_see(struct site *s, struct node *n, double seconds, unsigned calls) {
  struct heat *h = &s->heat;
  double mean = hot_get(&h->mean);
  unsigned most = atomic_load_explicit(&h->most, memory_order_relaxed);
  hot_set(&h->mean, mean > 0 ? mean + (seconds - mean) / MEAN_OF : seconds);
  if (most < MOST_CALLS) // calls that are short at first may be long later
    atomic_store_explicit(&h->most, most ? 2 * most : 2, memory_order_relaxed);
  hot_add(&h->calls, calls);
  hot_add(&h->seconds, seconds * calls);
  hot_notice_thread(h);
  if (n && atomic_load_explicit(&n->refusal, memory_order_relaxed) == REFUSED_NOT &&
      !hot_tunes(s))
    refuse(n, REFUSED_COLD, NULL);
  if (n &&
      node_is_default(n)) // what a provisional variant takes is no reason not to tune
    hot_follow(n, seconds);
  if (n ? hot_get(&n->usual) < LONG_CALL : seconds < LONG_CALL)
    return;
  hot_add(&h->longer, seconds * calls);
  if (n)
    hot_add(&n->spent, seconds * calls);
  if (!hot_tunes(s) && hot_get(&h->longer) >= short_seconds &&
      hot_get(&h->longer) >= hot_get(&h->next))
    hot_judge(s);
}

// ---- the end ------------------------------------------------------------------------

// Calls of keys that are decided are not timed, so S may be as hot as before.
static bool hot_is_measured(const struct site *s) {
  for (struct node *n = atomic_load(&s->all); n; n = n->all)
    if (atomic_load(&n->decided))
      return false;
  return true;
}

// Notes for the next run whether S is hot.
static void hot_note(const struct site *s) {
  struct earlier now = { .usage = hot_usage(s),
                         .elapsed = hot_elapsed(),
                         .cpu = hot_cpu(),
                         .changing = given_up_changing(s) };
  if (hot_tunes(s) && hot_is_worth(hot_get(&s->heat.longer), now.usage.share))
    earlier_note(s->kernel, &now);
  else if (s->heat.earlier.elapsed > 0 && hot_is_measured(s))
    earlier_note(s->kernel, NULL);
}

static void hot_note_all(void *data) {
  for (struct site *s = data; s; s = s->next)
    if (kernel_when_hot(s->kernel) && decide_mode(s->kernel) != MODE_OFF)
      hot_note(s);
}

// Writes to TEXT why S was not tuned.
static void hot_say(const struct site *s, const struct usage *u, char *text,
                    size_t size) {
  char call[32];
  units_seconds(call, sizeof call, u->seconds);
  if (hot_get(&s->heat.longer) < u->calls * u->seconds / 2)
    snprintf(text, size, "default: called %.2g times, %s a call: too short to tune",
             u->calls, call);
  else
    snprintf(text, size,
             "default: called %.2g times, %s a call, %.2g %% of the program's time: too "
             "little to tune it",
             u->calls, call, 100 * u->share);
}

// Returns a key of S that was called and not tuned, because S is not hot; NULL: S is hot,
// or was not called.
static struct node *hot_cold_node(const struct site *s) {
  if (hot_tunes(s) || hot_get(&s->heat.calls) <= 0 || decide_mode(s->kernel) == MODE_OFF)
    return NULL;
  for (struct node *n = atomic_load(&s->all); n; n = n->all)
    if (atomic_load(&n->refusal) == REFUSED_COLD && !atomic_load(&n->decided) &&
        !atomic_load(&n->retired) && !atomic_load(&n->team))
      return n;
  return NULL;
}

// Stores why N was not tuned, unless that is known.
static void hot_store(struct store *store, struct node *n) {
  struct identity id = node_identity(n);
  struct asked known;
  bool old = store_find_asked(store, problem_id(&id), &known);
  char text[160];
  if (!old || known.refused != REFUSED_COLD || known.space != id.space) {
    struct usage usage = hot_usage(n->site);
    hot_say(n->site, &usage, text, sizeof text);
    store_asked(store, &id, n->site->kernel, REFUSED_COLD, text, &usage);
  }
  free(known.block);
}

static void hot_store_all(void *data) {
  struct store *store = store_open_briefly();
  double start = sys_now(), most = PART * hot_elapsed();
  unsigned stored = 0; // one at least, whatever the time
  for (struct site *s = data; store && s && (!stored || sys_now() - start < most);
       s = s->next) {
    struct node *n = hot_cold_node(s);
    if (n)
      hot_store(store, n);
    stored += n != NULL;
  }
  if (store)
    store_close(store);
}

void hot_at_exit(struct site *sites) {
  unsigned cold = 0, all = 0;
  for (struct site *s = sites; s; s = s->next) {
    all += kernel_when_hot(s->kernel);
    cold += hot_cold_node(s) != NULL;
  }
  if (all > 0)
    stack_run(hot_note_all, sites);
  if (cold == 0)
    return;
  log_message(AUTOTUNE_INFO, "%u of %u kernels took too little of the time to be tuned",
              cold, all);
  if (hot_elapsed() >= exit_from)
    stack_run(hot_store_all, sites);
}

void hot_after_fork(struct site *sites) {
  hot_begin();
  hot_set(&program.when, 0);
  hot_set(&program.looks, 0);
  for (struct site *s = sites; s; s = s->next) {
    hot_set(&s->heat.calls, 0);
    hot_set(&s->heat.seconds, 0);
    hot_set(&s->heat.longer, 0);
    hot_set(&s->heat.next, 0);
    for (struct node *n = atomic_load(&s->all); n; n = n->all)
      hot_set(&n->spent, 0);
  }
}
