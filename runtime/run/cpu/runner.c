// SPDX-License-Identifier: Apache-2.0
// runner.c: the life of a worker: it loads, runs, checks and times variants until one of
// them kills it. All that it knows is a copy; it answers through one socket, and may be
// ended at any time.
//
// How a variant is measured. The run that is checked comes first and is not timed with
// the others (page faults, cold caches, threads that start). Before each timed run the
// INOUT segments get their pristine bytes, outside of the timed part. A kernel of less
// than 20 us is timed in batches of about 50 us, unless it has INOUT sections: repeated
// on its own result it would compute something else. Nothing is subtracted.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/channel.h"
#include "openmp.h"
#include "sandbox.h"
#include "stack.h"

static const double rest_after = 2e-3; // seconds
static const double batch_below = 20e-6, batch_of = 50e-6, load_limit = 30;
static const double settling =
    6e-3; // seconds in which the system may still move threads between cores

struct loaded {
  uint64_t ticket;
  autotune_fn code;
  bool checked;
};
struct runner {
  struct zygote *zygote;
  pid_t self;
  struct loaded *loaded;
  unsigned n_loaded;
  bool warm; // a variant has run here before
};

static double runner_now(void) { // never the clock of a test
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A variant that calls exit() must not run the program's own handlers; this one was
// registered last.
static void end_here(int status, void *data) {
  (void)data;
  _exit(status);
}

static void runner_allow(struct runner *r, double seconds) {
  atomic_store(&r->zygote->board->deadline, seconds > 0 ? runner_now() + seconds : 0);
}

// ---- running ------------------------------------------------------------------------

static void runner_call(struct runner *r, autotune_fn code) {
  const struct image *m = &r->zygote->image;
  m->kernel->invoke(code, m->args, m->ret);
}

static double runner_timed(struct runner *r, autotune_fn code, unsigned batch) {
  const struct image *m = &r->zygote->image;
  double start = runner_now();
  for (unsigned i = 0; i < batch; i++)
    m->kernel->invoke(code, m->args, m->ret);
  return (runner_now() - start) / batch;
}

// One run on fresh data, and whether all is as after the default. *SECONDS: what the run
// took.
static bool runner_checked_run(struct runner *r, const struct command *c,
                               autotune_fn code, struct answer *a, double *seconds) {
  struct image *m = &r->zygote->image;
  runner_allow(r, load_limit);
  image_prepare(m);
  image_watch(m);
  runner_allow(r, c->plan.limit);
  stack_confine(true);
  double start = runner_now();
  runner_call(r, code);
  *seconds = runner_now() - start;
  stack_confine(false);
  runner_allow(r, load_limit);
  bool right = c->reference ? image_reference(m, a->message, sizeof a->message)
                            : image_check(m, true, a->message, sizeof a->message);
  if (!right)
    a->status = STATUS_WRONG;
  return right;
}

// Races between threads do not show every time, so variants of OpenMP kernels that may
// win are looked at twice (a long one when it is timed and when it comes to the final
// race).
static bool runner_verify(struct runner *r, const struct command *c, autotune_fn code,
                          struct answer *a, double *seconds) {
  double start = runner_now(), second;
  bool right = runner_checked_run(r, c, code, a, seconds);
  bool slow = c->plan.stop_above > 0 && *seconds > 2 * c->plan.stop_above &&
      *seconds > 1e-3;
  bool again = right && r->zygote->kernel->openmp && !c->reference &&
      r->zygote->image.verified && !slow && *seconds <= c->plan.budget;
  if (again)
    right = runner_checked_run(r, c, code, a, &second);
  if (again && right && second < *seconds)
    *seconds = second;
  a->verify_seconds = runner_now() - start;
  return right;
}

// ---- timing -------------------------------------------------------------------------

static unsigned runner_batch_size(const struct runner *r, double seconds) {
  if (image_restores(&r->zygote->image) || seconds >= batch_below)
    return 1;
  double n = batch_of / (seconds > 5e-9 ? seconds : 5e-9);
  return (unsigned)n;
}

static double runner_least(const double *samples, unsigned n) {
  double best = samples[0];
  for (unsigned i = 1; i < n; i++)
    best = samples[i] < best ? samples[i] : best;
  return best;
}

// What runs in turns with the variant, to tell a slow variant from a slow moment.
struct rival {
  autotune_fn code; // NULL: nothing
  double seconds;   // what it takes when nothing else goes on
  unsigned batch;
  double samples[MAX_SAMPLES];
};

static struct loaded *runner_find(struct runner *r, uint64_t ticket) {
  for (unsigned i = 0; i < r->n_loaded; i++)
    if (r->loaded[i].ticket == ticket)
      return &r->loaded[i];
  return NULL;
}

static void runner_choose_rival(struct runner *r, const struct command *c,
                                struct rival *out) {
  const struct loaded *l = runner_find(r, c->plan.rival);
  bool usable = c->plan.rival && c->plan.rival != c->ticket && l && l->checked;
  out->code = usable ? l->code : NULL;
  out->seconds = c->plan.rival_seconds;
  out->batch = runner_batch_size(r, out->seconds);
}

// How many times as long as usual the rival took, as its fastest of the first N runs
// tell.
static double least_slowdown(const struct rival *rival, unsigned n) {
  return rival->code ? runner_least(rival->samples, n) / rival->seconds : 1;
}

// True if the variant is slower than wanted, also after a slow moment of the machine is
// taken into account.
static bool runner_is_slow(const struct trial_plan *p, const struct answer *a,
                           const struct rival *rival, double spent) {
  unsigned n = a->n_samples;
  double best = n ? runner_least(a->samples, n) / least_slowdown(rival, n) : 0;
  if (p->stop_above <= 0 || n < 2)
    return false;
  // What is only somewhat slower is not given up before the system has found cores for
  // its threads.
  bool settled = spent >= settling || (rival->code && n >= 3) || best > 2 * p->stop_above;
  return settled && best > p->stop_above;
}

static bool runner_is_enough(const struct trial_plan *p, const struct answer *a,
                             const struct rival *rival, double spent) {
  double sorted[MAX_SAMPLES];
  unsigned n = a->n_samples;
  if (n >= p->max_samples || n >= MAX_SAMPLES || spent > p->budget)
    return true;
  if (runner_is_slow(p, a, rival, spent))
    return true;
  if (n < p->min_samples || (n > 16 && n % 8 != 0))
    return false;
  memcpy(sorted, a->samples, n * sizeof *sorted);
  return stats_precise(stats_median(sorted, n), p->precision);
}

static double runner_run_once(struct runner *r, const struct trial_plan *p,
                              autotune_fn code, unsigned batch) {
  runner_allow(r, load_limit);
  image_restore(&r->zygote->image);
  runner_allow(r, p->limit);
  return runner_timed(r, code, batch);
}

// FIRST: seconds that the checked run took; below 0: there was none.
static void runner_sample(struct runner *r, const struct command *c, autotune_fn code,
                          struct answer *a, double first) {
  const struct trial_plan *p = &c->plan;
  bool restores = image_restores(&r->zygote->image);
  double start = runner_now();
  struct rival rival;
  if (first < 0 ||
      first < batch_below * 10) { // warm up; a short kernel's first run tells little
    first = runner_run_once(r, p, code, 1);
    if (first < batch_below)
      first = runner_timed(r, code, 1 + !restores * 3);
  }
  unsigned batch = runner_batch_size(r, first);
  runner_choose_rival(r, c, &rival);
  do {
    if (rival.code)
      rival.samples[a->n_samples] = runner_run_once(r, p, rival.code, rival.batch);
    a->samples[a->n_samples++] = runner_run_once(r, p, code, batch);
  } while (!runner_is_enough(p, a, &rival, runner_now() - start));
  runner_allow(r, 0);
  a->slowdown =
      rival.code ? stats_median(rival.samples, a->n_samples).median / rival.seconds : 1;
  a->time_seconds = runner_now() - start;
}

// Where one run says enough: it used up the budget, or it is far slower than the best
// although nothing was cold.
static bool runner_is_settled(const struct runner *r, const struct command *c,
                              double first) {
  const struct trial_plan *p = &c->plan;
  bool slow = p->stop_above > 0 && first > 3 * p->stop_above && first > 1e-3 && r->warm &&
      r->zygote->kernel->n_sections > 0;
  return slow || first > p->budget;
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
                               struct answer *a) {
  const struct autotune_kernel *k = r->zygote->kernel;
  const struct jit_api *jit = r->zygote->jit;
  char *why = NULL;
  void *object = channel_map(fd, c->object_size);
  struct jit_code *code = NULL;
  if (object && jit && !sys_fails(SYS_JIT))
    code = jit->load(object, c->object_size, k->symbols, k->n_symbols, &why);
  if (object)
    munmap(object, c->object_size);
  const autotune_fn *entry =
      code ? (const autotune_fn *)jit->symbol(code, "autotune_entry") : NULL;
  if (!entry || !*entry) {
    a->status = STATUS_LOAD;
    snprintf(a->message, sizeof a->message, "%s", why ? why : "it has no autotune_entry");
  }
  free(why);
  return entry ? *entry : NULL;
}

static void runner_try(struct runner *r, const struct command *c, int fd,
                       struct answer *a) {
  double start = runner_now(), first = -1;
  struct loaded *l = runner_known(r, c->ticket);
  runner_allow(r, load_limit);
  if (!l) {
    a->status = STATUS_LOAD;
    snprintf(a->message, sizeof a->message, "no memory");
    return;
  }
  if (!l->code)
    l->code = c->ticket ? runner_load(r, c, fd, a) : r->zygote->kernel->original;
  a->load_seconds = runner_now() - start;
  if (!l->code)
    return;
  autotune_fn code = l->code;
  if (c->reference || (c->plan.verify && !l->checked)) {
    if (!runner_verify(r, c, code, a, &first))
      return;
    l->checked = true;
  }
  if (runner_is_settled(r, c, first)) {
    a->samples[a->n_samples++] = first;
  } else {
    runner_sample(r, c, code, a, first);
    runner_allow(r, load_limit);
    // Without sections nothing was put back between the runs, so nothing need be the
    // same.
    if (c->plan.verify && r->zygote->kernel->n_sections > 0 &&
        !image_check(&r->zygote->image, false, a->message, sizeof a->message))
      a->status = STATUS_WRONG;
  }
  r->warm = true;
}

// Where no command follows at once, something is being compiled, and threads that spin
// are in its way.
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
  struct answer *a =
      sys_malloc(sizeof *a); // large, and the program's thread may have little stack
  while (a && channel_receive(&z->commands, &m, &c, sizeof c, -1) == CHANNEL_MESSAGE) {
    *a = (struct answer){ .status = STATUS_OK };
    runner_try(&r, &c, m.fd, a);
    runner_allow(&r, 0);
    atomic_store(&z->board->running, sys_cpu());
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
