// SPDX-License-Identifier: Apache-2.0
// lead.c: new values of a key that are not compared with the default.
//
// A key of a kernel that is tuned when hot may have another value in each call. Nobody
// chose it, and what its variants assume was proven, or is looked at in each call. So
// where tuned values agree on a winner (given_up.c), and it was right for further values,
// the next ones run it as it is. The first of them is the leader: calls of values that
// the process has not seen are treated as calls of the leader, and its winner is checked
// again from time to time on whatever data they have. The agreement holds for a range of
// values. All this ends as soon as the winner was wrong, or ended a process, for any
// value.
//
// The time of such a call says nothing of the leader's key. So the winner is compared
// with the default in pairs of calls (pairs.h), and where it is slower, the default runs.
#include <stdlib.h>
#include <string.h>

#include "keep/wisdom/wisdom.h"
#include "model/agree.h"
#include "lead.h"
#include "model/constants.h"
#include "pairs.h"

// For so many values that were not tuned a winner must have been compared with the
// default: where all tuned values agree on it; where only those near by agree; and where
// they disagree, and it is the winner of the nearest tuned value.
enum { TRUSTED = 2, TRUSTED_NEAR = 4, TRUSTED_NEAREST = 8 };

// Freed with its site. Once it is published only PAIRS and what follows change.
struct lead {
  struct lead *next;
  struct node *node;
  uint64_t variant; // the winner: a race may give NODE another one
  autotune_fn code; // of VARIANT
  const struct autotune_machine *machine;
  const struct autotune_value *values[MAX_PARAMS]; // of the winner
  struct agreement agreement;
  atomic_bool busy; // a thread uses what follows, up to LOSES
  struct pairs pairs;
  unsigned long long timed; // the number of the last call that was timed for PAIRS
  bool original;            // the last of these runs the default
  unsigned calls;           // of the winner, since the last one that was timed
  atomic_bool loses, lost;  // as PAIRS says now, and has said; any thread
  long long like[];         // the key that it was found for
};

// Of timed calls: one may end when another lead has come.
static _Atomic unsigned long long numbers;

static unsigned lead_needed(const struct agreement *a) {
  return a->clean ? TRUSTED : a->nearest ? TRUSTED_NEAREST : TRUSTED_NEAR;
}

bool lead_trusts(const struct site *s, const struct agreement *a,
                 const struct summary *winner) {
  const struct lead *l = atomic_load(&s->lead);
  return kernel_when_hot(s->kernel) && winner->winner && winner->verified &&
      a->checked >= lead_needed(a) &&
      !constants_name_any(s->kernel, winner->constants, a->parts) &&
      !(l && node_is_default(l->node));
}

bool lead_needs_comparisons(const struct agreement *a, const struct summary *winner) {
  return winner->winner && a->checked < lead_needed(a);
}

// True if L's winner may run with ARGS.
static bool lead_holds(const struct autotune_kernel *k, const struct lead *l,
                       void *const *args) {
  for (unsigned i = 0; i < k->n_conditions; i++)
    if (!k->conditions[i].holds(l->values, args, l->machine))
      return false;
  return true;
}

// Finds what the conditions of L's kernel need for the variant with VALUES. False: it is
// no candidate any more.
static bool lead_read(struct lead *l, const struct autotune_kernel *k,
                      const char *values) {
  choice point[MAX_PARAMS];
  if (!identity_point(k, values, point))
    return false;
  for (unsigned i = 0; i < k->n_params; i++)
    l->values[i] = &k->params[i].values[point[i]];
  l->machine = &machine_get()->numbers;
  return true;
}

// Takes L->pairs and what follows it, unless another thread has them.
static bool lead_lock(struct lead *l) {
  return !atomic_exchange_explicit(&l->busy, true, memory_order_acquire);
}

static void lead_unlock(struct lead *l) {
  atomic_store_explicit(&l->busy, false, memory_order_release);
}

// Lets L go on where the last of EARLIER with the same winner was.
static void lead_inherit(struct lead *l, struct lead *earlier) {
  l->pairs = pairs_new(l->variant);
  for (; earlier && earlier->variant != l->variant; earlier = earlier->next)
    ;
  if (earlier && lead_lock(earlier)) {
    l->pairs = earlier->pairs;
    l->pairs.pair.goes = false;
    l->pairs.pair.half = 0;
    atomic_store(&l->lost, earlier->lost);
    lead_unlock(earlier);
  }
  atomic_store(&l->loses, l->pairs.loses);
}

