// SPDX-License-Identifier: Apache-2.0
// imagine.c: before a variant is installed it is compared with the default on made-up
// data as well (run/made_up.h): data of later calls may be larger, negative or NaN, and
// those of the first call may be all zero. It costs at most a fraction of the tuning's
// time, so only variants that would be installed are checked.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/variant.h"
#include "tune.h"

static const double part = 0.08; // of the time that the tuning has taken
static const double least = 0.4; // seconds, however short it was
static const double check = 0.5; // seconds: for PLAN_CHECK
enum { RUNS = 7 };               // of a variant and of the default, for one set

// True if C's compiler was told that there is no NaN and no infinity.
static bool imagine_is_finite(const struct tuning *t, const struct candidate *c) {
  static const char *const words[] = { "-ffast-math", "-ffinite-math-only", "-Ofast" };
  char **flags = variant_flags(t->kernel, c->point);
  bool finite = flags == NULL;
  for (char **f = flags; f && *f; f++)
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
      finite |= strcmp(*f, words[w]) == 0;
  free(flags);
  return finite;
}

// Returns the seconds that may be spent on one more variant. Once a variant has failed
// more is spent, because the next one may have the same mistake; in mode `online` more,
// because all variants are checked before the program runs them.
static double imagine_budget(const struct tuning *t, const struct candidate *c) {
  double taken = t->online ? t->budget : tune_taken(t) - t->imagined_seconds;
  double one = fmax(part * taken, least);
  if (t->plan->kind == PLAN_CHECK || c->body) // without this it cannot win
    return check;
  return fmin(one, (t->imagined_wrong || t->online ? 4 : 1) * one - t->imagined_seconds);
}

bool imagine_agrees(struct tuning *t, struct candidate *c) {
  double run = tune_seconds(t, NULL).median, start = sys_now();
  struct imagined what = { .sets = ~0u, .expected = RUNS * run };
  struct trial trial;
  if (!t->target->imagine || c->imagined || !c->object.data)
    return !c->differs;
  if (imagine_budget(t, c) < what.expected)
    return t->imagined_wrong == 0;
  if (imagine_is_finite(t, c))
    what.sets &= ~(1u << MADE_UP_SPECIAL);
  if (!c->body) // of a text by nobody who knows what its numbers are
    what.sets &= ~(1u << MADE_UP_DIGITS);
  what.plan = (struct trial_plan){ .objective = t->id->objective,
                                   .limit = fmin(fmax(5 * run, 0.2), tune_limit(t)),
                                   .budget = imagine_budget(t, c),
                                   .min_samples = 1,
                                   .max_samples = 1,
                                   .verify = true,
                                   .watch = true };
  if (space_launch(&t->space, c->point, &what.plan.launch))
    what.plan.point = c->point;
  memcpy(what.wish.point, c->point, t->kernel->n_params * sizeof *c->point);
  tune_report(t, tune_silence(&what.plan));
  t->lost = t->target->imagine(t->workers, (uint64_t)(c - t->candidates) + 1,
                               c->object.data, c->object.size, &what, &trial) != 0 ||
      t->lost;
  t->imagined_seconds += sys_now() - start;
  t->summary.verify_seconds += sys_now() - start;
  c->imagined = true;
  c->made_up = trial.made_up;
  c->made_up_seconds = trial.made_up_seconds;
  c->made_up_original = trial.made_up_original;
  log_message(AUTOTUNE_DEBUG, "%6.2f s  %s: agrees on %u made-up set%s",
              sys_now() - t->began, t->kernel->name, trial.made_up,
              trial.made_up == 1 ? "" : "s");
  if (trial.status == STATUS_OK || trial.status == STATUS_PENDING)
    return true;
  t->imagined_wrong++;
  c->differs = true;
  candidate_settle(t, c, &trial, c->object.seconds);
  return false;
}
