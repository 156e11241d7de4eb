// SPDX-License-Identifier: Apache-2.0
// background.c: a tuning that goes on beside the program. There is one at a time in a
// process. It is begun by a call that does not wait for it, and calls that come later, of
// whatever kernel, look what has become of it; the winner is installed by the first that
// finds it.
//
// All but what site.h says otherwise of is done by the one thread that is `busy`
// (decide.c).
#include <stdlib.h>
#include <time.h>

#include "live.h"
#include "call/session/session.h"
#include "keep/store/store.h"

enum { CRASHES = 2 }; // of one key's tuners; then it keeps the default

static struct {
  _Atomic(struct site *) site; // NULL: there is no tuning beside the program
  struct node *node;
  atomic_uint
      leaving; // sites that are about to be closed: nobody is to wait before they are
} beside;

bool beside_goes(void) {
  return atomic_load_explicit(&beside.site, memory_order_acquire) != NULL;
}

void beside_forget(void) {
  atomic_store(&beside.site, NULL);
  atomic_store(&beside.leaving, 0); // the threads that were at it are not there
}

void beside_tell(struct node *n) {
  if (n != beside.node && !n->borrowed)
    site_note(&n->why, "default for now: another tuning goes on beside the program");
}

// What the tuner may have cost by now.
static void tell_allowance(void) {
  const struct site *s = atomic_load_explicit(&beside.site, memory_order_relaxed);
  struct page *page = session_page();
  if (page && allowance_share(s->kernel) > 0) {
    atomic_store_explicit(&page->spent, s->spent, memory_order_relaxed);
    atomic_store_explicit(&page->allowed, allowance_left(s), memory_order_relaxed);
  }
}

static void background_lent(const struct outcome *out, void *data) {
  (void)data;
  if (beside_goes() && !atomic_load(&beside.node->retired))
    borrow_lent(beside.node, out);
}

int beside_start(struct site *s, struct node *n, void *const *args,
                 const struct plan *plan, struct outcome *out) {
  struct identity id = site_identity(s, n->entry.key);
  struct plan p = *plan;
  p.retry = n->crashes > 0;
  p.lent = background_lent;
  if (session_start(s->kernel, &id, args, &p, out) != 0)
    return -1;
  beside.node = n;
  if (p.kind == PLAN_ONLINE)
    live_open(n);
  atomic_store_explicit(&beside.site, s, memory_order_release);
  tell_allowance();
  if (!atomic_load(&n->decided) && !n->borrowed)
    site_note(&n->why, "default for now: it is being tuned beside the program");
  return 0;
}

bool beside_calls(void) {
  if (!beside_goes())
    return false;
  if (session_abandoned())
    return true;
  tell_allowance();
  return atomic_load(&beside.node->retired) || session_has_news();
}

static void background_cancel(void) {
  live_close();
  session_cancel();
  session_abandon(false);
  atomic_store(&beside.site, NULL);
}

// What has become of the tuning, in OUT.
static void background_settle(enum session_state state, struct outcome *out) {
  struct site *s = atomic_load(&beside.site);
  struct node *n = beside.node;
  live_close();
  allowance_cost(s, out->cost);
  if (state == SESSION_CRASHED && n->crashes++ < CRASHES)
    log_message(AUTOTUNE_INFO,
                "%s: the tuning process crashed; the next call begins another, "
                "without the variants it was at",
                s->kernel->name);
  else if (state != SESSION_NONE)
    decide_outcome(s, n, out);
  session_abandon(false);
  atomic_store(&beside.site, NULL); // from here on whoever closes the site may free it
}

void beside_look(double seconds) {
  if (!beside_goes())
    return;
  if (session_abandoned() || atomic_load(&beside.node->retired))
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

bool beside_leave(const struct site *s) {
  atomic_fetch_add(&beside.leaving, 1);
  for (int i = 0; i < 1000 && atomic_load(&beside.site) == s; i++) {
    if (decide_take()) {
      if (atomic_load(&beside.site) == s)
        background_cancel();
      decide_release();
    } else {
      nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
  }
  atomic_fetch_sub(&beside.leaving, 1);
  bool left = atomic_load(&beside.site) != s;
  if (!left) // that thread waits for the loader, which is about to take the kernel away
    session_abandon(true);
  return left;
}

bool beside_wait(double seconds) {
  if (!beside_goes() || atomic_load(&beside.leaving) > 0 || !decide_take())
    return false;
  live_wait(true);
  beside_look(seconds);
  live_wait(false);
  decide_release();
  return true;
}
