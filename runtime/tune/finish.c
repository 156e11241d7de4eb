// SPDX-License-Identifier: Apache-2.0
// finish.c: the end of a tuning: the last race, the winner as a shared object, the
// summary, and the reason why it ended.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tune.h"
#include "base/commit.h"
#include "base/shortage.h"
#include "base/units.h"
#include "model/value.h"
#include "model/variant.h"

enum { COUNTED = 100 * 1000 }; // variants of a large space are not counted one by one

// Counts exactly where that is quick; for a large space returns the product of the
// numbers of values, which is too high.
static unsigned count_variants(const struct space *s) {
  uint64_t n = space_count(s, COUNTED);
  if (n >= COUNTED && s->size > n)
    n = s->size;
  return (unsigned)(n < UINT_MAX ? n : UINT_MAX);
}

// Appends to the reason of the end where the winner comes from: "; the winner is that
// of wisdom x.jsonl, raced here".
static void say_origin(struct tuning *t, int winner) {
  if (t->plan->kind == PLAN_RACE)
    return; // all hints are of an earlier run
  for (unsigned i = 0;
       t->hints && winner != NONE && !t->candidates[winner].body && i < t->hints->n; i++)
    if (*t->hints->items[i].from &&
        space_equal(&t->space, t->hints->items[i].point, t->candidates[winner].point)) {
      snprintf(t->origin_text, sizeof t->origin_text,
               "; the winner is that of %s, raced here", t->hints->items[i].from);
      snprintf(t->why_text, sizeof t->why_text, "%.80s%s", t->summary.why,
               t->origin_text);
      t->summary.why = t->why_text;
      return;
    }
}

static void set_summary(struct tuning *t, int winner) {
  struct summary *m = &t->summary;
  const struct candidate *c = t->best == NONE ? NULL : &t->candidates[t->best];
  m->original = t->original;
  m->best = c && c->status == STATUS_OK && c->e.n > 0 && c->part <= 0
      ? candidate_measured(c)
      : t->original;
  m->values = winner == NONE ? "" : c->values;
  m->compiler = winner == NONE ? "" : c->compiler;
  m->winner = winner == NONE ? 0 : c->variant;
  m->total_hint = count_variants(&t->space);
  t->target->call(t->workers, &m->flops, &m->bytes, &m->verified);
  m->extent = t->id->extent;
  m->cold = t->target->cold ? t->target->cold(t->workers) : 0;
  m->inferred = t->kernel->inferred;
  m->made_up = winner == NONE ? 0 : c->made_up;
  m->weak = t->weak_text;
  m->covered = tune_covered(t);
  m->deviation = winner == NONE ? "" : c->deviation;
  m->strict = winner == NONE ? "" : c->strict;
  m->constants = winner == NONE ? "" : tune_constants(t, c);
  m->body = winner == NONE || !c->body ? "" : c->body;
  m->line = t->kernel->line;
  m->commit = t->store ? commit_of(t->kernel->file, t->commit_text) : "";
  m->origin = ORIGIN_HERE;
  say_origin(t, winner);
  snprintf(t->search_text, sizeof t->search_text, "%s%s", t->class->name,
           t->live ? ", online" : "");
  m->search = t->search_text;
  m->space = t->id->space;
  m->text = winner == NONE ? 0 : identity_text(t->kernel, c->point);
  m->machine = machine_text(t->machine_text, sizeof t->machine_text);
  m->total_seconds = sys_now() - t->began;
  if (t->plan->rest > 0) // it goes on with an earlier one
    m->total_seconds += BUDGET_NORMAL - t->plan->rest - t->slept;
}

bool finish_link(struct tuning *t, const struct candidate *c, int fd,
                 struct outcome *out) {
  char path[64], *why = NULL;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (!tune_link(t, c, path, &why)) {
    SAY(out, "default: the winner cannot be linked: %.400s", why ? why : "no memory");
    free(why);
    return false;
  }
  char *kept = t->store ? objects_keep(path, &t->summary.object) : NULL;
  snprintf(out->path, sizeof out->path, "%s", kept ? kept : "");
  free(kept);
  memcpy(out->point, c->point, t->kernel->n_params * sizeof *c->point);
  out->winner = true;
  out->variant = c->variant;
  out->body = c->body ? variant_body_hash(c->body) : 0;
  out->seconds = tune_seconds(t, c).median;
  return true;
}

