// SPDX-License-Identifier: Apache-2.0
// wisdom.c: AUTOTUNE_WISDOM in the program. The files named there, separated by colons,
// are read once a process, at the first call for which the store has no winner. A line of
// exactly this kernel, key and machine counts as a winner of this machine, but its code
// is compiled and checked here first. A line of another machine is a point that a search
// tries first.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "model/key.h"
#include "wisdom.h"

// More than any other distance: other machines come last.
static const double FOREIGN = 1e4;

static struct {
  pthread_once_t once;
  struct wisdom
      all; // in the order of the files; in each, better ones of the same identity first
} known = { .once = PTHREAD_ONCE_INIT };

// ---- reading ------------------------------------------------------------------------

// Warns once a file, of its first bad line.
static void wisdom_warn_once(void *data, const char *file, unsigned line,
                             const char *what) {
  unsigned *told = data;
  if ((*told)++ > 0)
    return;
  if (line)
    log_message(AUTOTUNE_WARN, "%s:%u: not used: %s", file, line, what);
  else
    log_message(AUTOTUNE_WARN, "AUTOTUNE_WISDOM: %s: %s", file, what);
}

static void wisdom_read_file(char *path) {
  struct wisdom w = { 0 };
  unsigned told = 0;
  wisdom_read(&w, path, wisdom_warn_once, &told);
  if (told > 1)
    log_message(AUTOTUNE_WARN, "%s: %u more lines are not used", path, told - 1);
  wisdom_sort(&w);
  for (unsigned i = 0; i < w.n; i++)
    if (!wisdom_add(&known.all, &w.entries[i]))
      free(w.entries[i].block);
  wisdom_drop(&w);
}

static void read_files(void) {
  const char *list = options_get()->wisdom;
  while (list && *list) {
    size_t n = strcspn(list, ":");
    char *path = n ? sys_printf("%.*s", (int)n, list) : NULL;
    if (path)
      wisdom_read_file(path); // not freed: entries refer to it
    list += n + (list[n] == ':');
  }
}

static const struct wisdom *wisdom_all(void) {
  pthread_once(&known.once, read_files);
  return &known.all;
}

bool wisdom_given(void) {
  const char *list = options_get()->wisdom;
  return list && *list;
}

// ---- this very kernel, key and machine ----------------------------------------------

static unsigned wisdom_differences(const struct problem *p, const struct problem *own) {
  return problem_differences(p, own) |
      (*own->toolchain && strcmp(p->toolchain, own->toolchain) ? DIFFERS_TOOLCHAIN : 0);
}

static char *wisdom_describe(const struct wisdom_entry *e, unsigned differs,
                             const struct identity *id) {
  const struct problem *p = &e->problem;
  char *text = NULL,
       *own = differs & DIFFERS_KEY ? key_describe(p->key, p->key_names) : NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (f) {
    fprintf(f, "%s:%u differs: ", e->origin, e->line);
    const char *sep = "";
    if (differs & DIFFERS_UNIT)
      fprintf(f, "text or build flags changed"), sep = "; ";
    if (differs & (DIFFERS_CPU | DIFFERS_ISA))
      fprintf(f, "%smachine %s (%s) → %s (%s)", sep, p->cpu, p->isa, id->cpu, id->isa),
          sep = "; ";
    if (differs & DIFFERS_THREADS)
      fprintf(f, "%sthreads %u → %u", sep, p->threads, id->threads), sep = "; ";
    if (differs & DIFFERS_NAMES)
      fprintf(f, "%skey expressions changed", sep), sep = "; ";
    else if (differs & DIFFERS_KEY)
      fprintf(f, "%sit is for %s", sep, own ? own : "another key"), sep = "; ";
    if (differs & DIFFERS_TOOLCHAIN)
      fprintf(f, "%scompiler %s → %s", sep, p->toolchain, id->toolchain);
    fclose(f);
  }
  free(own);
  return text;
}

const struct wisdom_entry *wisdom_find(const struct identity *id, char **why) {
  const struct wisdom *w = wisdom_all();
  const struct wisdom_entry *nearest = NULL;
  unsigned least = 0;
  struct problem own;
  char *key = problem_of(id, &own);
  *why = NULL;
  for (unsigned i = 0; key && i < w->n; i++) {
    const struct wisdom_entry *e = &w->entries[i];
    if (strcmp(e->problem.kernel, id->kernel) != 0 ||
        e->problem.objective != id->objective)
      continue;
    unsigned differs = wisdom_differences(&e->problem, &own);
    if (!nearest || __builtin_popcount(differs) < __builtin_popcount(least)) {
      nearest = e;
      least = differs;
    }
    if (!differs)
      break;
  }
  free(key);
  if (nearest && !least)
    return nearest;
  *why = nearest ? wisdom_describe(nearest, least, id)
                 : sys_printf("no wisdom is for kernel %s", id->kernel);
  return NULL;
}

