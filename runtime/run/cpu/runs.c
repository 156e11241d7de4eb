// SPDX-License-Identifier: Apache-2.0
// runs.c: the checked runs of a worker. Each begins with memory as at the call, and what
// it leaves is compared with what the default has left.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cold.h"
#include "openmp.h"
#include "run/measure.h"
#include "runs.h"
#include "stack.h"
#include "unnamed.h"

static const double cheap = 5e-3; // seconds
enum { ALIKE = 1, APART };        // nudges: of equal numbers

void run_allow(struct runner *r, double seconds) {
  atomic_store(&r->zygote->board->deadline, seconds > 0 ? measure_clock() + seconds : 0);
}

void run_free_result(struct runner *r) {
  free(r->result);
  r->result = NULL;
}

struct sample run_measured(struct runner *r, const struct trial_plan *plan,
                           autotune_fn code, unsigned batch, size_t *allocated) {
  const struct objective *o = objective_get(plan->objective);
  const struct image *m = &r->zygote->image;
  state_give();
  if (r->rounding)
    fesetround(r->rounding);
  *allocated = returned_allocated(m);
  double begun = o->begin(), start = measure_clock();
  for (unsigned i = 0; i < batch; i++)
    m->kernel->invoke(code, m->args, m->ret);
  struct sample s = objective_end(o, begun, measure_clock() - start, batch);
  *allocated = returned_allocated(m) - *allocated;
  return s;
}

void run_settle(struct runner *r) {
  state_take(&r->left);
  state_restore(&r->found, &r->left);
}

// True if the last run left the state that the default leaves.
static bool run_left_state(const struct runner *r, char *message, size_t size) {
  const struct image *m = &r->zygote->image;
  const char *what = state_difference(&m->changes->left, &r->left);
  bool off = m->kernel->verify == AUTOTUNE_VERIFY_OFF;
  if (what && !off)
    snprintf(message, size, "it leaves another state than the default: %s", what);
  return !what || off;
}

// What the system has done for this worker so far.
struct paging {
  double system; // seconds, counted by ticks on many systems: a short run may have none
  long faults;
};

static struct paging run_paging(void) {
  struct rusage u = { 0 };
  getrusage(RUSAGE_SELF, &u);
  return (struct paging){ (double)u.ru_stime.tv_sec + 1e-6 * (double)u.ru_stime.tv_usec,
                          u.ru_minflt + u.ru_majflt };
}

// Returns the seconds between BEGIN and END that went into memory.
static double run_paged(struct runner *r, struct paging begin, struct paging end) {
  r->fault = r->fault > 0 ? r->fault : cold_fault();
  return fmax(end.system - begin.system, r->fault * (double)(end.faults - begin.faults));
}

// Runs once on fresh data. *OUT: the run. WATCH: looks for what changes besides sections.
static void run_fresh(struct runner *r, const struct command *c, autotune_fn code,
                      bool watch, struct sample *out) {
  struct image *m = &r->zygote->image;
  size_t allocated;
  run_allow(r, load_limit);
  run_free_result(r);
  image_prepare(m, !c->reference || c->scratch);
  if (r->nudged)
    rounding_nudge(m, r->nudged, r->nudged == APART);
  if (watch)
    changes_ready(m);
  stack_confine(true);
  if (watch)
    changes_begin(m);
  run_allow(r, c->plan.limit);
  const bool compared = !c->reference && c->ticket && c->measures == MEASURE_TIME;
  struct paging begun = run_paging();
  if (compared)
    image_hide(m, true);
  *out = run_measured(r, &c->plan, code, 1, &allocated);
  if (compared)
    image_hide(m, false);
  struct paging ended = run_paging();
  run_allow(r, load_limit);
  if (watch)
    changes_end(m);
  r->memory = run_paged(r, begun, ended);
  r->result = returned_to_free(&r->zygote->image, allocated);
  stack_confine(false);
  run_settle(r); // it may allocate
}

struct sample run_part(struct runner *r, const struct command *c,
                       const struct loaded *l) {
  struct sample first;
  run_fresh(r, c, l->code, false, &first);
  return first;
}

// Runs the default, and keeps what it changes. A second worker runs it once more, to see
// what of that it repeats, and a third one to see if it reads what is in its workspaces.
static bool run_reference(struct runner *r, const struct command *c, autotune_fn code,
                          struct answer *a, struct sample *out) {
  struct image *m = &r->zygote->image;
  run_fresh(r, c, code, true, out);
  if (c->scratch)
    return image_check(m, true, a->message, sizeof a->message) &&
        unnamed_check(m, true, a);
  if (c->repeat) {
    unnamed_repeat(m);
    unnamed_note(m, true, a->note, sizeof a->note);
    return !kernel_has_scratch(m->kernel) ||
        image_check(m, true, a->message, sizeof a->message);
  }
  m->changes->left = r->left;
  a->grew = m->changes->grew;
  unnamed_forget(m);
  unnamed_learn(m);
  a->unwatched = unnamed_unsure(m);
  if (!image_reference(m, a->message, sizeof a->message))
    return false;
  a->sets = remake_sets(m, a->weak, sizeof a->weak);
  return true;
}

