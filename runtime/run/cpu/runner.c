// SPDX-License-Identifier: Apache-2.0
// runner.c: a worker. It loads, runs, checks and times variants until one of them kills
// it. It works on copies only, answers through one socket, and may be killed at any time.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/channel.h"
#include "copies.h"
#include "module.h"
#include "openmp.h"
#include "run/measure.h"
#include "sandbox.h"
#include "stack.h"
#include "state.h"

static const double rest_after = 2e-3, load_limit = 30, cheap = 5e-3; // seconds
static const double settling =
    6e-3; // seconds in which the system may still move threads between cores

struct loaded {
  uint64_t ticket;
  autotune_fn code;
  bool checked;
  bool watched; // what it changes besides sections was looked at
  bool calls;   // functions that may allocate
};
struct runner {
  struct zygote *zygote;
  pid_t self;
  struct loaded *loaded;
  unsigned n_loaded;
  bool warm;                // a variant has run here before
  int rounding;             // of the next runs: FE_…; 0: the program's
  struct state found, left; // by each run; what the last one left
  struct copies copies;     // of this worker, where the call is one of several
  double copied;            // seconds of CPU that they have taken
  void *result;             // of the last run, if we must free it; NULL: there is none
};

// A variant that calls exit() must not run the program's own handlers; this one was
// registered last.
static void end_here(int status, void *data) {
  (void)data;
  _exit(status);
}

static void runner_allow(struct runner *r, double seconds) {
  atomic_store(&r->zygote->board->deadline, seconds > 0 ? measure_clock() + seconds : 0);
}

// ---- running ------------------------------------------------------------------------

// Frees the result of the last run.
static void runner_free_result(struct runner *r) {
  free(r->result);
  r->result = NULL;
}

