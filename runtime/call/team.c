// SPDX-License-Identifier: Apache-2.0
// team.c: calls from a parallel region, which T threads make at the same time. Such a
// call is tuned as one of T: T copies run side by side while one is timed. T is a part of
// what the result belongs to, as if it were one more part of the key. A key that is
// called both alone and from a region has the result of its first call.
//
// Of a kernel that shares its work with the threads of the region all calls from a region
// run the default, whatever its other calls run. As the stub cannot tell these calls from
// others, no entry of such a kernel is hot: all its calls come to autotune_begin.
#include <stdlib.h>

#include "model/key.h"
#include "run/cpu/stack.h"
#include "run/cpu/state.h"
#include "run/target.h"
#include "site.h"

static const char team_part[] = "threads at once";

static struct identity team_own(const struct node *n, const struct team *t) {
  struct identity id = site_identity(n->site, n->entry.key);
  if (t) {
    id.key = t->key;
    id.key_names = t->names;
    id.n_keys++;
  }
  return id;
}

struct identity node_identity(const struct node *n) {
  return team_own(n, atomic_load(&n->team));
}

// Returns a team of THREADS of N's; NULL: no memory, or the key has too many parts.
static struct team *team_new(struct node *n, unsigned threads, bool nests) {
  const struct autotune_kernel *k = n->site->kernel;
  unsigned own = target_stored_keys(k);
  size_t keys = (own + 1) * sizeof(long long), names = (own + 1) * sizeof(char *);
  struct team *t = own < MAX_KEYS ? sys_calloc(1, sizeof *t + keys + names) : NULL;
  if (!t)
    return NULL;
  t->threads = threads;
  t->nests = nests;
  t->names = (const char **)(void *)(t->key + own + 1);
  for (unsigned i = 0; i < own; i++) {
    t->key[i] = n->entry.key[i];
    t->names[i] = k->keys[i];
  }
  t->key[own] = threads;
  t->names[own] = team_part;
  t->next = n->teams;
  n->teams = t;
  return t;
}

struct identity team_identity(struct node *n) {
  bool nests = false;
  unsigned threads = target_team(n->site->kernel, &nests);
  return team_own(n, team_new(n, threads, nests));
}

bool team_join(struct node *n) {
  bool nests = false;
  unsigned threads = target_team(n->site->kernel, &nests);
  struct team *now = atomic_load(&n->team), *made = NULL;
  if (threads == (now ? now->threads : 1))
    return true;
  if (threads > 1 && !(made = team_new(n, threads, nests)))
    return false;
  atomic_store(&n->team, made);
  atomic_store(&n->asked, false);
  return true;
}

// Such threads must all run the same code: their parts, and the barriers between them,
// differ between the default and a variant. A variant that was compared in calls by one
// thread was not compared in these.
bool team_shares(struct site *s) {
  bool nests;
  return target_team(s->kernel, &nests) > 1 && site_cooperates(s);
}

static void team_note(void *data) {
  refuse_shared(data);
}

void team_refuse(struct node *n) {
  struct blocked_signals blocked_signals;
  fenv_t environment;
  if (atomic_load(&n->shared) || !decide_take())
    return;
  sys_block_signals(&blocked_signals);
  state_enter(&environment);
  if (!atomic_exchange(&n->shared, true))
    stack_run(team_note, n);
  state_leave(&environment);
  sys_unblock_signals(&blocked_signals);
  decide_release();
}

enum refusal team_refuses(const struct site *s) {
  return target_may_fork(s->kernel) ? REFUSED_NOT : REFUSED_REGION;
}

void team_plan(const struct node *n, struct plan *plan) {
  const struct team *t = atomic_load(&n->team);
  plan->team = t ? t->threads : 1;
  plan->nests = t && t->nests;
}

void team_free(struct node *n) {
  for (struct team *t = n->teams, *next; t; t = next) {
    next = t->next;
    free(t);
  }
}
