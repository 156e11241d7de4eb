// SPDX-License-Identifier: Apache-2.0
// provisional.c: runs the winner of a nearby key for a key that is not tuned (in the
// program).
//
// A variant that was right for one size may be wrong for another: its parameter may have
// to divide n without a declared constraint. So it runs only after it ran in the sandbox
// on this call's own data and agreed with the default. If the key is tuned, this is the
// tuner's first trial (tune/provisional.c); otherwise a tuner does only this check.
#include <stdlib.h>
#include <string.h>

#include "site.h"
#include "model/space.h"
#include "keep/wisdom/wisdom.h"

// Limits the time of checks in a program with very many keys.
static const double at_first = 3,
                    fraction = 0.05; // seconds, and of the time since the first check
static struct {
  double begun, spent; // used while holding decide_take()
  _Atomic double next; // sys_now: when the next check may begin
} checks;

double checks_next(void) {
  return atomic_load_explicit(&checks.next, memory_order_relaxed);
}

void checks_spend(double seconds) {
  if (checks.begun == 0)
    checks.begun = sys_now() - seconds;
  checks.spent += seconds;
  atomic_store(&checks.next, checks.begun + (checks.spent - at_first) / fraction);
}

static void run_meanwhile(struct node *n, const char *path, const char *values,
                          const char *why) {
  const struct autotune_kernel *k = n->site->kernel;
  char *message = NULL;
  if (n->provisional || atomic_load(&n->decided) || !node_is_default(n))
    return; // the present code is better
  struct variant_code code;
  if (site_load(n, path, values, &code, &message)) {
    n->provisional = code.loaded;
    site_note(&n->why, why);
    node_set(n, code);
    log_message(AUTOTUNE_INFO, "%s: %s", k->name, why);
  }
  free(message);
}

void provisional_install(struct node *n, const struct outcome *out) {
  char *values = space_values(n->site->kernel, out->point);
  if (values)
    run_meanwhile(n, out->path, values, out->why);
  free(values);
}

void provisional_known(struct node *n, const struct recall *known) {
  char why[256];
  snprintf(why, sizeof why, "%s until it is tuned", known->source);
  run_meanwhile(n, known->path, known->summary.values, why);
}

// Finds the winner of the nearest key that may run here, as a point. False: there is
// none.
static bool provisional_find(struct site *s, const struct identity *id, choice *point,
                             struct relative *from) {
  struct relative relatives[MAX_RELATIVES];
  bool found = false;
  char *message = NULL;
  struct store *store = store_open(&message);
  unsigned n = store ? store_relatives(store, id, relatives) : 0;
  free(message);
  for (unsigned i = 0; i < n && relatives[i].near && !found; i++) {
    struct summary m;
    *from = relatives[i];
    if (!store_tuning(store, from->problem, id->toolchain, &m))
      continue;
    found = m.winner && m.verified && !summary_is_borrowed(&m) &&
        identity_point(s->kernel, m.values, point);
    store_summary_free(&m);
  }
  if (store)
    store_close(store);
  return found;
}

bool provisional_checked(struct site *s, struct node *n, const struct call *call,
                         struct outcome *out) {
  const struct autotune_kernel *k = s->kernel;
  struct identity id = node_identity(n);
  struct relative from;
  choice point[MAX_PARAMS];
  if (k->n_params == 0 || k->n_params > MAX_PARAMS || !k->n_units ||
      checks_next() > sys_now() || !provisional_find(s, &id, point, &from))
    return false;
  char source[128];
  snprintf(source, sizeof source, "borrowed from %s", from.name);
  struct summary kept = {
    .source = source, .origin = ORIGIN_PROVISIONAL, .search = "", .why = "", .machine = ""
  };
  struct plan plan = {
    .kind = PLAN_CHECK, .points = point, .n_points = 1, .adopt = &kept
  };
  plan.constants = plan_constants(n);
  team_plan(n, &plan);
  double begun = sys_now();
  bool good = session_run(k, &id, call, &plan, NULL, out) == 0 && out->winner;
  checks_spend(sys_now() - begun);
  if (good)
    snprintf(out->why, sizeof out->why,
             "%s: it is right for this key, and nothing is tuned here", source);
  else
    log_message(AUTOTUNE_INFO, "%s: nothing is borrowed from %s: %s", k->name, from.name,
                out->why);
  return good;
}
