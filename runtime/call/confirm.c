// SPDX-License-Identifier: Apache-2.0
// confirm.c: compares a new winner with the default in the program's own calls.
//
// A tuner times variants in copies of the program. These have just copied their memory,
// and share the processors with the program. So the default and a variant may both be
// slower in them than in the program, and one of them more than the other. The default is
// also the program's own code only in the program, where it may be inlined. Therefore
// calls of a new winner are timed in pairs with calls of the default (pairs.h). If the
// winner is not faster, the default runs, in this process and in later ones. The store
// keeps the sums, because one run may have few calls.
//
// A kernel that is tuned when hot was not asked for by its author, so its winners must
// show that they are faster. For other kernels only the process that has tuned them
// compares, and only as long as what all pairs cost is a small part of its time; the
// winner stays unless it is slower.
//
// Other programs slow the memory down for seconds, and that may slow the default down
// more than the winner. So some time passes between two pairs, more and more.
#include <math.h>
#include <stdlib.h>

#include "confirm.h"
#include "lead.h"
#include "model/value.h"
#include "pairs.h"
#include "run/cpu/stack.h"

static const double apart = 0.1;   // seconds from one pair to the next, at first
static const double most = 0.01;   // part of the time since the tuning that pairs cost
enum { EQUAL = 4, DOUBLINGS = 6 }; // so many pairs until that doubles, and how often

// Freed with its site.
struct confirm {
  struct confirm *next; // of an earlier winner
  uint64_t variant;
  atomic_bool busy; // a thread uses what follows
  struct pair pair;
  struct own_calls own, fresh; // the pairs of all runs; those that are not stored yet
  double due;                  // sys_now: the next pair may begin
  unsigned begun;              // pairs in this process
  bool is_limited;             // by `most`
  double cost, spent;          // seconds that a pair costs, and that all have cost
  double since;                // sys_now: the winner was installed
  _Atomic(enum own_calls_say) says;
};

// Returns what OWN says of a winner. One whose kernel its author asked to tune needs no
// clear gain: it must only not be slower.
static enum own_calls_say confirm_judge(const struct own_calls *own, bool is_limited) {
  enum own_calls_say says = own_calls_judge(own);
  return says == OWN_CALLS_SLOWER && is_limited && own_calls_gain(own) >= 1
      ? OWN_CALLS_FASTER
      : says;
}

// ---- the program's calls ------------------------------------------------------------

static struct confirm *confirm_of(const struct node *n) {
  return atomic_load_explicit(&n->confirm, memory_order_acquire);
}

static enum own_calls_say confirm_says(const struct confirm *c) {
  return atomic_load_explicit(&c->says, memory_order_relaxed);
}

static bool confirm_lock(struct confirm *c) {
  return !atomic_exchange_explicit(&c->busy, true, memory_order_acquire);
}

static void confirm_unlock(struct confirm *c) {
  atomic_store_explicit(&c->busy, false, memory_order_release);
}

void confirm_begin(struct node *n, const struct own_calls *own, double cost) {
  const struct autotune_kernel *k = n->site->kernel;
  bool hot = kernel_when_hot(k);
  bool wanted = (hot || cost > 0) && decide_why_not(decide_mode(k)) == REFUSED_NOT &&
      target_of(k)->synchronous && !node_is_default(n);
  struct confirm *c = wanted ? sys_calloc(1, sizeof *c) : NULL;
  if (!c)
    return;
  *c = (struct confirm){ .next = confirm_of(n),
                         .variant = n->variant,
                         .pair.random = n->variant,
                         .own = *own,
                         .is_limited = !hot,
                         .cost = cost,
                         .since = sys_now(),
                         .says = confirm_judge(own, !hot) };
  atomic_store_explicit(&n->confirm, c, memory_order_release);
}

// True if C is about what N runs now.
static bool confirm_holds(const struct node *n, const struct confirm *c) {
  return c && c->variant == n->variant && !node_is_default(n);
}

// True if pairs of calls are to be timed. The first call of a winner loads its code. The
// calls of several threads disturb each other.
static bool confirm_goes(const struct node *n, const struct confirm *c) {
  return confirm_holds(n, c) && confirm_says(c) == OWN_CALLS_MORE &&
      !watch_is_shared(n) && atomic_load(&n->first.state) == FIRST_RETURNED;
}

// True if a tuning goes on: it slows the calls down. A check takes too little for that.
static bool confirm_is_disturbed(void) {
  return background_goes() && !background_checks();
}

