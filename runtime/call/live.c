// SPDX-License-Identifier: Apache-2.0
// live.c: the program's side of mode `online`: timed calls, which run variants by the
// tuner's orders.
//
// One call at a time is timed, in any thread; all others run the best variant so far, the
// node's entry.code. An order whose call never ends (the kernel was left by longjmp, its
// thread has ended) is answered as lost. A variant that was never the best has run only
// in timed calls, so it can be unloaded between them. A variant that was the best may be
// running in any thread; it stays until the site closes.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "run/cpu/module.h"
#include "live.h"
#include "model/constants.h"
#include "run/cpu/openmp.h"
#include "call/session/session.h"

// Seconds after which a timed call in another thread is assumed never to end.
static const double given_up = 60;

struct slot {
  autotune_fn code;
  void *handle;
  bool led;
};

static struct {
  struct node *node;       // NULL: no timed calls
  struct slot slots[ARMS]; // 0 is the default
  unsigned taken;          // orders begun
  unsigned best;           // the arm whose code is entry.code
  double window[LIVE_REPEAT];
  unsigned n;      // times taken for the present order
  uint64_t serial; // of timed calls
  atomic_ullong running,
      ended; // serials: of the call being timed, or 0; of the last timed call that ended
  _Atomic double seconds; // that it took
  pthread_t thread;       // of the call being timed …
  const void *frame;      // … the address of its state …
  double began;           // … and when it began
} live;

static struct lane *lane_of(void) {
  struct shared_memory *shared = session_shared_memory();
  return shared ? &shared->lane : NULL;
}

void live_open(struct node *n) {
  live.node = n;
  live.taken = live.best = live.n = 0;
  live.slots[0] = (struct slot){ .code = n->site->kernel->original };
  for (int i = 1; i < ARMS; i++)
    live.slots[i] = (struct slot){ .code = NULL };
  atomic_store(&live.running, 0);
}

// ---- loading and unloading ----------------------------------------------------------

void live_load(const struct autotune_kernel *k, unsigned arm, int fd) {
  struct lane *lane = lane_of();
  char path[32], *message = NULL;
  if (!lane || !live.node || arm == 0 || arm >= ARMS || live.slots[arm].handle)
    return;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  struct slot *s = &live.slots[arm];
  *s = (struct slot){ .led = false };
  s->code = module_load(path, k->symbols, k->n_symbols, &s->handle, &message);
  uint64_t parts;
  if (s->code &&
      !constants_fit(k, module_constants(s->handle), live.node->entry.key, &parts,
                     &message)) {
    dlclose(s->handle);
    *s = (struct slot){ .led = false };
  }
  if (!s->code && !module_abandoned())
    log_message(AUTOTUNE_INFO, "%s: a variant cannot be loaded: %s", k->name,
                message ? message : "no memory");
  free(message);
  atomic_store(&lane->loaded[arm], s->code ? LIVE_LOADED : LIVE_REFUSED);
}

static void live_unload(unsigned arm, bool inside) {
  struct slot *s = &live.slots[arm];
  if (s->handle && (s->led || inside))
    site_keep(live.node, s->handle);
  else if (s->handle)
    dlclose(s->handle);
  *s = (struct slot){ .code = NULL };
}

// ---- orders -------------------------------------------------------------------------

// Answers the present order with the median of the times measured for it (-1: none).
static void live_answer(struct lane *lane) {
  struct live_order *o = &lane->orders[live.taken % LIVE_ORDERS];
  double seconds = live.n > 0 ? stats_median(live.window, live.n).median : -1;
  atomic_store(&o->seconds, seconds);
  live.n = 0;
  atomic_store(&lane->answered, ++live.taken);
}

static const struct live_order *live_present(const struct lane *lane) {
  bool any = atomic_load(&lane->written) != live.taken;
  return any ? &lane->orders[live.taken % LIVE_ORDERS] : NULL;
}

// True if the call that is being timed will not end: its frame in this thread is gone, or
// it is very old.
static bool live_is_lost(const struct autotune_call_state *state) {
  if (pthread_equal(live.thread, pthread_self()))
    return (const void *)state >= live.frame;
  return sys_now() - live.began > given_up;
}

void live_collect(void) {
  struct lane *lane = lane_of();
  uint64_t running = atomic_load(&live.running);
  if (!lane || !live.node || running == 0 || atomic_load(&live.ended) != running)
    return;
  const struct live_order *o = live_present(lane);
  atomic_store(&live.running, 0);
  atomic_store(&lane->running, 0);
  live.window[live.n++] = atomic_load(&live.seconds);
  if (o && (live.n >= o->repeat || live.n == LIVE_REPEAT))
    live_answer(lane);
}

static void live_lead(const struct lane *lane) {
  unsigned best = atomic_load(&lane->best);
  if (best == live.best || best >= ARMS || !live.slots[best].code)
    return;
  live.slots[best].led = true;
  live.best = best;
  __atomic_store_n(&live.node->entry.code, live.slots[best].code, __ATOMIC_RELEASE);
}

// Returns the next order that a call must follow, and answers those before it.
static const struct live_order *next_order(struct lane *lane) {
  const struct live_order *o;
  while ((o = live_present(lane)) &&
         (o->drop || o->arm >= ARMS || !live.slots[o->arm].code)) {
    if (o->drop && o->arm > 0 && o->arm < ARMS)
      live_unload(o->arm, false);
    live_answer(lane);
  }
  return o;
}

bool live_is_for(const struct node *n) {
  return live.node == n;
}

autotune_fn live_begin(struct node *n, struct autotune_call_state *state) {
  struct lane *lane = lane_of();
  if (!lane || live.node != n)
    return NULL;
  live_collect();
  live_lead(lane);
  if (atomic_load(&live.running) != 0) {
    if (!live_is_lost(state))
      return NULL;
    // Its variant may still be running, so it must not be unloaded.
    live.slots[lane->orders[live.taken % LIVE_ORDERS].arm].led = true;
    atomic_store(&live.running, 0);
    atomic_store(&lane->running, 0);
    live_answer(lane);
  }
  const struct live_order *o = next_order(lane);
  if (!o ||
      openmp_in_parallel()) // in a parallel region other calls compete for the processors
    return NULL;
  autotune_fn code = live.slots[o->arm].code;
  atomic_store(&lane->running, o->arm + 1);
  atomic_store(&live.running, ++live.serial);
  live.thread = pthread_self();
  live.frame = state;
  state->node = n;
  state->code = code;
  state->reserved[0] = live.serial;
  state->began = live.began = sys_now();
  return code;
}

bool live_end(struct autotune_call_state *state) {
  uint64_t serial = state->reserved[0];
  if (serial == 0 || serial != atomic_load(&live.running))
    return false;
  atomic_store(&live.seconds, sys_now() - state->began);
  atomic_store(&live.ended, serial);
  return true;
}

void live_wait(bool waiting) {
  struct lane *lane = lane_of();
  if (lane)
    atomic_store(&lane->waiting, waiting);
}

// ---- the end ------------------------------------------------------------------------

void live_close(void) {
  bool running = atomic_load(&live.running) != 0 &&
      atomic_load(&live.running) != atomic_load(&live.ended);
  if (!live.node)
    return;
  for (unsigned i = 1; i < ARMS; i++)
    live_unload(i, running);
  atomic_store(&live.running, 0);
  live.node = NULL;
}

void live_forget(void) {
  live.node = NULL;
  atomic_store(&live.running, 0);
}