bool lead_take(struct node *n, const struct call *call, const struct agreement *a,
               const long long *like, struct recall *known) {
  struct site *s = n->site;
  const struct autotune_kernel *k = s->kernel;
  size_t size = k->n_keys * sizeof *like;
  struct lead *l = sys_calloc(1, sizeof *l + size);
  uint64_t variant = known->summary.winner;
  bool takes = l && lead_read(l, k, known->summary.values) &&
      lead_holds(k, l, call->args);
  if (takes) {
    known->kind = RECALL_OBJECT;
    known->trusted = true;
    known->path = objects_find(known->summary.object);
    known->service.variant = variant;
  }
  if (!takes || !known->path || !stored_adopt(s, n, known) || n->variant != variant ||
      (n->constants & a->parts)) {
    free(l);
    return atomic_load(&n->decided);
  }
  l->node = n;
  l->variant = variant;
  l->code = decide_current(n);
  lead_inherit(l, s->leads);
  l->agreement = *a;
  memcpy(l->like, like, size);
  l->next = s->leads;
  s->leads = l;
  atomic_store_explicit(&s->lead, l, memory_order_release);
  return true;
}

// True if KEY has, or will have, a result of its own.
static bool lead_leaves(struct site *s, const long long *key) {
  const struct node *n = site_find(s, key);
  return n && (atomic_load(&n->decided) || atomic_load(&n->own));
}

void lead_installed(const struct node *n, uint64_t variant) {
  const struct lead *l = atomic_load(&n->site->lead);
  if (l && l->node == n && l->variant != variant)
    atomic_store(&n->site->lead, NULL);
}

// The parts of the key that are not stored say which device it is: the same one.
struct node *lead_of(struct site *s, const struct call *call) {
  const struct lead *l = atomic_load_explicit(&s->lead, memory_order_acquire);
  bool nests;
  return l && !atomic_load(&l->node->retired) && !node_is_default(l->node) &&
          agree_spans(&l->agreement, l->like, call->key, s->kernel->n_keys) &&
          !lead_leaves(s, call->key) && target_team(s->kernel, &nests) <= 1 &&
          lead_holds(s->kernel, l, call->args)
      ? l->node
      : NULL;
}

autotune_fn lead_code(struct site *s, struct node *n, struct autotune_call_state *state,
                      bool *timed) {
  struct lead *l = atomic_load_explicit(&s->lead, memory_order_acquire);
  *timed = false;
  // Another thread may just have ended it, or given N another winner, which may not fit.
  if (!l || l->node != n || decide_current(n) != l->code)
    return s->kernel->original;
  bool original = atomic_load_explicit(&l->loses, memory_order_relaxed);
  if (background_goes()) {
    original = original && l->lost; // what slows the winner now is ours
  } else if (lead_lock(l)) {
    *timed = pairs_next(&l->pairs, &original);
    l->calls += !original;
    l->original = *timed ? original : l->original;
    if (*timed)
      state->reserved[1] = CALL_LED * (l->timed = atomic_fetch_add(&numbers, 1) + 1);
    lead_unlock(l);
  }
  if (!original)
    reverify_count(n, 1, 0);
  return original ? s->kernel->original : l->code;
}

static void lead_say(const struct site *s, const struct lead *l) {
  log_message(AUTOTUNE_INFO,
              l->pairs.loses
                  ? "%s: for new values of the key the winner is %.2f x as fast as the "
                    "default: the default runs until that changes"
                  : "%s: for new values of the key the winner is %.2f x as fast as the "
                    "default: it runs again",
              s->kernel->name, l->pairs.ratio);
}

// Adds a call that took SECONDS.
static void lead_add(struct site *s, struct lead *l, double seconds) {
  if (!l->original) {
    reverify_count(l->node, 0, l->calls * seconds);
    l->calls = 0;
  }
  if (!pairs_add(&l->pairs, seconds))
    return;
  atomic_store_explicit(&l->loses, l->pairs.loses, memory_order_relaxed);
  if (l->pairs.loses)
    atomic_store_explicit(&l->lost, true, memory_order_relaxed);
  if (l->lost)
    lead_say(s, l);
}

void lead_see(struct site *s, const struct autotune_call_state *state, double seconds) {
  struct lead *l = atomic_load_explicit(&s->lead, memory_order_acquire);
  if (!l || !lead_lock(l))
    return;
  if (state->reserved[1] / CALL_LED == l->timed)
    lead_add(s, l, seconds);
  lead_unlock(l);
}

void lead_free(struct site *s) {
  for (struct lead *l = s->leads, *next; l; l = next) {
    next = l->next;
    free(l);
  }
}
