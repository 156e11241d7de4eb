// SPDX-License-Identifier: Apache-2.0
// roofs.c: the roofs that a report needs. They are kept in the store's folder, so that
// not each report measures them again.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "keep/wisdom/wisdom.h"
#include "roof.h"
#include "tools/common/json.h"
#include "tools/common/results.h"

static const double MINUTE = 60, HOUR = 3600, MONTH = 30 * 86400.0; // in seconds
static const char *const level_names[ROOF_LEVELS] = { "l1", "l2", "l3", "memory" };

// ---- the file -----------------------------------------------------------------------

// Returns what the file says, or an empty list. Only this user can have written it.
static json_t *roofs_read(const char *folder) {
  int fd = folder_file(folder, "roofs", O_RDONLY | O_NONBLOCK);
  json_t *list = fd < 0 ? NULL : json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL);
  if (fd >= 0)
    close(fd);
  if (json_is_array(list))
    return list;
  json_decref(list);
  return json_array();
}

static int roofs_dump(const void *what, FILE *f) {
  return json_dumpf(what, f, JSON_INDENT(1) | JSON_REAL_PRECISION(7)) != 0 ||
          fflush(f) != 0
      ? -1
      : 0;
}

// Failure is no error: the next report measures again.
static void roofs_write(const char *folder, const json_t *list) {
  char *path = sys_printf("%s/roofs", folder);
  if (path)
    wisdom_write_file(path, roofs_dump, list);
  free(path);
}

// ---- one roof -----------------------------------------------------------------------

static double member(const json_t *one, const char *name) {
  return json_number_value(json_object_get(one, name));
}

static bool has_text(const json_t *one, const char *name, const char *text) {
  const char *found = json_string_value(json_object_get(one, name));
  return found && strcmp(found, text) == 0;
}

// Returns the roof in LIST that is of this machine with THREADS, or NULL.
static json_t *roofs_find(const json_t *list, const struct problem *p, unsigned threads) {
  json_t *one;
  size_t i;
  json_array_foreach(list, i, one) {
    bool whole = member(one, "flops") > 0 && member(one, "l1") > 0;
    if (whole && has_text(one, "cpu", p->cpu) && has_text(one, "isa", p->isa) &&
        member(one, "threads") == threads)
      return one;
  }
  return NULL;
}

static void set_least(json_t *one, const char *name, double least) {
  if (!(member(one, name) >= least))
    json_object_set_new(one, name, json_real(least));
}

// Raises ONE, as far as it has the level, to the rates of OTHER.
static void raise_to(json_t *one, const json_t *other) {
  set_least(one, "flops", member(other, "flops"));
  for (int i = 0; i < ROOF_LEVELS; i++)
    if (member(one, level_names[i]) > 0)
      set_least(one, level_names[i], member(other, level_names[i]));
}

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
    json_object_set_new(one, level_names[i], json_real(r.bytes[i]));
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
      (m->flops / least > 2 * member(one, "flops") ||
       m->bytes / least > member(one, "l1"));
}

// Adds the roof of P's machine with THREADS to LIST. It is the one in KEPT unless that is
// old, or A (may be NULL) is above it, or it was measured on a busy machine, which
// measures too little. Returns true if it measured, and so changed KEPT. MEASURE false:
// one that is old or doubtful is left out instead.
static bool add_roof(json_t *list, json_t *kept, const struct problem *p,
                     unsigned threads, const struct analysis *a, bool measure) {
  json_t *known = roofs_find(kept, p, threads), *one = NULL;
  double age = known ? (double)time(NULL) - member(known, "when") : 2 * MONTH;
  bool old = !(age < MONTH), doubtful = known && a && age > MINUTE && is_above(a, known);
  bool again = old || doubtful ||
      (age > HOUR && json_is_true(json_object_get(known, "busy")));
  if (again && !measure)
    return false;
  if (again)
    one = roofs_measure(p, threads);
  if (one && !old)
    raise_to(one, known);
  if (one && known)
    json_object_update(known, one);
  else if (one)
    json_array_append(kept, known = one);
  if (known && !roofs_find(list, p, threads))
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
    if (member(other, "threads") < member(one, "threads"))
      raise_to(one, other);
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
