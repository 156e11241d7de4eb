// SPDX-License-Identifier: Apache-2.0
// why.c: `autotune why KERNEL`: for each known key, the variant that would run here and
// now. If there is no winner: how the nearest result differs, and how many of its timings
// still hold.
//
// The store notes each request that found no winner, with the parameters that the program
// offered. The newest such note tells which parameters the program has today.
#include <stdlib.h>
#include <string.h>

#include "model/agree.h"
#include "model/value.h"
#include "run/target.h"
#include "tools/common/clean.h"
#include "key.h"

// Finds the text that was seen last, and the newest request with it.
static void find_newest(struct why *w) {
  double newest = -1;
  for (unsigned i = 0; i < w->list.n; i++) {
    double when = w->list.items[i].last;
    if (when > newest)
      w->unit = w->list.items[i].problem.unit;
    newest = when > newest ? when : newest;
  }
  for (unsigned i = 0; i < w->list.n; i++) {
    struct asked asked;
    if (w->list.items[i].problem.unit != w->unit ||
        !store_find_asked(w->store, w->list.items[i].problem.id, &asked))
      continue;
    struct asked *old = !w->asked.block || asked.when > w->asked.when ? &w->asked
                                                                      : &asked;
    free(old->block);
    if (old == &w->asked)
      w->asked = asked;
  }
}

// ---- the machine of the kernel's results --------------------------------------------

// If the kernel runs on a device, looks for results of the device that is here, not of
// this processor and compiler.
static void set_target(struct why *w) {
  struct target_identity here = { .cpu = NULL };
  const char *toolchain = NULL;
  for (unsigned i = 0; i < w->list.n; i++) {
    const struct problem *p = &w->list.items[i].problem;
    for (const struct target *const *t = targets; *t && p->unit == w->unit; t++)
      if ((*t)->identify_like && (*t)->identify_like(p, &here))
        toolchain = here.toolchain ? here.toolchain : p->toolchain;
  }
  if (!here.cpu || w->o->threads == 0)
    return; // not on a device, or a test has set the machine
  w->target = *w->o;
  w->target.cpu = here.cpu;
  w->target.isa = here.isa;
  w->target.threads = here.threads;
  w->target.toolchain = toolchain;
  w->o = &w->target;
}

// ---- parts of the key that are given up ---------------------------------------------

enum { MOST_AGREEMENTS = 8, MOST_ASKED = 64 };
struct why_agreed {
  struct agreement agreement;
  long long like[MAX_KEYS]; // the key that it was found for
  char text[192];
};

// Returns the parts of the key, as bits, that change from call to call, if the kernel is
// tuned when hot; else 0.
static uint64_t why_changing(const struct why *w) {
  static long long keys[AGREE_MOST][MAX_KEYS];
  struct agree_row rows[AGREE_MOST];
  unsigned n = 0, n_keys = 0;
  bool hot = false;
  for (unsigned i = 0; i < w->list.n && n < AGREE_MOST; i++) {
    const struct listed *item = &w->list.items[i];
    if (item->problem.unit != w->unit || !why_is_ours(w->o, &item->problem))
      continue;
    hot = hot || item->usage.calls > 0;
    n_keys = key_read(item->problem.key, keys[n], MAX_KEYS);
    if (n_keys > MAX_KEYS)
      return 0;
    rows[n] = (struct agree_row){ .key = keys[n] };
    n++;
  }
  return hot ? agree_parts(rows, n, n_keys, AGREE_CHANGES) : 0;
}

// Sets SEEN[N] to the agreement that holds for the key of ITEM, unless it is one of those
// before. OUT, which the caller frees, is its winner.
static bool why_find_agreement(const struct why *w, const struct listed *item,
                               struct why_agreed *seen, unsigned n, struct summary *out) {
  struct why_agreed *a = &seen[n];
  struct wisdom_entry like = { .problem = item->problem };
  const char *names[MAX_KEYS];
  struct identity id;
  char *block = NULL;
  bool known = !results_identity(&like, a->like, names, &block, &id);
  for (unsigned i = 0; i < n && !known; i++)
    known = agree_covers(&seen[i].agreement, seen[i].like, a->like, id.n_keys);
  id.space = item->summary.space;
  id.contract = item->summary.contract;
  id.changing = w->changing;
  id.extent = w->changing ? 0 : item->summary.extent;
  bool found = !known &&
      store_agreed(w->store, &id, false, &a->agreement, out, a->text, sizeof a->text);
  free(block);
  for (unsigned i = 0; i < n && found && !known; i++)
    known = strcmp(seen[i].text, a->text) == 0;
  if (found && known)
    store_summary_free(out);
  return found && !known;
}

// Prints which parts of the key make no difference: a new value is not tuned.
static void why_print_agreements(struct why *w) {
  struct why_agreed *seen = sys_calloc(MOST_AGREEMENTS, sizeof *seen);
  struct summary m;
  unsigned n = 0, asked = 0;
  w->changing = why_changing(w);
  for (unsigned i = 0; seen && i < w->list.n && n < MOST_AGREEMENTS; i++) {
    const struct listed *item = &w->list.items[i];
    if (item->finished && item->problem.unit == w->unit &&
        why_is_ours(w->o, &item->problem) && asked++ < MOST_ASKED &&
        why_find_agreement(w, item, seen, n, &m)) {
      char *clean = clean_text(seen[n++].text);
      fprintf(w->out, "  %s%s", clean, m.winner ? ": " : "");
      why_print_values(w->out, m.winner ? m.values : "");
      fputc('\n', w->out);
      clean_free(clean);
      store_summary_free(&m);
    }
  }
  free(seen);
}

