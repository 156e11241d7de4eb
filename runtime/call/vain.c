// SPDX-License-Identifier: Apache-2.0
// vain.c: tunings that end with their program before they have tried a variant (vain.h).
// The tuner notes its first trial (earlier_further), because that may come after the
// program's end.
#include <math.h>

#include "keep/store/tables.h"
#include "ration.h"
#include "vain.h"

enum { WORTH_SAYING = 2 }; // one may happen to any program

// Another text or another machine begins anew.
static uint64_t vain_what(const struct site *s) {
  struct identity id = site_identity(s, NULL);
  id.n_keys = 0;
  return (uint64_t)problem_id(&id);
}

static void vain_set(struct site *s, const struct vain *v) {
  struct heat *h = &s->heat;
  h->vain = *v;
  atomic_store_explicit(&h->pools, v->pools || v->n > 0, memory_order_relaxed);
  atomic_store_explicit(&h->next_tuning, ration_next(v), memory_order_relaxed);
}

void vain_recall(struct site *s) {
  struct vain v = s->heat.earlier.vain;
  if ((v.n == 0 && !v.pools) || v.what != vain_what(s))
    return;
  if (loss_time() < v.time) // the sum of all runs was lost
    v.time = 0;
  vain_set(s, &v);
}

bool vain_waits(const struct site *s) {
  double next = atomic_load_explicit(&s->heat.next_tuning, memory_order_relaxed);
  return next > 0 && allowance_is_shared(s->kernel) && loss_time() < next;
}

bool vain_pools(const struct site *s) {
  return atomic_load_explicit(&s->heat.pools, memory_order_relaxed);
}

void vain_begun(struct site *s) {
  struct vain v = s->heat.vain;
  if (!allowance_is_shared(s->kernel))
    return;
  v.what = vain_what(s);
  v.time = loss_time();
  v.run = fmax(hot_time_expected(s), hot_time());
  v.pools = v.pools || v.n > 0;
  v.n++;
  vain_set(s, &v);
  earlier_begun(s->kernel, &v);
}

void vain_ended(struct site *s) {
  struct vain v = s->heat.vain;
  if (v.n == 0)
    return;
  v.n = 0;
  vain_set(s, &v);
  earlier_further(s->kernel);
}

static void vain_note(struct node *n, const struct vain *v) {
  char why[192];
  snprintf(why, sizeof why,
           "default for now: tuned %u time%s in vain: the program ended before a variant "
           "was tried; the next tuning begins later; `autotune tune` waits for its end",
           v->n, v->n == 1 ? "" : "s");
  site_note(&n->why, why);
}

void vain_tell(struct node *n) {
  if (n->provisional)
    return;
  vain_note(n, &n->site->heat.vain);
  log_once_of(AUTOTUNE_INFO, n->site->kernel->name, "vain", "%s: %s",
              n->site->kernel->name, atomic_load(&n->why)->text);
}

void vain_at_exit(struct node *n) {
  struct earlier known = { .vain = { .n = 0 } };
  if (!allowance_is_shared(n->site->kernel) || n->provisional ||
      atomic_load(&n->decided) || atomic_load(&n->retired))
    return;
  earlier_find(n->site->kernel, &known);
  if (known.vain.n < WORTH_SAYING)
    return;
  vain_note(n, &known.vain);
  atomic_store(&n->refusal, REFUSED_VAIN);
}
