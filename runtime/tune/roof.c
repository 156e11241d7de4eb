// SPDX-License-Identifier: Apache-2.0
// roof.c: ends a search where the best variant is near the roof, the shortest time that
// the machine allows for the work that the kernel declares (Williams, Waterman, Patterson
// 2009). The machine's limits are read from the store's folder; nothing is measured here.
//
// The page of `autotune report` has only times to go by. Here the call is known: which
// cache holds its data, and whether its numbers are floats. In doubt the limit is the
// higher one, so that a search does not end too early.
#include <math.h>
#include <stdlib.h>

#include "keep/wisdom/roofs.h"
#include "tune.h"

// A winner that is faster than the limits by so much shows that they are wrong.
static const double precision = 1.1;

static bool roof_has_doubles(const struct autotune_layout *l) {
  for (unsigned i = 0; l && i < l->n_leaves; i++)
    if (l->leaves[i].element == AUTOTUNE_F64)
      return true;
  return false;
}

// True if the kernel has doubles, of which the machine does half as many as of floats.
static bool roof_in_doubles(const struct autotune_kernel *k) {
  const struct autotune_layout *const *layouts = kernel_layouts(k);
  bool doubles = k->ret_element == AUTOTUNE_F64;
  for (unsigned i = 0; i < k->n_sections; i++)
    doubles = doubles || k->sections[i].element == AUTOTUNE_F64 ||
        (layouts && roof_has_doubles(layouts[i]));
  return doubles;
}

// Returns the nearest level that holds BYTES with THREADS, of those that R has.
static enum roof_level roof_level(const struct roof *r, double bytes, unsigned threads) {
  const struct autotune_machine *m = &machine_get()->numbers;
  const double sizes[ROOF_MEMORY] = { (double)m->l1d * threads, (double)m->l2 * threads,
                                      (double)m->l3 };
  enum roof_level level = ROOF_L1;
  while (level < ROOF_MEMORY && bytes > sizes[level])
    level++;
  while (level > ROOF_L1 && r->bytes[level] <= 0) // the L3, if it is not known
    level--;
  return level;
}

// Returns the reason why the shortest time is not known, or NULL.
static const char *roof_find(struct tuning *t) {
  static const char *const levels[] = { "the L1 cache", "the L2 cache", "the L3 cache",
                                        "memory" };
  bool doubles = roof_in_doubles(t->kernel);
  struct roof_end *e = &t->roof;
  struct roof r;
  char *message = NULL;
  double flops, bytes;
  bool verified;
  t->target->call(t->workers, &flops, &bytes, &verified);
  if (!t->target->on_host)
    return "the limits of devices are not known";
  if (!(flops > 0) && !(bytes > 0))
    return "the pragma declares neither flops(…) nor bytes(…)";
  if (!objective_get(t->id->objective)->is_seconds)
    return "time is not what is minimised";
  if (t->plan->team > 1)
    return "other threads make the same call at the same time";
  e->threads = t->kernel->openmp ? t->id->threads : 1;
  if (!t->store)
    return "the limits of this machine are kept with results, and these are not kept";
  const char *folder = folder_again(&message);
  free(message);
  if (!roofs_known(folder, t->id->cpu, t->id->isa, e->threads, &r))
    return "the limits of this machine are not measured yet: `autotune report --html "
           "FILE` or `autotune tune --until 'roof 80%' -- PROGRAM` does that";
  enum roof_level level = roof_level(&r, t->target->touched(t->workers), e->threads);
  double counting = flops / r.flops / (doubles ? 1 : 2), moving = bytes / r.bytes[level];
  e->seconds = fmax(counting, moving);
  e->limit = counting <= moving ? levels[level]
      : doubles                 ? "arithmetic in doubles"
                                : "arithmetic in floats";
  e->least = fmax(counting, bytes / r.bytes[ROOF_L1]) / precision;
  return NULL;
}

// Says once that the roof ends no search of this kernel.
static void roof_say(const struct tuning *t, const char *why) {
  log_once_of(AUTOTUNE_WARN, t->kernel->name, "roof",
              "%s: until: roof %g%% does not end the search: %s", t->kernel->name,
              100 * t->plan->until.roof, why);
}

void roof_setup(struct tuning *t) {
  const char *why = t->plan->until.roof > 0 ? roof_find(t) : NULL;
  if (why)
    roof_say(t, why);
}

bool roof_is_reached(struct tuning *t) {
  struct roof_end *e = &t->roof;
  char text[96];
  bool estimated = t->best != NONE && t->candidates[t->best].part > 0;
  double best = tune_best_seconds(t).median;
  if (t->reached || !(e->seconds > 0) || !(best > 0) || estimated)
    return t->reached;
  if (best < e->least) {
    roof_say(t,
             "a variant is faster than the limits of this machine allow: they were "
             "measured while it was busy, or the pragma declares more work than a call "
             "does");
    e->seconds = 0;
  }
  t->reached = e->seconds > 0 && e->seconds >= t->plan->until.roof * best;
  if (t->reached)
    log_message(AUTOTUNE_INFO, "%s: the search ends: %s", t->kernel->name,
                roof_text(t, text, sizeof text));
  return t->reached;
}

const char *roof_text(const struct tuning *t, char *text, size_t size) {
  const struct roof_end *e = &t->roof;
  snprintf(text, size, "roof reached: %.3g %% of what %s allows (%u thread%s)",
           100 * e->seconds / tune_best_seconds(t).median, e->limit, e->threads,
           e->threads == 1 ? "" : "s");
  return text;
}