// ---- a kernel -----------------------------------------------------------------------

// True if P's key was printed with an earlier problem.
static bool why_is_known(const struct why *w, unsigned index) {
  const struct problem *p = &w->list.items[index].problem;
  for (unsigned i = 0; i < index; i++)
    if (why_is_for(&w->list.items[i], p))
      return true;
  return false;
}

// Prints that the kernel, or the key, is unknown. (A program that ended before its tuner
// began notes nothing.)
static void print_nothing(const struct why *w) {
  const struct why_options *o = w->o;
  struct listing all = { 0 };
  const char *near = NULL;
  if (w->list.n == 0 && store_list(w->store, NULL, &all) == 0) {
    const char **names = sys_malloc((all.n + 1) * sizeof *names);
    for (unsigned i = 0; names && i <= all.n; i++)
      names[i] = i < all.n ? all.items[i].problem.kernel : NULL;
    near = names ? value_nearest(o->kernel, strlen(o->kernel), names) : NULL;
    fprintf(w->out, "%s: nothing is known of it", o->kernel);
    free(names);
  } else {
    fprintf(w->out, "%s: nothing is known of that key", o->kernel);
  }
  char *clean = near ? clean_text(near) : NULL;
  if (clean)
    fprintf(w->out, "; did you mean '%s'?\n", clean);
  else
    fprintf(w->out,
            ": no program has called it, or none that was built with `autotune cc`\n");
  clean_free(clean);
  store_list_free(&all);
}

// True if no variant was ever tried for KEY: calls with it have only been noted.
static bool why_is_untried(const struct why *w, const struct problem *key) {
  for (unsigned i = 0; i < w->list.n; i++) {
    const struct listed *item = &w->list.items[i];
    if ((item->finished || item->provisional || item->n_records) && why_is_for(item, key))
      return false;
  }
  return true;
}

// Prints the requested keys of W's list; of those that were only called, the first
// MOST_UNTRIED. Returns their number. FILE: NULL if all kernels of that name are in one
// file.
static unsigned why_print_list(struct why *w, const char *file) {
  enum { MOST_UNTRIED = 8 };
  unsigned n = 0, untried = 0;
  find_newest(w);
  set_target(w);
  for (unsigned i = 0; i < w->list.n; i++) {
    const struct problem *p = &w->list.items[i].problem;
    if (why_is_known(w, i) || !key_matches_part(p->key, p->key_names, w->o->key))
      continue;
    if (n++ == 0) {
      char *clean = file ? clean_text(file) : NULL;
      fprintf(w->out,
              clean ? "%s (%s) on %s, %u threads, %s\n" : "%s%s on %s, %u threads, %s\n",
              w->o->kernel, clean ? clean : "", w->o->cpu, w->o->threads,
              w->o->toolchain);
      clean_free(clean);
    }
    if (w->o->key || !why_is_untried(w, p) || ++untried <= MOST_UNTRIED)
      why_print_key(w, p);
  }
  if (untried > MOST_UNTRIED)
    fprintf(w->out,
            "  … and %u more key%s, never tuned; for one: autotune why %s --key …\n",
            untried - MOST_UNTRIED, untried == MOST_UNTRIED + 1 ? "" : "s", w->o->kernel);
  if (!w->o->key)
    why_print_agreements(w);
  free(w->asked.block);
  return n;
}

// Prints the keys file by file: kernels of one name in two files are two kernels, but a
// file that was moved to another folder is the same file. Sorts ALL's items by file.
static unsigned print_files(const struct why *w, struct listing *all) {
  unsigned n = 0;
  for (unsigned begin = 0, end; begin < all->n; begin = end) {
    struct why one = *w;
    const char *file = sys_file_name(all->items[begin].problem.file);
    end = begin + 1;
    for (unsigned i = end; i < all->n; i++)
      if (strcmp(sys_file_name(all->items[i].problem.file), file) == 0) {
        struct listed found = all->items[i];
        memmove(&all->items[end + 1], &all->items[end], (i - end) * sizeof found);
        all->items[end++] = found;
      }
    one.list = (struct listing){ .items = all->items + begin, .n = end - begin };
    n += why_print_list(&one, end - begin < all->n ? file : NULL);
  }
  return n;
}

// Prints what is known of the kernel that W's options name. Returns the number of keys;
// -1: the store cannot be read.
static int why_print_kernel(struct why *w) {
  int status = store_list(w->store, w->o->kernel, &w->list);
  unsigned n = print_files(w, &w->list);
  return status == 0 ? (int)n : -1;
}

// Does the same for the kernels that stood at the place which W's options name.
static int why_print_place(const struct why *w) {
  char **names = place_kernels(w->store, w->o->kernel);
  int n = 0;
  for (unsigned i = 0; names && names[i] && n >= 0; i++) {
    struct why_options named = *w->o;
    struct why one = *w;
    named.kernel = names[i];
    one.o = &named;
    int found = why_print_kernel(&one);
    store_list_free(&one.list);
    n = found < 0 ? -1 : n + found;
  }
  place_free(names);
  return n;
}

int why_print(const struct why_options *o, FILE *out) {
  struct why w = { .o = o, .out = out, .store = results_open(o->folder, false) };
  if (!w.store)
    return 2;
  int n = why_print_kernel(&w);
  if (n == 0 && w.list.n == 0)
    n = why_print_place(&w);
  if (n == 0)
    print_nothing(&w);
  store_list_free(&w.list);
  store_close(w.store);
  return n < 0 ? 2 : n == 0;
}