// Measures how far nudged inputs move the outputs of the default, after its reference
// run.
static void run_nudged(struct runner *r, const struct command *c, autotune_fn code) {
  struct image *m = &r->zygote->image;
  struct range kept = rounding_keep(m);
  struct sample ignored;
  for (r->nudged = ALIKE; kept.base && r->nudged <= APART; r->nudged++) {
    run_fresh(r, c, code, false, &ignored);
    rounding_learn(m, true, r->nudged == APART);
    moved_note(m, r->nudged == APART ? MOVED_APART : MOVED_NUDGED);
    rounding_put_back(m, kept);
  }
  r->nudged = 0;
  image_seal(m, false);
}

// Makes the reference for made-up data. It counts only if the default takes such data as
// it takes real ones: it ends, writes to the same places, makes no new NaN or infinity,
// and hardly notices when all its sums are rounded up. (Where it does, errors grow so
// fast that right variants would differ, too.)
static bool run_remake(struct runner *r, const struct command *c, autotune_fn code,
                       struct answer *a, struct sample *out) {
  struct image *m = &r->zygote->image;
  const struct image before = *m;
  size_t size = sizeof a->message;
  if (unnamed_unsure(m)) // it keeps something for later calls, and this is to be one
    run_fresh(r, c, code, false, out);
  if (!remake(m, &c->wish, a->message, size))
    return false;
  unnamed_expect(m, &before);
  run_fresh(r, c, code, true, out);
  bool expected = unnamed_learn(m);
  if (!image_reference(m, a->message, size) || !run_left_state(r, a->message, size))
    return false;
  if (!expected || !image_is_finite(m, &before)) {
    snprintf(a->message, size, "the default does not take it");
    return false;
  }
  if (c->wish.measured)
    run_nudged(r, c, code);
  if (m->kernel->verify != AUTOTUNE_VERIFY_EXACT)
    r->rounding = FE_UPWARD;
  run_fresh(r, c, code, false, out);
  r->rounding = 0;
  bool steady = image_repeats(m, a->message, size);
  moved_note(m, MOVED_ROUNDED);
  image_seal(m, false);
  return steady;
}

// Looking for changes costs a fork and a walk over all pages. Where that takes long, only
// variants that may win are looked at, in a worker of their own (worker_trial).
static bool run_watches(const struct runner *r, const struct command *c) {
  const struct image *m = &r->zygote->image;
  return m->changes->seconds < cheap || c->plan.watch || unnamed_needs_workers(m);
}

// Runs once on fresh data, and checks that all is as after the default. *OUT: the run.
static bool run_checked(struct runner *r, const struct command *c, struct loaded *l,
                        bool watch, struct answer *a, struct sample *out) {
  struct image *m = &r->zygote->image;
  run_fresh(r, c, l->code, watch, out);
  bool right = image_check(m, true, a->message, sizeof a->message) &&
      run_left_state(r, a->message, sizeof a->message) &&
      (!watch || unnamed_check(m, l->calls, a));
  l->watched |= watch;
  a->partly |= watch && c->ticket && unnamed_leaves_out(m, l->calls);
  a->unseen |= watch && c->ticket && unnamed_unseen(m);
  if (watch)
    unnamed_note(m, l->calls, a->note, sizeof a->note);
  return right;
}

bool run_strict(struct runner *r, const struct command *c, struct loaded *l,
                struct answer *a, struct sample *first) {
  struct image *m = &r->zygote->image;
  char ignored[sizeof a->message];
  if (c->measures == MEASURE_STRICT_REFERENCE) {
    if (!image_part(m)) {
      snprintf(a->message, sizeof a->message, "no memory");
      return false;
    }
    run_fresh(r, c, l->code, false, first);
    if (!image_reference(m, a->message, sizeof a->message))
      return false;
  }
  run_fresh(r, c, l->code, false, first);
  image_demand(m, false);
  if (image_check(m, false, a->message, sizeof a->message))
    return true;
  image_demand(m, true);
  image_check(m, false, ignored, sizeof ignored); // for the largest deviation
  return false;
}

bool run_verify(struct runner *r, const struct command *c, struct loaded *l,
                struct answer *a, struct sample *first) {
  double start = measure_clock();
  struct sample second;
  bool watch = !c->reference && run_watches(r, c);
  bool right = !c->reference ? run_checked(r, c, l, watch, a, first)
      : c->wish.set          ? run_remake(r, c, l->code, a, first)
                             : run_reference(r, c, l->code, a, first);
  bool slow = c->plan.stop_above > 0 && first->cost > 2 * c->plan.stop_above &&
      first->seconds > 1e-3;
  // Threads may be wrong in one run of many. Where samples follow, the last one is
  // checked.
  bool samples = c->plan.max_samples > 1 && kernel_has_sections(r->zygote->kernel);
  bool again = right && r->zygote->kernel->openmp && !c->reference && !samples &&
      r->zygote->image.verified && !slow && first->seconds <= c->plan.budget;
  bool watch_again = watch && !unnamed_needs_workers(&r->zygote->image),
       plain = again && !watch_again; // it is like the default's last run, see below
  if (again)
    right = run_checked(r, c, l, watch_again, a, &second);
  if (again && right)
    *first = second;
  // The time on made-up data is that of a run like the default's last one: not watched,
  // with its memory touched before. Watching costs a page fault for each page written.
  if (right && c->wish.set && !c->reference && !plain &&
      first->seconds <= c->plan.budget) {
    right = run_checked(r, c, l, false, a, &second);
    *first = right ? second : *first;
  }
  a->verify_seconds = measure_clock() - start;
  if (!right)
    a->status = STATUS_WRONG;
  return right;
}
