// SPDX-License-Identifier: Apache-2.0
// team.c: calls from a parallel region, which T threads make at the same time. Such a
// call is tuned as one of T: T copies run side by side while one is timed. T is a part of
// what the result belongs to, as if it were one more part of the key. A key that is
// called both alone and from a region has the result of its first call.
#include <stdlib.h>

#include "model/key.h"
#include "run/target.h"
#include "site.h"

static const char team_part[] = "threads at once";

struct identity node_identity(const struct node *n) {
  struct identity id = site_identity(n->site, n->entry.key);
  const struct team *t = atomic_load(&n->team);
  if (t) {
    id.key = t->key;
    id.key_names = t->names;
    id.n_keys++;
  }
  return id;
}

// Returns N's team of THREADS; NULL: no memory.
static struct team *team_new(const struct node *n, unsigned threads, bool nests) {
  const struct autotune_kernel *k = n->site->kernel;
  unsigned own = target_stored_keys(k);
  size_t keys = (own + 1) * sizeof(long long), names = (own + 1) * sizeof(char *);
  struct team *t = sys_calloc(1, sizeof *t + keys + names);
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
  return t;
}

bool team_join(struct node *n) {
  bool nests = false;
  unsigned threads = target_team(n->site->kernel, &nests);
  struct team *now = atomic_load(&n->team), *made = NULL;
  if (threads == (now ? now->threads : 1))
    return true;
  if (threads > 1 &&
      (target_stored_keys(n->site->kernel) >= MAX_KEYS ||
       !(made = team_new(n, threads, nests))))
    return false;
  if (made) {
    made->next = n->teams;
    n->teams = made;
  }
  atomic_store(&n->team, made);
  atomic_store(&n->asked, false);
  return true;
}

// The threads that share a kernel's work must all run the same code: their parts, and the
// barriers between them, differ between the default and a variant.
enum refusal team_refuses(const struct site *s) {
  bool nests;
  if (s->cooperates && target_team(s->kernel, &nests) > 1)
    return REFUSED_TEAM;
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
