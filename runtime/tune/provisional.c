// SPDX-License-Identifier: Apache-2.0
// provisional.c: a variant for the program to run while a tuning goes on (in the tuner).
//
// Winners for keys within a factor of 4 are among the first variants tried. Once such a
// variant was run on this call's own data, agreed with the default and was faster, the
// program may run it in calls of this key until the tuning ends.
//
// A tuning that may only cost a fraction of the program's time may need several runs of
// the program. A variant that is clearly better than all before is raced against the
// default at once. If it wins, it runs in this run and the next ones, while the search
// goes on.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "keep/store/store.h"
#include "keep/store/tables.h"
#include "tune.h"

static const double clearly = 1.1; // gain that is worth a race meanwhile
static const char own_tuning[] = "its own unfinished tuning";

// True if C is the winner of a nearby key and may run here.
static bool provisional_is_near(const struct tuning *t, const struct candidate *c) {
  double flops, bytes;
  bool verified;
  if (t->provisional || !c->near || c->status != STATUS_OK || !c->object.data ||
      !t->store)
    return false;
  t->target->call(t->workers, &flops, &bytes, &verified);
  return verified && stats_above(t->original, c->e);
}

// True if C, the best so far, is to be raced against the default now.
static bool provisional_leads(const struct tuning *t, const struct candidate *c) {
  return t->plan->fraction > 0 && t->plan->kind == PLAN_SEARCH && t->store &&
      t->best == (int)(c - t->candidates) && c->status == STATUS_OK && c->object.data &&
      c->e.n > 0 && clearly * c->e.high < t->original.low &&
      (t->leading <= 0 || clearly * c->e.median < t->leading) &&
      !reverify_refuses(t, c->variant);
}

// Links C into the store. False: it cannot be linked.
static bool link_object(struct tuning *t, const struct candidate *c, struct outcome *out,
                        uint64_t *hash) {
  char path[64], *why = NULL;
  int fd = sys_fails(SYS_OPEN) ? -1 : memfd_create("autotune-lent", MFD_CLOEXEC);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  bool linked = fd >= 0 && tune_link(t, c, path, &why);
  char *kept = linked ? objects_keep(path, hash) : NULL;
  snprintf(out->path, sizeof out->path, "%s", kept ? kept : "");
  linked = kept != NULL;
  if (fd >= 0)
    close(fd);
  free(kept);
  free(why);
  return linked;
}

// Stores C, of FROM, as the provisional winner: if this process ends before the tuning
// does, the next process has it at once.
static void provisional_keep(struct tuning *t, const struct candidate *c,
                             const char *from, uint64_t object) {
  char source[128];
  struct summary before;
  if (store_tuning(t->store, problem_id(t->id), NULL, &before)) {
    bool keep = from != own_tuning || !summary_is_provisional(&before);
    store_summary_free(&before);
    if (keep)
      return; // do not replace a winner
  }
  snprintf(source, sizeof source, "borrowed from %s", from);
  struct summary m = { .winner = c->variant,
                       .values = c->values,
                       .compiler = c->compiler,
                       .object = object,
                       .constants = tune_constants(t, c),
                       .space = t->id->space,
                       .text = identity_text(t->kernel, c->point),
                       .search = "",
                       .why = "",
                       .machine = "",
                       .source = source,
                       .origin = ORIGIN_PROVISIONAL };
  t->target->call(t->workers, &m.flops, &m.bytes, &m.verified);
  m.inferred = t->kernel->inferred;
  store_summary(t->store, t->id, &m);
}

// Gives C, of FROM, to the program and to later processes. It is GAIN times as fast as
// the default.
static void provisional_offer(struct tuning *t, struct candidate *c, const char *from,
                              double gain) {
  struct outcome *out = sys_malloc(sizeof *out);
  if (!out)
    return;
  *out = (struct outcome){ .winner = true, .fd = -1 };
  tune_report(t, tune_silence(NULL));
  uint64_t hash = 0;
  if (imagine_agrees(t, c) && link_object(t, c, out, &hash)) {
    snprintf(out->why, sizeof out->why,
             "borrowed from %s until it is tuned: %.3g x over the default", from, gain);
    memcpy(out->point, c->point, t->kernel->n_params * sizeof *c->point);
    provisional_keep(t, c, from, hash);
    t->host->provisional(t->host->data, out);
  }
  free(out);
}

void provisional_consider(struct tuning *t, struct candidate *c) {
  double gain;
  // A body not before it was compared with all that there is; nothing in place of the
  // winner that a search goes on from.
  if (c->body || t->plan->rest > 0)
    return;
  if (provisional_is_near(t, c)) {
    t->provisional = true; // tried once, also if it fails
    provisional_offer(t, c, c->from, t->original.median / c->e.median);
  } else if (provisional_leads(t, c)) {
    t->leading = c->e.median;
    if (race_meanwhile(t, c, &gain))
      provisional_offer(t, c, own_tuning, gain);
  }
}

void provisional_resume(struct tuning *t) {
  struct candidate *c = t->best == NONE ? NULL : &t->candidates[t->best];
  struct summary m;
  if (!c || t->plan->rest > 0 || t->plan->fraction <= 0 || t->plan->kind != PLAN_SEARCH ||
      !t->store || clearly * c->e.high >= t->original.low)
    return;
  if (store_tuning(t->store, problem_id(t->id), NULL, &m)) {
    t->leading = m.winner == c->variant ? c->e.median : 0;
    store_summary_free(&m);
  }
  if (t->leading <= 0 && object_compile(t, c, NULL))
    provisional_consider(t, c);
}
