// SPDX-License-Identifier: Apache-2.0
// background.c: a tuning that runs while the program does. A process has at most one at a
// time. A call starts it without waiting; later calls, of any kernel, check its progress.
// The first call that finds the winner installs it.
//
// Call these only while holding decide_take(), unless site.h says otherwise.
#include <stdlib.h>
#include <time.h>

#include "live.h"
#include "vain.h"
#include "call/session/session.h"
#include "run/cpu/module.h"
#include "keep/store/store.h"

enum { CRASHES = 2 }; // of one key's tuners; after these it keeps the default

static struct {
  _Atomic(struct site *) site; // NULL: no tuning runs in the background
  struct node *node;
  atomic_bool checks;  // it only checks a winner again
  atomic_uint leaving; // sites that are being closed; until they are, background_wait
                       // does not wait
} background;

bool background_goes(void) {
  return atomic_load_explicit(&background.site, memory_order_acquire) != NULL;
}

bool background_checks(void) {
  return background_goes() &&
      atomic_load_explicit(&background.checks, memory_order_relaxed);
}

void background_forget(void) {
  atomic_store(&background.site, NULL);
  atomic_store(&background.leaving, 0); // those threads do not exist in the child
}

void background_tell(struct node *n) {
  if (n != background.node)
    refuse_for_now(n, REFUSED_BACKGROUND);
}

// Tells the tuner how much of the allowance is left.
static void tell_allowance(void) {
  const struct site *s = atomic_load_explicit(&background.site, memory_order_relaxed);
  const struct node *n = background.node;
  struct shared_memory *shared = session_shared_memory();
  if (shared && atomic_load(&n->rest.goes)) {
    atomic_store_explicit(&shared->spent, n->rest.spent, memory_order_relaxed);
    atomic_store_explicit(&shared->allowed, rest_allowed(n), memory_order_relaxed);
  } else if (shared && allowance_fraction(s->kernel) > 0) {
    atomic_store_explicit(&shared->spent, s->spent, memory_order_relaxed);
    atomic_store_explicit(&shared->allowed, allowance_left(s), memory_order_relaxed);
  }
}

static void background_load(const struct autotune_kernel *k, unsigned arm, int fd,
                            void *data) {
  (void)data;
  live_load(k, arm, fd);
}

static void background_take_provisional(const struct outcome *out, void *data) {
  (void)data;
  if (!background_goes() || atomic_load(&background.node->retired))
    return;
  if (background_checks())
    reverify_suspend(background.node, out);
  else
    provisional_install(background.node, out);
}

int background_start(struct site *s, struct node *n, const struct call *call,
                     const struct plan *plan, struct outcome *out) {
  struct identity id = node_identity(n);
  struct plan p = *plan;
  p.retry = n->crashes > 0;
  team_plan(n, &p);
  const struct session_listener l = { .provisional = background_take_provisional,
                                      .variant = background_load };
  loss_begin();
  if (session_start(s->kernel, &id, call, &p, &l, out) != 0)
    return -1;
  loss_forked();
  if (!p.loaded)
    log_message(AUTOTUNE_DEBUG, "%s: a tuning begins in the background", s->kernel->name);
  if (!atomic_load(&n->decided) && (p.kind == PLAN_SEARCH || p.kind == PLAN_ONLINE))
    vain_begun(s);
  background.node = n;
  atomic_store(&n->own, true);
  atomic_store(&background.checks, p.loaded != NULL);
  if (p.kind == PLAN_ONLINE)
    live_open(n);
  atomic_store_explicit(&background.site, s, memory_order_release);
  tell_allowance();
  if (!atomic_load(&n->decided) && !n->provisional)
    site_note(&n->why, "default for now: it is being tuned in the background");
  return 0;
}

bool background_calls(void) {
  if (!background_goes())
    return false;
  if (module_abandoned())
    return true;
  tell_allowance();
  return atomic_load(&background.node->retired) || session_has_news();
}