static void confirm_drop_pair(struct confirm *c) {
  if (c->pair.half > 0)
    c->spent += c->cost;
  c->pair.half = 0;
  c->pair.goes = false;
}

// Returns the seconds from pair N of this process to the next one.
static double confirm_apart(unsigned n) {
  unsigned doublings = n / EQUAL;
  return apart * (double)(1u << (doublings < DOUBLINGS ? doublings : DOUBLINGS));
}

// True if a pair may begin at NOW.
static bool confirm_is_due(const struct confirm *c, double now) {
  return now >= c->due &&
      (!c->is_limited || c->spent + c->cost <= most * (now - c->since));
}

bool confirm_next(struct node *n, struct autotune_call_state *state, bool *original) {
  struct confirm *c = confirm_of(n);
  if (!confirm_goes(n, c) || !confirm_lock(c))
    return false;
  double now = sys_now();
  bool disturbed = confirm_is_disturbed();
  bool timed = !disturbed && pair_next(&c->pair, confirm_is_due(c, now), original);
  if (disturbed)
    confirm_drop_pair(c);
  if (timed && c->pair.half == 1)
    c->due = now + confirm_apart(c->begun++);
  confirm_unlock(c);
  if (timed) {
    state->reserved[1] |= CALL_PAIRED;
    watch_next(n);
  }
  return timed;
}

void confirm_see(struct node *n, double seconds) {
  struct confirm *c = confirm_of(n);
  if (!confirm_holds(n, c) || !confirm_lock(c))
    return;
  if (confirm_is_disturbed()) {
    confirm_drop_pair(c);
  } else if (pair_add(&c->pair, seconds)) {
    double cost = fmax(c->pair.original - c->pair.winner, 0);
    c->spent += cost;
    c->cost = fmax(cost, c->cost / 2); // one pair may be noise
    own_calls_add(&c->own, c->pair.winner, c->pair.original);
    own_calls_add(&c->fresh, c->pair.winner, c->pair.original);
    atomic_store_explicit(&c->says, confirm_judge(&c->own, c->is_limited),
                          memory_order_relaxed);
  }
  confirm_unlock(c);
}

bool confirm_wants(const struct node *n) {
  const struct confirm *c = confirm_of(n);
  return confirm_holds(n, c) && confirm_says(c) == OWN_CALLS_SLOWER;
}

// ---- the store ----------------------------------------------------------------------

static void confirm_store(struct store *store, struct node *n, struct confirm *c) {
  struct identity id = node_identity(n);
  if (!confirm_lock(c))
    return;
  const struct own_calls fresh = c->fresh;
  c->fresh = (struct own_calls){ 0 };
  confirm_unlock(c);
  store_own_calls(store, &id, c->variant, &fresh);
}

// True if there is something of N to be stored.
static bool confirm_has_news(const struct node *n) {
  const struct confirm *c = confirm_of(n);
  return c && c->fresh.pairs > 0 && !atomic_load(&n->retired);
}

struct confirm_range {
  struct site *first;
  const struct site *end;
};

static void confirm_store_all(void *data) {
  const struct confirm_range *r = data;
  struct store *store = store_open_briefly();
  for (struct site *s = r->first; store && s != r->end; s = s->next)
    for (struct node *n = atomic_load(&s->all); n; n = n->all)
      if (confirm_has_news(n))
        confirm_store(store, n, confirm_of(n));
  if (store)
    store_close(store);
}

void confirm_keep(struct site *first, const struct site *end) {
  bool any = false;
  for (struct site *s = first; s != end && !any; s = s->next)
    for (struct node *n = atomic_load(&s->all); n && !any; n = n->all)
      any = confirm_has_news(n);
  if (any)
    stack_run(confirm_store_all, &(struct confirm_range){ first, end });
}

void confirm_refuse(struct node *n) {
  struct confirm *c = confirm_of(n);
  const struct note *values = atomic_load(&n->values);
  char *name = values ? value_line(values->text) : NULL, text[96];
  char *why =
      sys_printf("default: the variant %.200s is not clearly faster in the program: %s",
                 name ? name : "", own_calls_text(&c->own, text, sizeof text));
  log_message(AUTOTUNE_INFO, "%s: %s", n->site->kernel->name, why ? why : "default");
  struct store *store = store_open_briefly();
  if (store) {
    confirm_store(store, n, c);
    store_close(store);
  }
  reverify_revoke(n, why ? why : "default");
  free(why);
  free(name);
}

void confirm_free(struct node *n) {
  for (struct confirm *c = confirm_of(n), *next; c; c = next) {
    next = c->next;
    free(c);
  }
}