// Runs CODE BATCH times and measures what PLAN says. *ALLOCATED: as returned_to_free
// needs it.
static struct sample runner_measured(struct runner *r, const struct trial_plan *plan,
                                     autotune_fn code, unsigned batch,
                                     size_t *allocated) {
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

// Notes the state that the last run left, and puts it back.
static void runner_settle(struct runner *r) {
  state_take(&r->left);
  state_restore(&r->found, &r->left);
}

// True if the last run left the state that the default leaves.
static bool runner_left_state(const struct runner *r, char *message, size_t size) {
  const struct image *m = &r->zygote->image;
  const char *what = state_difference(&m->changes->left, &r->left);
  bool off = m->kernel->verify == AUTOTUNE_VERIFY_OFF;
  if (what && !off)
    snprintf(message, size, "it leaves another state than the default: %s", what);
  return !what || off;
}

// Runs once on fresh data. *OUT: the run. WATCH: looks for what changes besides sections.
static void runner_fresh_run(struct runner *r, const struct command *c, autotune_fn code,
                             bool watch, struct sample *out) {
  struct image *m = &r->zygote->image;
  size_t allocated;
  runner_allow(r, load_limit);
  runner_free_result(r);
  image_prepare(m, !c->reference || c->scratch);
  stack_confine(true);
  if (watch)
    changes_begin(m);
  runner_allow(r, c->plan.limit);
  *out = runner_measured(r, &c->plan, code, 1, &allocated);
  runner_allow(r, load_limit);
  if (watch)
    changes_end(m);
  r->result = returned_to_free(&r->zygote->image, allocated);
  stack_confine(false);
  runner_settle(r); // it may allocate
}

// Runs the default, and keeps what it changes. A second worker runs it once more, to see
// what of that it repeats, and a third one to see if it reads what is in its workspaces.
static bool runner_reference(struct runner *r, const struct command *c, autotune_fn code,
                             struct answer *a, struct sample *out) {
  struct image *m = &r->zygote->image;
  runner_fresh_run(r, c, code, true, out);
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
  unnamed_learn(m);
  a->unwatched = unnamed_unsure(m);
  if (!image_reference(m, a->message, sizeof a->message))
    return false;
  a->sets = remake_sets(m, a->weak, sizeof a->weak);
  return true;
}

// Makes the reference for made-up data. It counts only if the default takes such data as
// it takes real ones: it ends, writes to the same places, makes no new NaN or infinity,
// and hardly notices when all its sums are rounded up. (Where it does, errors grow so
// fast that right variants would differ, too.)
static bool runner_remake(struct runner *r, const struct command *c, autotune_fn code,
                          struct answer *a, struct sample *out) {
  struct image *m = &r->zygote->image;
  const struct image before = *m;
  size_t size = sizeof a->message;
  if (unnamed_unsure(m)) // it keeps something for later calls, and this is to be one
    runner_fresh_run(r, c, code, false, out);
  if (!remake(m, &c->wish, a->message, size))
    return false;
  unnamed_expect(m, &before);
  runner_fresh_run(r, c, code, true, out);
  bool expected = unnamed_learn(m);
  if (!image_reference(m, a->message, size) || !runner_left_state(r, a->message, size))
    return false;
  if (!expected || !image_is_finite(m, &before)) {
    snprintf(a->message, size, "the default does not take it");
    return false;
  }
  if (m->kernel->verify != AUTOTUNE_VERIFY_EXACT)
    r->rounding = FE_UPWARD;
  runner_fresh_run(r, c, code, false, out);
  r->rounding = 0;
  bool steady = image_repeats(m, a->message, size);
  image_seal(m);
  return steady;
}

// Looking for changes costs a fork and a walk over all pages. Where that takes long, only
// variants that may win are looked at, in a worker of their own (worker_trial).
static bool runner_watches(const struct runner *r, const struct command *c) {
  const struct image *m = &r->zygote->image;
  return m->changes->seconds < cheap || c->plan.watch || unnamed_needs_workers(m);
}

// Runs once on fresh data, and checks that all is as after the default. *OUT: the run.
static bool runner_checked_run(struct runner *r, const struct command *c,
                               struct loaded *l, bool watch, struct answer *a,
                               struct sample *out) {
  struct image *m = &r->zygote->image;
  runner_fresh_run(r, c, l->code, watch, out);
  bool right = image_check(m, true, a->message, sizeof a->message) &&
      runner_left_state(r, a->message, sizeof a->message) &&
      (!watch || unnamed_check(m, l->calls, a));
  l->watched |= watch;
  a->partly |= watch && c->ticket && unnamed_leaves_out(m, l->calls);
  if (watch)
    unnamed_note(m, l->calls, a->note, sizeof a->note);
  return right;
}

// Checks a variant. Races between threads do not show every time, so variants of OpenMP
// kernels that may win are checked twice (a long one when it is timed, and again in the
// final race).
static bool runner_verify(struct runner *r, const struct command *c, struct loaded *l,
                          struct answer *a, struct sample *first) {
  double start = measure_clock();
  struct sample second;
  bool watch = !c->reference && runner_watches(r, c);
  bool right = !c->reference ? runner_checked_run(r, c, l, watch, a, first)
      : c->wish.set          ? runner_remake(r, c, l->code, a, first)
                             : runner_reference(r, c, l->code, a, first);
  bool slow = c->plan.stop_above > 0 && first->cost > 2 * c->plan.stop_above &&
      first->seconds > 1e-3;
  bool again = right && r->zygote->kernel->openmp && !c->reference &&
      r->zygote->image.verified && !slow && first->seconds <= c->plan.budget;
  if (again)
    right = runner_checked_run(
        r, c, l, watch && !unnamed_needs_workers(&r->zygote->image), a, &second);
  if (again && right && second.seconds < first->seconds)
    *first = second;
  a->verify_seconds = measure_clock() - start;
  if (!right)
    a->status = STATUS_WRONG;
  return right;
}

// ---- timing -------------------------------------------------------------------------

static struct loaded *runner_find(struct runner *r, uint64_t ticket) {
  for (unsigned i = 0; i < r->n_loaded; i++)
    if (r->loaded[i].ticket == ticket)
      return &r->loaded[i];
  return NULL;
}

struct sampling {
  struct runner *runner;
  autotune_fn code, rival;
  const struct trial_plan *plan;
  int lost; // as from copies_go
};

static void runner_copy_prepare(void *data) {
  const struct sampling *m = data;
  image_restore(&m->runner->zygote->image);
}

static void runner_copy_run(void *data, int which, unsigned batch) {
  const struct sampling *m = data;
  const struct image *image = &m->runner->zygote->image;
  autotune_fn code = which == MEASURE_RIVAL ? m->rival : m->code;
  state_give();
  for (unsigned i = 0; i < batch; i++)
    image->kernel->invoke(code, image->args, image->ret);
}

// Runs a variant for measure(); struct measure says how.
static bool runner_run(void *data, enum measure_what which, unsigned batch,
                       struct sample *out) {
  struct sampling *m = data;
  struct copies *copies = m->runner->copies.n > 0 ? &m->runner->copies : NULL;
  size_t allocated;
  runner_allow(m->runner, load_limit);
  runner_free_result(m->runner);
  if (copies)
    copies_ready(copies, (int)which, batch);
  image_restore(&m->runner->zygote->image);
  runner_allow(m->runner, m->plan->limit);
  if (copies && (m->lost = copies_go(copies)) != 0)
    return false;
  *out = runner_measured(m->runner, m->plan, which == MEASURE_RIVAL ? m->rival : m->code,
                         batch, &allocated);
  m->runner->result = returned_to_free(&m->runner->zygote->image, allocated);
  runner_settle(m->runner);
  return true;
}

// Where the call is one of several: starts the copies, and lets all run once, so that
// none of them shares a page any more that it writes. *FIRST: that run. False, and A says
// why: nothing can be timed.
static bool runner_begin_copies(struct runner *r, const struct copies_work *work,
                                struct answer *a, struct sample *first) {
  if (r->copies.most == 0)
    return true;
  if (copies_begin(&r->copies, work))
    return runner_run(work->data, MEASURE_VARIANT, 1, first);
  copies_lack(&r->copies, a);
  return false;
}

// FIRST: the checked run; seconds below 0: there was none.
static void runner_sample(struct runner *r, const struct command *c, autotune_fn code,
                          struct answer *a, struct sample first) {
  const struct trial_plan *p = &c->plan;
  const struct loaded *l = runner_find(r, p->rival);
  bool rival = p->rival && p->rival != c->ticket && l && l->checked;
  struct sampling data = { r, code, rival ? l->code : NULL, p, 0 };
  const struct copies_work work = { runner_copy_prepare, runner_copy_run, &data };
  const struct measure m = {
    .plan = p,
    .rival = rival && p->rival_sample.cost > 0,
    .batches = !image_restores(&r->zygote->image) &&
        !memory_is_returned(r->zygote->kernel),
    .shortest = 5e-9,
    .settling = settling,
    .capacity = MAX_SAMPLES,
    .run = runner_run,
    .clock = measure_clock,
    .data = &data,
  };
  struct measured out = { .samples = a->samples };
  if (runner_begin_copies(r, &work, a, &first))
    measure(&m, first, &out);
  r->copied += copies_end(&r->copies);
  copies_judge(&r->copies, data.lost, a);
  runner_allow(r, 0);
  a->n_samples = out.n;
  a->slowdown = out.slowdown;
  a->run_seconds = out.run_seconds;
  a->time_seconds = out.seconds;
}

// ---- one command --------------------------------------------------------------------

static struct loaded *runner_known(struct runner *r, uint64_t ticket) {
  struct loaded *l = runner_find(r, ticket);
  if (l)
    return l;
  struct loaded *more = sys_realloc(r->loaded, (r->n_loaded + 1) * sizeof *more);
  if (!more)
    return NULL;
  r->loaded = more;
  more[r->n_loaded] = (struct loaded){ .ticket = ticket };
  return &more[r->n_loaded++];
}

static autotune_fn runner_load(struct runner *r, const struct command *c, int fd,
                               bool *calls, struct answer *a) {
  const struct autotune_kernel *k = r->zygote->kernel;
  const struct jit_api *jit = r->zygote->jit;
  bool written = c->measures == MEASURE_WRITTEN;
  autotune_fn loaded = written ? NULL : r->zygote->image.loaded;
  char *why = NULL;
  if (loaded) {
    *calls = module_calls(loaded, k->symbols, k->n_symbols);
    return loaded;
  }
  void *object = channel_map(fd, c->object_size);
  struct jit_code *code = NULL;
  if (object && jit && !sys_fails(SYS_JIT))
    code = jit->load(object, c->object_size, k->symbols, k->n_symbols, &why);
  *calls = object && jit && jit->calls &&
      jit->calls(object, c->object_size, k->symbols, k->n_symbols);
  if (object)
    munmap(object, c->object_size);
  const void *symbol = code ? jit->symbol(code, "autotune_entry") : NULL;
  const struct autotune_replay *const *replay = symbol;
  const autotune_fn *entry = symbol && written ? &(*replay)->original : symbol;
  if (!entry || !*entry) {
    a->status = STATUS_LOAD;
    snprintf(a->message, sizeof a->message, "%s", why ? why : "it has no autotune_entry");
  }
  free(why);
  return entry ? *entry : NULL;
}

// The default may allocate, for all that is known. Where a winner is checked again, the
// default has to repeat what the winner is compared in.
static void runner_take_default(const struct runner *r, struct loaded *l) {
  const struct autotune_kernel *k = r->zygote->kernel;
  autotune_fn winner = r->zygote->image.loaded;
  l->code = k->original;
  l->calls = !winner || module_calls(winner, k->symbols, k->n_symbols);
}

static bool runner_may_win(const struct command *c, const struct answer *a) {
  for (unsigned i = 0; i < a->n_samples; i++)
    if (c->plan.stop_above <= 0 || a->samples[i] <= c->plan.stop_above)
      return true;
  return false;
}

// Runs the default with nudged inputs, or the kernel as written by another compiler, and
// notes what this does to the outputs. The worker is not used for anything else.
static void runner_measure(struct runner *r, const struct command *c, autotune_fn code,
                           struct answer *a) {
  const struct image *m = &r->zygote->image;
  bool nudged = c->measures == MEASURE_NUDGED;
  size_t allocated;
  struct sample run = { .seconds = 0 };
  mprotect(m->shared.base, m->shared.size, PROT_READ);
  rounding_seal(m, false);
  rounding_prepare(m);
  rounding_seal(m, true);
  double start = measure_clock();
  for (unsigned i = 0;
       i == 0 || (nudged && verify_nudges_again(i, run.seconds, measure_clock() - start));
       i++) {
    runner_free_result(r);
    image_prepare(m, false);
    if (nudged && !rounding_nudge(m, i))
      return;
    stack_confine(true);
    runner_allow(r, c->plan.limit);
    run = runner_measured(r, &c->plan, code, 1, &allocated);
    r->result = returned_to_free(&r->zygote->image, allocated);
    runner_allow(r, load_limit);
    stack_confine(false);
    runner_settle(r);
    if (!nudged)
      image_check(m, false, a->note, sizeof a->note);
    rounding_learn(m, nudged);
    a->samples[0] = run.cost;
    a->n_samples = 1;
    a->run_seconds = run.seconds;
  }
}

// True if FIRST, the checked run, says enough. Alone it costs less than as one of
// several, so then it says enough only where no time is wanted, or it is far too slow.
static bool runner_is_settled(const struct runner *r, const struct command *c,
                              struct sample first) {
  struct trial_plan p = c->plan;
  if (r->copies.most > 0 && p.max_samples > 1)
    p.budget = first.seconds;
  return measure_settled(&p, first, r->warm && kernel_has_sections(r->zygote->kernel));
}

static void runner_run_trial(struct runner *r, const struct command *c, int fd,
                             struct answer *a) {
  double start = measure_clock();
  struct sample first = { .seconds = -1 };
  struct loaded *l = runner_known(r, c->ticket);
  runner_allow(r, load_limit);
  if (!l) {
    a->status = STATUS_LOAD;
    snprintf(a->message, sizeof a->message, "no memory");
    return;
  }
  if (!l->code && !c->ticket)
    runner_take_default(r, l);
  else if (!l->code)
    l->code = runner_load(r, c, fd, &l->calls, a);
  a->load_seconds = measure_clock() - start;
  if (!l->code)
    return;
  if (c->measures != MEASURE_TIME) {
    runner_measure(r, c, l->code, a);
    return;
  }
  if (c->reference || c->wish.set || (c->plan.verify && !l->checked)) {
    if (!runner_verify(r, c, l, a, &first))
      return;
    l->checked = true;
  }
  if (c->wish.set || runner_is_settled(r, c, first)) {
    a->samples[a->n_samples++] = first.cost;
    a->run_seconds = first.seconds;
  } else {
    runner_sample(r, c, l->code, a, first);
    runner_allow(r, load_limit);
    // Without sections nothing was put back between the runs, so nothing need be the
    // same.
    if (c->plan.verify && kernel_has_sections(r->zygote->kernel) &&
        !image_check(&r->zygote->image, false, a->message, sizeof a->message))
      a->status = STATUS_WRONG;
  }
  if (!c->reference)
    a->unwatched = c->plan.verify && !l->watched && r->zygote->image.changes->on &&
        runner_may_win(c, a);
  r->warm = true;
}

static void runner_try(struct runner *r, const struct command *c, int fd,
                       struct answer *a) {
  *r->zygote->image.deviation = (struct image_deviation){ .known = false };
  runner_run_trial(r, c, fd, a);
  const struct image_deviation *d = r->zygote->image.deviation;
  if (d->known)
    output_tell_deviation(&d->d, d->where, a->deviation, sizeof a->deviation);
  a->deviation_part = d->d.part;
}

// Lets the threads sleep if no command follows at once: something is then being compiled,
// and spinning threads would slow it down.
static void runner_rest(struct runner *r) {
  if (channel_ready(&r->zygote->commands, rest_after))
    return;
  runner_allow(r, load_limit);
  openmp_rest();
  runner_allow(r, 0);
}

void runner_main(struct zygote *z, pid_t parent) {
  struct runner r = { .zygote = z, .self = getpid() };
  struct command c;
  struct message m;
  setpgid(0, 0); // what a variant forks is ended with it
  if (!sandbox_follow(parent, SIGKILL) || on_exit(end_here, NULL) != 0)
    _exit(1);
  close(z->orders.socket);
  changes_open(&z->image);
  if (z->team > 1 && !copies_open(&r.copies, z->team - 1))
    _exit(1);
  if (z->team > 1 && !z->nests)
    openmp_alone();
  state_give();
  state_take(&r.found);
  struct answer *a =
      sys_malloc(sizeof *a); // large, and the program's thread may have little stack
  while (a && channel_receive(&z->commands, &m, &c, sizeof c, -1) == CHANNEL_MESSAGE) {
    *a = (struct answer){ .status = STATUS_OK };
    runner_try(&r, &c, m.fd, a);
    runner_allow(&r, 0);
    atomic_store(&z->board->running, sys_cpu() + r.copied);
    if (m.fd >= 0)
      close(m.fd);
    if (getpid() != r.self) // the variant has forked, and this is not the worker
      _exit(0);
    m = (struct message){ WORKER_ANSWER, m.serial, a, sizeof *a, -1 };
    if (!channel_send(&z->commands, &m, true))
      break;
    runner_rest(&r);
  }
  _exit(0);
}
