// SPDX-License-Identifier: Apache-2.0
// confirm.c: compares a new winner with the default in the program's own calls.
//
// A tuner times variants in copies of the program, which run beside it. There both may be
// slower than in the program, and not by the same factor: their memory was just copied,
// and the program's threads use the processors. So where a kernel is tuned when hot, and
// nobody chose it, calls of a winner are timed in pairs with calls of the default
// (pairs.h). Where the winner is not faster, the default runs, in this process and in
// later ones. Sums are kept in the store: a program may make few calls in a run.
//
// What other programs do changes how fast memory is, from second to second, and the
// default may need it more than the winner. So pairs are some time apart. Work may differ
// from call to call, and a call may be interrupted. So both the sums and the number of
// pairs that the winner has lost must speak against it, unless there are many pairs.
#include <math.h>
#include <stdlib.h>

#include "confirm.h"
#include "lead.h"
#include "model/value.h"
#include "pairs.h"
#include "run/cpu/stack.h"
#include "site.h"

enum { FEW = 4, SOME = 8, MORE = 16, MANY = 32 }; // pairs
static const double clear = 1.05, least = 1.03;   // gains
static const double apart = 0.1;                  // seconds from one pair to the next
// An interrupted call counts at most as so many times the other one of its pair.
static const double longest = 4;

// Freed with its site.
struct confirm {
  struct confirm *next; // of an earlier winner
  uint64_t variant;
  atomic_bool busy; // a thread uses PAIR and OWN
  struct pair pair;
  struct own_calls own;
  double due;   // sys_now: the next pair may begin
  bool changed; // OWN is not as it is stored
  _Atomic(enum confirmed) says;
};

// ---- what pairs say -----------------------------------------------------------------

void confirm_add(struct own_calls *own, double winner, double original) {
  own->pairs++;
  own->slower += winner > original;
  own->winner += fmin(winner, longest * original);
  own->original += fmin(original, longest * winner);
}

static double confirm_gain(const struct own_calls *own) {
  return own->winner > 0 ? own->original / own->winner : 1;
}

enum confirmed confirm_judge(const struct own_calls *own) {
  double gain = confirm_gain(own);
  unsigned n = own->pairs, slower = own->slower;
  if (n >= FEW && slower == 0 && gain >= clear)
    return CONFIRM_FASTER;
  if (n >= MANY)
    return gain < least ? CONFIRM_SLOWER : CONFIRM_FASTER;
  double margin = n < MORE ? least : 1;
  if (n >= SOME && 2 * slower < n && gain >= margin)
    return CONFIRM_FASTER;
  if (n >= SOME && 4 * slower >= (n < MORE ? 3 : 2) * n && gain * margin < 1)
    return CONFIRM_SLOWER;
  return CONFIRM_MORE;
}

// ---- the program's calls ------------------------------------------------------------

static struct confirm *confirm_of(const struct node *n) {
  return atomic_load_explicit(&n->confirm, memory_order_acquire);
}

static enum confirmed confirm_says(const struct confirm *c) {
  return atomic_load_explicit(&c->says, memory_order_relaxed);
}

static bool confirm_lock(struct confirm *c) {
  return !atomic_exchange_explicit(&c->busy, true, memory_order_acquire);
}

static void confirm_unlock(struct confirm *c) {
  atomic_store_explicit(&c->busy, false, memory_order_release);
}

void confirm_begin(struct node *n, const struct own_calls *own) {
  const struct autotune_kernel *k = n->site->kernel;
  bool wanted = kernel_when_hot(k) && decide_why_not(decide_mode(k)) == REFUSED_NOT &&
      target_of(k)->synchronous && !node_is_default(n);
  struct confirm *c = wanted ? sys_calloc(1, sizeof *c) : NULL;
  if (!c)
    return;
  *c = (struct confirm){ .next = confirm_of(n),
                         .variant = n->variant,
                         .pair.random = n->variant,
                         .own = *own,
                         .says = confirm_judge(own) };
  atomic_store_explicit(&n->confirm, c, memory_order_release);
}

// True if C is about what N runs now, in calls of one thread.
static bool confirm_holds(const struct node *n, const struct confirm *c) {
  return c && c->variant == n->variant && !node_is_default(n) && !watch_is_shared(n);
}

// The first call of a winner loads its code. What slows calls while a tuning goes on is
// ours.
bool confirm_next(struct node *n, struct autotune_call_state *state, bool *original) {
  struct confirm *c = confirm_of(n);
  if (!confirm_holds(n, c) || confirm_says(c) != CONFIRM_MORE || background_goes() ||
      atomic_load(&n->first.state) != FIRST_RETURNED || !confirm_lock(c))
    return false;
  double now = sys_now();
  bool timed = pair_next(&c->pair, now >= c->due, original);
  if (timed && c->pair.half == 1)
    c->due = now + apart;
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
  if (pair_add(&c->pair, seconds) && !background_goes()) {
    confirm_add(&c->own, c->pair.winner, c->pair.original);
    c->changed = true;
    atomic_store_explicit(&c->says, confirm_judge(&c->own), memory_order_relaxed);
  }
  confirm_unlock(c);
}

bool confirm_wants(const struct node *n) {
  const struct confirm *c = confirm_of(n);
  return confirm_holds(n, c) && confirm_says(c) == CONFIRM_SLOWER;
}

void confirm_refuse(struct node *n) {
  const struct confirm *c = confirm_of(n);
  const struct note *values = atomic_load(&n->values);
  char *name = values ? value_line(values->text) : NULL, text[96];
  char *why = sys_printf("default: the variant %.200s was %s", name ? name : "",
                         own_calls_text(&c->own, text, sizeof text));
  log_message(AUTOTUNE_INFO, "%s: %s", n->site->kernel->name, why ? why : "default");
  reverify_revoke(n, why ? why : "default");
  free(why);
  free(name);
}

// ---- the store ----------------------------------------------------------------------

static void confirm_store(struct store *store, struct node *n, struct confirm *c) {
  struct identity id = node_identity(n);
  if (!confirm_lock(c))
    return;
  const struct own_calls own = c->own;
  confirm_unlock(c);
  store_own_calls(store, &id, c->variant, &own, confirm_judge(&own) == CONFIRM_SLOWER);
  c->changed = false;
}

static void confirm_store_all(void *data) {
  struct store *store = store_open_briefly();
  for (struct site *s = data; store && s; s = s->next)
    for (struct node *n = atomic_load(&s->all); n; n = n->all) {
      struct confirm *c = confirm_of(n);
      if (c && c->changed)
        confirm_store(store, n, c);
    }
  if (store)
    store_close(store);
}

void confirm_at_exit(struct site *sites) {
  bool any = false;
  for (struct site *s = sites; s && !any; s = s->next)
    for (struct node *n = atomic_load(&s->all); n && !any; n = n->all) {
      const struct confirm *c = confirm_of(n);
      any = c && c->changed;
    }
  if (any)
    stack_run(confirm_store_all, sites);
}

void confirm_free(struct node *n) {
  for (struct confirm *c = confirm_of(n), *next; c; c = next) {
    next = c->next;
    free(c);
  }
}
