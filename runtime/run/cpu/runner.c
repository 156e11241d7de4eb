// SPDX-License-Identifier: Apache-2.0
// runner.c: a worker. It loads, runs, checks and times variants until one of them kills
// it. It works on copies only, answers through one socket, and may be killed at any time.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/channel.h"
#include "module.h"
#include "openmp.h"
#include "openmp_memory.h"
#include "run/measure.h"
#include "runs.h"
#include "stack.h"
#include "unnamed.h"

static const double rest_after = 2e-3; // seconds
static const double settling =
    6e-3; // seconds in which the system may still move threads between cores

// A variant that calls exit() must not run the program's own handlers; this one was
// registered last.
static void end_here(int status, void *data) {
  (void)data;
  _exit(status);
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
  run_allow(m->runner, load_limit);
  run_free_result(m->runner);
  if (copies)
    copies_ready(copies, (int)which, batch);
  image_restore(&m->runner->zygote->image);
  run_allow(m->runner, m->plan->limit);
  if (copies && (m->lost = copies_go(copies)) != 0)
    return false;
  *out = run_measured(m->runner, m->plan, which == MEASURE_RIVAL ? m->rival : m->code,
                      batch, &allocated);
  m->runner->result = returned_to_free(&m->runner->zygote->image, allocated);
  run_settle(m->runner);
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

// True if FIRST, the checked run, is a sample: it is long, and neither its code nor its
// memory was cold.
static bool runner_counts(const struct runner *r, struct sample first) {
  const double least = 10e-3, cold = 0.02; // seconds; part of them
  return r->warm && r->copies.most == 0 && first.seconds >= least &&
      r->memory <= cold * first.seconds;
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
    .counts = runner_counts(r, first),
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
  openmp_memory_use(false); // the C library's allocator is the one to be timed
  if (runner_begin_copies(r, &work, a, &first))
    measure(&m, first, &out);
  r->copied += copies_end(&r->copies);
  copies_judge(&r->copies, data.lost, a);
  run_allow(r, 0);
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

// True if the OpenMP runtime allocates on the program's heap.
static bool runner_shares_heap(const struct runner *r) {
  return !r->zygote->image.changes->apart;
}

static autotune_fn runner_load(struct runner *r, const struct command *c, int fd,
                               bool *calls, struct answer *a) {
  const struct autotune_kernel *k = r->zygote->kernel;
  const struct jit_api *jit = r->zygote->jit;
  bool written = c->ticket == TICKET_WRITTEN;
  autotune_fn loaded = written ? NULL : r->zygote->image.loaded;
  char *why = NULL;
  if (loaded) {
    *calls = module_calls(loaded, k->symbols, k->n_symbols, runner_shares_heap(r));
    return loaded;
  }
  void *object = channel_map(fd, c->object_size);
  struct jit_code *code = NULL;
  if (object && jit && !sys_fails(SYS_JIT))
    code = jit->load(object, c->object_size, k->symbols, k->n_symbols, &why);
  *calls = object && jit && jit->calls &&
      jit->calls(object, c->object_size, k->symbols, k->n_symbols, runner_shares_heap(r));
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
  l->calls = !winner ||
      module_calls(winner, k->symbols, k->n_symbols, runner_shares_heap(r));
}

static bool runner_may_win(const struct command *c, const struct answer *a) {
  for (unsigned i = 0; i < a->n_samples; i++)
    if (c->plan.stop_above <= 0 || a->samples[i] <= c->plan.stop_above)
      return true;
  return false;
}

// True if to nudge once more, after DONE runs since START, the last of which took
// SECONDS. A run that takes long, perhaps because the machine is busy, is no reason to
// leave out the only one that shows the rounding of equal numbers.
static bool runner_nudges_again(const struct image *m, unsigned done, double seconds,
                                double start) {
  return verify_nudges_again(done, seconds, measure_clock() - start) ||
      (done == 1 && rounding_stays(m));
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
  r->rounding = c->measures == MEASURE_UP ? FE_UPWARD
      : c->measures == MEASURE_DOWN       ? FE_DOWNWARD
                                          : 0;
  rounding_seal(m, false);
  if (m->rounding)
    rounding_prepare(m);
  rounding_seal(m, true);
  double start = measure_clock();
  for (unsigned i = 0;
       i == 0 || (nudged && runner_nudges_again(m, i, run.seconds, start)); i++) {
    const bool apart = nudged && i % 2 == 1;
    run_free_result(r);
    image_prepare(m, false);
    if (nudged && !rounding_nudge(m, i, apart))
      return;
    stack_confine(true);
    run_allow(r, c->plan.limit);
    run = run_measured(r, &c->plan, code, 1, &allocated);
    r->result = returned_to_free(&r->zygote->image, allocated);
    run_allow(r, load_limit);
    stack_confine(false);
    run_settle(r);
    if (i == 0 || !unnamed_needs_workers(m)) // else it was not put back
      moved_note(m,
                 apart             ? MOVED_APART
                     : nudged      ? MOVED_NUDGED
                     : r->rounding ? MOVED_ROUNDED
                                   : MOVED_AGAIN);
    if (r->rounding) {
      rounding_learn_up(m);
      return;
    }
    if (!nudged)
      image_check(m, false, a->note, sizeof a->note);
    if (m->rounding)
      rounding_learn(m, nudged, apart);
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
  return measure_settled(&p, first, r->warm && kernel_has_sections(r->zygote->kernel),
                         r->memory);
}

static void runner_run_trial(struct runner *r, const struct command *c, int fd,
                             struct answer *a) {
  double start = measure_clock();
  struct sample first = { .seconds = -1 };
  struct loaded *l = runner_known(r, c->ticket);
  run_allow(r, load_limit);
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
  if (c->measures == MEASURE_STRICT || c->measures == MEASURE_STRICT_REFERENCE) {
    a->status = run_strict(r, c, l, a, &first) ? STATUS_OK : STATUS_WRONG;
    a->samples[a->n_samples++] = first.cost;
    a->run_seconds = first.seconds;
    return;
  }
  if (c->measures != MEASURE_TIME) {
    runner_measure(r, c, l->code, a);
    return;
  }
  if (c->reference || c->wish.set || (c->plan.verify && !l->checked)) {
    if (!run_verify(r, c, l, a, &first))
      return;
    l->checked = true;
  } else if (c->plan.part) {
    first = run_part(r, c, l);
  }
  if (c->wish.set || runner_is_settled(r, c, first)) {
    a->samples[a->n_samples++] = first.cost;
    a->run_seconds = first.seconds;
  } else {
    runner_sample(r, c, l->code, a, first);
    run_allow(r, load_limit);
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
  run_allow(r, load_limit);
  openmp_rest();
  run_allow(r, 0);
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
  openmp_resume();
  if (z->team > 1 && !z->nests)
    openmp_alone();
  state_give();
  state_take(&r.found);
  struct answer *a =
      sys_malloc(sizeof *a); // large, and the program's thread may have little stack
  while (a && channel_receive(&z->commands, &m, &c, sizeof c, -1) == CHANNEL_MESSAGE) {
    *a = (struct answer){ .status = STATUS_OK };
    runner_try(&r, &c, m.fd, a);
    run_allow(&r, 0);
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