void wisdom_keys(const struct identity *id,
                 void (*see)(const struct wisdom_entry *e, void *data), void *data) {
  const struct wisdom *w = wisdom_all();
  struct problem own;
  char *key = problem_of(id, &own);
  for (unsigned i = 0; key && i < w->n; i++) {
    const struct problem *p = &w->entries[i].problem;
    if (strcmp(p->kernel, id->kernel) == 0 && p->objective == id->objective &&
        wisdom_differences(p, &own) == DIFFERS_KEY &&
        key_read(p->key, NULL, 0) == id->n_keys)
      see(&w->entries[i], data);
  }
  free(key);
}

// ---- other machines, keys and compilers: where to begin -----------------------------

// Returns the number after NAME ("l2=") in TEXT; 0: NAME is not there.
static double number_after(const char *text, const char *name) {
  const char *at = strstr(text, name);
  return at ? strtod(at + strlen(name), NULL) : 0;
}

// Returns the distance of A and B in doublings; 1 if one of them is not known.
static double wisdom_doublings(double a, double b) {
  return a > 0 && b > 0 ? fabs(log2(a / b)) : a != b;
}

static double machine_distance(const struct wisdom_entry *e, const struct identity *id,
                               const char *machine) {
  static const char *const names[] = { "l1d=", "l2=", "l3=", "cores=", "vector=" };
  const char *theirs = e->summary.machine;
  double d = 0.5 * wisdom_doublings(e->problem.threads, id->threads);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    d += 0.5 *
        wisdom_doublings(number_after(theirs, names[i]), number_after(machine, names[i]));
  if (number_after(e->problem.cpu, " family ") != number_after(id->cpu, " family "))
    d += 2;
  return d +
      (number_after(e->problem.cpu, " model ") != number_after(id->cpu, " model "));
}

// Returns the distance of an entry; HUGE_VAL: it is of no use here.
static double wisdom_distance(const struct wisdom_entry *e, const struct identity *id,
                              const char *machine) {
  const struct problem *p = &e->problem;
  if (!e->summary.winner || strcmp(p->kernel, id->kernel) != 0 ||
      !problem_comparable(p, id))
    return HUGE_VAL;
  long long key[MAX_KEYS];
  if (id->n_keys > MAX_KEYS || key_read(p->key, key, MAX_KEYS) != id->n_keys)
    return HUGE_VAL;
  return FOREIGN * problem_machine(p, id) + machine_distance(e, id, machine) +
      2 * key_distance(key, id->key, id->n_keys) + (p->unit != id->unit);
}

unsigned wisdom_near(const struct identity *id, const struct wisdom_entry **near,
                     unsigned most) {
  double far[16];
  char machine[160];
  unsigned n = 0;
  if (!wisdom_given())
    return 0;
  const struct wisdom *w = wisdom_all();
  machine_text(machine, sizeof machine);
  for (unsigned i = 0; i < w->n && most <= 16; i++) {
    double d = wisdom_distance(&w->entries[i], id, machine);
    unsigned at = n;
    while (at > 0 && far[at - 1] > d)
      at--;
    if (d == HUGE_VAL || at == most)
      continue;
    n += n < most;
    for (unsigned j = n - 1; j > at; j--) {
      far[j] = far[j - 1];
      near[j] = near[j - 1];
    }
    far[at] = d;
    near[at] = &w->entries[i];
  }
  return n;
}

void wisdom_name(const struct wisdom_entry *e, const struct identity *id, char *text,
                 size_t size) {
  bool here = strcmp(e->problem.cpu, id->cpu) == 0;
  int n;
  const char *processor = problem_processor(e->problem.cpu, &n);
  char *key = *e->problem.key ? key_describe(e->problem.key, e->problem.key_names) : NULL;
  snprintf(text, size, "wisdom %s%s%.*s%s%s", sys_file_name(e->origin),
           here ? "" : " of ", here ? 0 : n, processor, key ? " for " : "",
           key ? key : "");
  free(key);
}
