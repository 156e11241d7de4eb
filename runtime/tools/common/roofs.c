// SPDX-License-Identifier: Apache-2.0
// roofs.c: the roofs that a command needs. They are kept in the store's folder, so that
// not each command measures them again.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/base.h"
#include "json.h"
#include "results.h"
#include "roof.h"

static const double MINUTE = 60; // in seconds

// ---- one roof -----------------------------------------------------------------------

// True if about half of the processors or more were at work in the last minute.
static bool is_busy(void) {
  double load;
  return getloadavg(&load, 1) != 1 || load > machine_threads() / 2.0;
}

// Measures with THREADS; NULL: that was not possible.
static json_t *roofs_measure(const struct problem *p, unsigned threads) {
  struct roof r;
  bool busy = is_busy();
  if (!roof_measure(threads, &r))
    return NULL;
  json_t *one = json_pack("{s:o, s:o, s:I, s:f, s:b, s:I}", "cpu", json_text(p->cpu),
                          "isa", json_text(p->isa), "threads", (json_int_t)threads,
                          "flops", r.flops, "busy", busy, "when", (json_int_t)time(NULL));
  for (int i = 0; i < ROOF_LEVELS; i++)
    json_object_set_new(one, roof_levels[i], json_real(r.bytes[i]));
  return one;
}

// ---- those of a report --------------------------------------------------------------

// True if the fastest time of A is above the highest line of ONE: floats, or the L1.
static bool is_above(const struct analysis *a, const json_t *one) {
  const struct summary *m = &a->item->summary;
  double least = a->has_best ? a->best.median : 0;
  if (a->n_order && !(least > 0 && least < a->estimates[a->order[0]].median))
    least = a->estimates[a->order[0]].median;
  return least > 0 &&
      (m->flops / least > 2 * roofs_number(one, "flops") ||
       m->bytes / least > roofs_number(one, "l1"));
}

// Adds the roof of P's machine with THREADS to LIST. It is the one in KEPT unless that is
// old, or A (may be NULL) is above it, or it was measured on a busy machine, which
// measures too little. Returns true if it measured, and so changed KEPT. MEASURE false:
// one that is old or doubtful is left out instead.
static bool add_roof(json_t *list, json_t *kept, const struct problem *p,
                     unsigned threads, const struct analysis *a, bool measure) {
  json_t *known = roofs_find(kept, p->cpu, p->isa, threads), *one = NULL;
  bool old = !known || roofs_is_old(known),
       doubtful = !old && a && roofs_age(known) > MINUTE && is_above(a, known),
       again = old || doubtful || roofs_is_stale(known);
  if (again && !measure)
    return false;
  if (again)
    one = roofs_measure(p, threads);
  if (one && !old)
    roofs_raise(one, known);
  if (one && known)
    json_object_update(known, one);
  else if (one)
    json_array_append(kept, known = one);
  if (known && !roofs_find(list, p->cpu, p->isa, threads))
    json_array_append(list, known);
  json_decref(one);
  return one != NULL;
}

// Raises each roof of LIST to those of fewer threads: on a busy machine more threads may
// measure less.
static void raise_all(const json_t *list) {
  json_t *one, *other;
  size_t i, j;
  json_array_foreach(list, i, one) json_array_foreach(list, j, other) {
    if (roofs_number(other, "threads") < roofs_number(one, "threads"))
      roofs_raise(one, other);
  }
}

json_t *roofs_for(const char *folder, const struct listing *l, const struct analysis *all,
                  bool measure) {
  json_t *list = json_array(), *kept = roofs_read(folder);
  bool changed = false;
  for (unsigned i = 0; i < l->n; i++) {
    const struct listed *item = &l->items[i];
    bool declared = item->finished &&
        (item->summary.flops > 0 || item->summary.bytes > 0);
    if (!declared || !item->problem.threads || !results_is_here(&item->problem))
      continue;
    changed |= add_roof(list, kept, &item->problem, 1, NULL, measure);
    changed |=
        add_roof(list, kept, &item->problem, item->problem.threads, &all[i], measure);
  }
  raise_all(list);
  if (changed)
    roofs_write(folder, kept);
  json_decref(kept);
  return list;
}

void roofs_prepare(const char *folder, const char *command) {
  const struct machine *m = machine_identity();
  const struct problem here = { .cpu = m->cpu, .isa = m->isa };
  const unsigned threads[] = { 1, machine_threads() };
  json_t *list = json_array(), *kept = roofs_read(folder);
  bool changed = false;
  for (unsigned i = 0; i < 2; i++) {
    const json_t *known = roofs_find(kept, m->cpu, m->isa, threads[i]);
    if (!changed && (!known || roofs_is_stale(known)))
      fprintf(stderr, "autotune %s: measures the limits of this machine\n", command);
    changed |= add_roof(list, kept, &here, threads[i], NULL, true);
  }
  if (changed)
    roofs_write(folder, kept);
  json_decref(kept);
  json_decref(list);
}