static void background_cancel(void) {
  live_close();
  loss_end(background_checks());
  session_cancel();
  rest_end(background.node);
  module_abandon(false);
  atomic_store(&background.site, NULL);
}

void background_yield(void) {
  if (!background_checks())
    return;
  reverify_cancel(background.node);
  background_cancel();
}

// Ends the tuning. STATE and OUT are its result.
static void background_settle(enum session_state state, struct outcome *out) {
  struct site *s = atomic_load(&background.site);
  struct node *n = background.node;
  bool checks = background_checks();
  live_close();
  if (checks && state != SESSION_NONE)
    reverify_settle(n, out);
  else
    allowance_cost(s, out->cost);
  loss_end(checks);
  if (!checks && state != SESSION_NONE)
    vain_ended(s);
  if (checks)
    ;
  else if (state == SESSION_CRASHED && n->crashes++ < CRASHES)
    log_message(AUTOTUNE_INFO,
                "%s: the tuning process crashed; the next call begins another, "
                "without the variants it was at",
                s->kernel->name);
  else if (state != SESSION_NONE)
    decide_outcome(s, n, out);
  if (!checks)
    rest_end(n); // also if it crashed
  module_abandon(false);
  atomic_store(&background.site,
               NULL); // from now on a thread that closes the site may free it
}

void background_look(double seconds) {
  if (!background_goes())
    return;
  if (module_abandoned() || atomic_load(&background.node->retired))
    return background_cancel();
  tell_allowance();
  struct outcome *out = sys_malloc(sizeof *out);
  if (out)
    out->cost = 0;
  enum session_state state = out ? session_wait(seconds, out) : SESSION_RUNS;
  if (state != SESSION_RUNS)
    background_settle(state, out);
  free(out);
}

// True if N keeps the default in this run because its tuning ends with the program, and
// does not go on afterwards.
static bool background_is_cut(const struct site *s, const struct node *n) {
  return !background_checks() && !kernel_when_hot(s->kernel) && !n->provisional &&
      !atomic_load(&n->decided) && !atomic_load(&n->retired);
}

// Tells the tuner that the program ends.
static void tell_end(void) {
  struct shared_memory *shared = session_shared_memory();
  struct timespec now;
  if (shared && clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0)
    atomic_store(&shared->ended, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
}

void background_at_exit(void) {
  if (!background_goes() || !decide_take())
    return;
  tell_end();
  if (!background_checks())
    background_look(0); // it may have ended after the last call
  struct site *s = atomic_load(&background.site);
  const struct shared_memory *shared = session_shared_memory();
  if (s && background_is_cut(s, background.node)) { // refuse_at_exit says so
    site_note(&background.node->why, refusal_words[REFUSED_ENDED].text);
    atomic_store(&background.node->refusal, REFUSED_ENDED);
  }
  if (s && !background_checks())
    vain_at_exit(background.node);
  if (s && shared && !background_checks())
    allowance_cost(s, atomic_load(&shared->cost));
  if (s)
    loss_end(background_checks());
  decide_release();
}

bool background_leave(const struct site *s) {
  atomic_fetch_add(&background.leaving, 1);
  for (int i = 0; i < 1000 && atomic_load(&background.site) == s; i++) {
    if (decide_take()) {
      if (atomic_load(&background.site) == s)
        background_cancel();
      decide_release();
    } else {
      nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
  }
  atomic_fetch_sub(&background.leaving, 1);
  bool left = atomic_load(&background.site) != s;
  if (!left) // the other thread may wait for the loader, which is unloading the kernel
    module_abandon(true);
  return left;
}

bool background_wait(double seconds) {
  if (!background_goes() || atomic_load(&background.leaving) > 0 || !decide_take())
    return false;
  live_wait(true);
  background_look(seconds);
  live_wait(false);
  decide_release();
  return true;
}