static const char *finish_plural(unsigned n) {
  return n == 1 ? "" : "s";
}

// Formats the reason of a race: "raced again: 1.31 x slower than before since 12:03".
static const char *why_raced(const struct tuning *t, char *text, size_t size) {
  time_t since = (time_t)t->plan->since;
  struct tm when;
  char clock[32] = "";
  if (t->plan->since > 0 && localtime_r(&since, &when))
    strftime(clock, sizeof clock, " since %F %H:%M", &when);
  if (t->plan->ratio > 0)
    snprintf(text, size, "raced again: %.2f x slower than before%s", t->plan->ratio,
             clock);
  else
    snprintf(text, size, "raced again");
  return text;
}

// True if the search came to its end before the time did.
static bool finish_has_tried_all(const struct tuning *t) {
  return t->exhausted && t->in_flight == 0 && !t->untried;
}

static enum ended finish_ended(const struct tuning *t) {
  bool spent = tune_asked(t) >= t->max_variants || !finish_has_tried_all(t);
  return t->lost                   ? ENDED_LOST
      : t->plan->kind == PLAN_RACE ? ENDED_RACED
      : t->hurried && spent        ? ENDED_HURRIED
      : t->settled                 ? ENDED_SETTLED
      : spent                      ? ENDED_BUDGET
                                   : ENDED_COMPLETE;
}

// Sets the reason of the end: a number for the summary and a text for people, which is
// returned.
static const char *why_ended(struct tuning *t, char *text, size_t size) {
  t->summary.ended = finish_ended(t);
  if (t->summary.ended == ENDED_LOST)
    return "the workers were lost";
  if (t->summary.ended == ENDED_RACED)
    return why_raced(t, text, size);
  if (t->summary.ended == ENDED_HURRIED)
    return "ended by ^C";
  if (t->reached)
    return roof_text(t, text, size);
  if (t->summary.ended == ENDED_SETTLED)
    snprintf(text, size, "an expected gain under %g %%", 100 * t->plan->until.gain);
  else if (tune_asked(t) >= t->max_variants)
    snprintf(text, size, "budget of %u variant%s spent", t->max_variants,
             finish_plural(t->max_variants));
  else if (t->summary.ended == ENDED_BUDGET)
    snprintf(text, size, "budget of %.3g s spent", t->budget);
  else if (t->class == &search_extern || t->class == &search_list)
    return "all proposed variants tried";
  else
    return t->summary.failed[STATUS_DROPPED]
        ? "all variants tried that were not sure to lose"
        : "all variants tried";
  return text;
}

// True if the next process need not tune again. If few of many variants were tried and
// none of them won, the next process continues. It does not if no variant was tried here,
// or if the call has already waited for all of the default budget. The next process also
// continues after a tuning in the background in which the times of a good variant
// differed so much that it is not known whether it is faster. A tuning whose variants
// were not raced does not replace an earlier winner.
static bool is_final(const struct tuning *t, int winner) {
  if (winner != NONE)
    return true;
  if (t->plan->rest > 0)
    return false;
  bool noisy = t->undecided && t->plan->fraction > 0,
       enough = t->complete || (t->summary.tried >= FEW_VARIANTS && !noisy) ||
      t->summary.tried == t->recalled ||
      (t->usual && t->summary.total_seconds >= BUDGET_NORMAL);
  return enough && !t->lost && !t->unraced && !t->hurried;
}

// Appends the gain over the kernel as written, if that was timed.
static void finish_tell_written(const struct summary *m, struct outcome *out) {
  size_t n = strlen(out->why);
  if (m->as_written > 0)
    snprintf(out->why + n, sizeof out->why - n,
             "; %.3g x over the same code with the same flags",
             m->as_written / m->best.median);
}

// Appends what is left of the default budget.
static void finish_tell_rest(struct outcome *out) {
  size_t n = strlen(out->why);
  if (out->rest > 0)
    snprintf(out->why + n, sizeof out->why - n,
             "; %.2g s of search are left for when the program runs longer", out->rest);
}

// True if variants are wrong, and right only with the block of the launch.
static bool finish_blames_block(const struct tuning *t) {
  const struct autotune_launch *asked = t->space.asked;
  struct autotune_launch l;
  bool wrong = false;
  for (unsigned i = 0; i < t->n; i++) {
    const struct candidate *c = &t->candidates[i];
    bool right = c->status == STATUS_OK;
    if (!right && c->status != STATUS_WRONG && c->status != STATUS_CRASH)
      continue;
    if (!space_launch(&t->space, c->point, &l))
      return false;
    bool same = l.block.x == asked->block.x && l.block.y == asked->block.y &&
        l.block.z == asked->block.z;
    if (same != right)
      return false;
    wrong |= c->status == STATUS_WRONG;
  }
  return wrong;
}

static void finish_tell(struct tuning *t, int winner, struct outcome *out) {
  const struct summary *m = &t->summary;
  const char *checked = !m->verified && t->live ? ", in real calls, unverified"
      : t->live                                 ? ", in real calls"
      : m->verified                             ? ""
                                                : ", unverified";
  const char *more = !is_final(t, winner) ? "; the next run of the program tries more"
      : !t->complete && m->tried < FEW_VARIANTS ? "; `autotune tune` tries more"
                                                : "";
  const char *block = finish_blames_block(t)
      ? ": the kernel seems to work only with the size of a block it is launched with"
      : "";
  char original[64], best[64];
  enum objective_kind o = t->id->objective;
  const char *was = objective_show(o, original, sizeof original, m->original.median);
  const char *is = objective_show(o, best, sizeof best, m->best.median);
  if (winner != NONE) {
    const struct candidate *c = &t->candidates[winner];
    char *point = c->body ? value_line(c->values) : space_describe(&t->space, c->point);
    bool again = t->plan->kind == PLAN_RACE;
    SAY(out,
        "tuned: %.3g x over the default (%s to %s) in %u variant%s%s%s%s: %.200s%.150s",
        m->original.median / m->best.median, was, is, m->tried, finish_plural(m->tried),
        checked, again ? ", " : "", again ? m->why : "", point ? point : "",
        t->origin_text);
    finish_tell_written(m, out);
    free(point);
    if (*m->deviation)
      log_message(AUTOTUNE_DEBUG, "%s: largest deviation from the default: %s",
                  t->kernel->name, m->deviation);
  } else if (t->lost && t->best == NONE) {
    char text[128];
    SAY(out, "default: the workers were lost after %u variant%s%s", m->tried,
        finish_plural(m->tried), shortage_text(text, sizeof text));
  } else if (m->tried == 0 && t->reached) {
    SAY(out, "default: no variant was tried: %s", m->why);
  } else if (m->tried == 0) {
    SAY(out, "default: no variant was tried%s", more);
  } else if (t->best == NONE && m->failed[STATUS_COMPILE] == m->tried) {
    if (t->compiler_text[0])
      log_once_of(AUTOTUNE_WARN, t->kernel->name, "compile",
                  "%s: no variant compiles, so the default runs: %s", t->kernel->name,
                  t->compiler_text);
    SAY(out, "default: no variant compiles (%u tried; `autotune report` tells more)%s",
        m->tried, more);
  } else if (t->best == NONE && m->tried == 1) {
    SAY(out,
        "default: the only variant tried was not right%s (`autotune report` tells more)%s",
        block, more);
  } else if (t->best == NONE) {
    SAY(out, "default: none of %u variants was right%s (`autotune report` tells more)%s",
        m->tried, block, more);
  } else if (m->tried == 1) {
    SAY(out, "default: the only variant tried does not beat it clearly%s (%s, it %s)%s",
        checked, was, is, more);
  } else {
    SAY(out, "default: none of %u variants beats it clearly%s (%s, the best %s)%s%s",
        m->tried, checked, was, is, block, more);
  }
}

// Adds the counts of the earlier tuning whose variants a race tried again.
static void add_old(struct tuning *t) {
  struct summary old, *m = &t->summary;
  if (t->plan->kind != PLAN_RACE || !t->store ||
      !store_winner(t->store, t->id, &old, NULL))
    return;
  m->tried = old.tried > m->tried ? old.tried : m->tried;
  memcpy(m->failed, old.failed, sizeof m->failed);
  m->same = old.same;
  m->compile_seconds += old.compile_seconds;
  m->verify_seconds += old.verify_seconds;
  m->time_seconds += old.time_seconds;
  m->total_seconds += old.total_seconds;
  m->total_hint = old.total_hint;
  for (int i = 0; strategy_list()[i]; i++) // names that live as long as the process
    if (strcmp(strategy_list()[i]->name, old.search) == 0)
      m->search = strategy_list()[i]->name;
  store_summary_free(&old);
}

// Says if the winner's calls are so short that what a call costs besides matters: the
// program finds the variant, and calls it by its address, so no compiler inlines it.
static void finish_say_short(const struct tuning *t, const struct candidate *winner) {
  const double shortest = 1e-6;
  double seconds = tune_seconds(t, winner).median;
  char text[64];
  if (t->target->synchronous && seconds < shortest)
    log_once_of(
        AUTOTUNE_INFO, t->kernel->name, "short",
        "%s: a call of the winner takes %s: looking the variant up in each call (a few ns), "
        "and that the compiler cannot inline it, may cost what it gains; autotune bake "
        "writes the winner into the source, or make the loop around the call the kernel",
        t->kernel->name, units_seconds(text, sizeof text, seconds));
}

// Warns if the data of this call say little about the winner.
static void finish_warn(const struct tuning *t, const struct candidate *winner) {
  const char *made_up = winner->made_up ? " (made-up data were compared as well)" : "";
  bool again = t->target->takes_loaded && t->target->synchronous;
  if (t->weak_text[0])
    log_once_of(AUTOTUNE_WARN, t->kernel->name, t->weak_text,
                again ? "%s: %s at this call: the choice is provisional, and is checked "
                        "again at the next calls%s"
                      : "%s: %s at this call: the choice is provisional; tune with data "
                        "that say more%s",
                t->kernel->name, t->weak_text, made_up);
  finish_say_short(t, winner);
}

void finish_unchecked(struct tuning *t) {
  t->summary.ended = ENDED_UNCHECKED;
  t->summary.why = "what the call changes cannot all be compared";
  set_summary(t, NONE);
  struct summary old;
  if (!t->store)
    return;
  if (store_winner(t->store, t->id, &old, NULL))
    store_summary_free(&old); // it was compared in an earlier call
  else
    store_summary(t->store, t->id, &t->summary);
}

static void finish_store(struct tuning *t) {
  if (store_summary(t->store, t->id, &t->summary) != 0)
    log_once(AUTOTUNE_WARN, "store", "the result cannot be kept");
}

int finish_tuning(struct tuning *t, int fd, struct outcome *out) {
  char text[96];
  t->summary.why = why_ended(t, text, sizeof text); // before the race compiles anything
  t->complete = (finish_has_tried_all(t) && t->sharing.taken == 0) || t->settled ||
      tune_asked(t) >= t->max_variants;
  t->live = t->online != NULL;
  share_phase(t, PHASE_RACE, "");
  int winner = t->online ? online_finish(t, &t->live) : NONE;
  if (t->live && winner != NONE && !strict_agrees(t, &t->candidates[winner]))
    winner = NONE;
  if (!t->live) {
    t->deadline = fmax(t->deadline,
                       sys_now() + 0.2 * t->budget); // also if waiting took all of it
    winner = race(t);
  }
  if (t->plan->kind == PLAN_RACE && t->best == NONE) {
    SAY(out, "no race: none of what was fastest before could be run");
    return -1;
  }
  if (role_stopping()) {
    SAY(out, "default: the tuning was interrupted");
    return -1;
  }
  bool linked = winner == NONE || finish_link(t, &t->candidates[winner], fd, out);
  set_summary(t, linked ? winner : NONE);
  if (linked)
    written_time(t, winner);
  add_old(t);
  if (t->store && linked && is_final(t, winner)) {
    finish_store(t);
    // What follows is worth less than the result, which is stored now.
    if (!t->hurried && assembly_keep(t, winner))
      finish_store(t);
  }
  out->tuned = linked;
  out->rest = t->usual && !t->kernel->openmp && t->summary.ended == ENDED_BUDGET
      ? fmax(BUDGET_NORMAL - t->summary.total_seconds, 0)
      : 0;
  if (linked && winner != NONE)
    finish_warn(t, &t->candidates[winner]);
  if (linked)
    finish_tell(t, winner, out);
  finish_tell_rest(out);
  return linked ? 0 : -1;
}
