// SPDX-License-Identifier: Apache-2.0
// lines.c: makes winners and keys from the lines of wisdom or a store for a kernel.
//
// A baked program cannot compare a winner with the default. So a line counts only if it
// was measured with the text of this kernel. That text is identified by the hash by which
// a tuned program recognizes its winners.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bake.h"
#include "front/include.h"
#include "model/key.h"
#include "model/value.h"
#include "model/variant.h"
#include "tools/common/results.h"

struct chooser {
  const struct source *s;
  struct kernel *k;
  const struct bake *bake;
  const struct loaded *all;
  const struct unit *units;
  struct autotune_kernel shape; // its params; lines_text_of gives the texts
  struct baked *out;
  const struct wisdom_entry **from; // the line that each of out->keys comes from
  struct lost {
    const struct wisdom_entry *e;
    const char *why, *hint;
  } *lost;
  unsigned n_lost;
};

// ---- the kernel as the runtime sees it ----------------------------------------------

static struct autotune_param *params_of(const struct kernel *k) {
  struct autotune_param *params = arena_alloc((k->n_params + 1) * sizeof *params);
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct param *p = &k->params[i];
    struct autotune_value *values = arena_alloc((p->n_values + 1) * sizeof *values);
    for (unsigned j = 0; j < p->n_values; j++)
      values[j] = (struct autotune_value){ p->values[j].text, p->values[j].define,
                                           p->values[j].i, p->values[j].d };
    params[i] = (struct autotune_param){ .name = p->name,
                                         .macro = p->macro,
                                         .kind = (enum autotune_kind)p->kind,
                                         .when = p->when,
                                         .n_values = p->n_values,
                                         .original = p->original,
                                         .values = values };
  }
  return params;
}

// Returns the next of the flags at *P and moves *P after it; empty: no more flags.
static struct slice next_flag(const char **p) {
  *p += strspn(*p, " \t\n");
  struct slice word = { *p, strcspn(*p, " \t\n") };
  *p += word.size;
  return word;
}

// True if WORD is one of the flags that belong to POINT alone.
static bool lines_is_own(const struct kernel *k, const choice *point, const char *word) {
  for (unsigned i = 0; i < k->n_params; i++)
    if (k->params[i].kind == VALUE_FLAGS) {
      const char *p = k->params[i].values[point[i]].text;
      for (struct slice own; (own = next_flag(&p)).size;)
        if (slice_is(own, word))
          return true;
    }
  return false;
}

// A tuned build may have lacked two kinds of this build's flags: -fopenmp, which winners
// have anyway, and the winner's own flags. WHICH selects a combination of these to leave
// out; 0: none.
enum { TEXTS = 4 };

static struct autotune_kernel lines_text_of(const struct chooser *c, const choice *point,
                                            unsigned which) {
  const struct kernel *k = c->k;
  struct autotune_unit *all = arena_alloc((k->n_compilers + 1) * sizeof *all);
  for (unsigned i = 0; i < k->n_compilers; i++) {
    const char **flags = NULL;
    unsigned n = 0;
    for (unsigned j = 0; j < c->units[i].n_flags; j++) {
      const char *flag = c->units[i].flags[j];
      if (!((which & 1 && strncmp(flag, "-fopenmp", 8) == 0) ||
            (which & 2 && lines_is_own(k, point, flag))))
        *GROW(flags, n) = flag;
    }
    *GROW(flags, n) = NULL;
    all[i] = (struct autotune_unit){ k->compilers[i], c->units[i].text.data, flags };
  }
  struct autotune_kernel text = c->shape;
  text.units = all;
  text.n_units = k->n_compilers;
  return text;
}

// ---- lines --------------------------------------------------------------------------

static bool same_keys(const struct kernel *k, const struct problem *p) {
  const char *numbers = p->key, *names = p->key_names;
  struct key_part part;
  unsigned n = 0;
  while (key_next(&numbers, &names, &part)) {
    if (n == k->n_keys ||
        !slices_same(k->keys[n], (struct slice){ part.name, part.name_size }))
      return false;
    n++;
  }
  return n == k->n_keys && !*names;
}

// True if E is a line of this kernel, and of a requested machine.
static bool is_about(const struct chooser *c, const struct wisdom_entry *e) {
  const struct problem *p = &e->problem;
  const char *path;
  source_where(c->s, c->k->main.start, &path, NULL);
  return strcmp(p->kernel, c->k->main.name) == 0 &&
      strcmp(path_name(p->file), path_name(path)) == 0 && same_keys(c->k, p) &&
      (!c->bake->machine || strstr(p->cpu, c->bake->machine)) &&
      (!c->bake->threads || p->threads == c->bake->threads);
}

static bool same_machine(const struct wisdom_entry *a, const struct wisdom_entry *b) {
  const struct problem *p = &a->problem, *q = &b->problem;
  return strcmp(p->cpu, q->cpu) == 0 && strcmp(p->isa, q->isa) == 0 &&
      p->threads == q->threads;
}

static void lines_warn(const struct chooser *c, const char *hint, const char *what) {
  const struct pragma *p = c->k->main.pragma;
  diag_warning(c->s, p->offset, p->end - p->offset, hint, "%s", what);
}

// True if all lines are from one machine; otherwise reports an error, since winners of
// several cannot be baked.
static bool one_machine(const struct chooser *c) {
  const struct wisdom_entry **seen = NULL;
  unsigned n = 0;
  for (unsigned i = 0; i < c->all->wisdom.n; i++) {
    const struct wisdom_entry *e = &c->all->wisdom.entries[i];
    bool known = !is_about(c, e);
    for (unsigned j = 0; j < n; j++)
      known |= same_machine(seen[j], e);
    if (!known)
      *GROW(seen, n) = e;
  }
  if (n <= 1)
    return true;
  struct text t = { 0 };
  for (unsigned i = 0; i < n; i++)
    text_printf(&t, "%s'%s' with %u threads", i ? ", " : "", seen[i]->problem.cpu,
                seen[i]->problem.threads);
  const struct pragma *p = c->k->main.pragma;
  diag_error(c->s, p->offset, p->end - p->offset,
             "choose one by --machine and a part of its name, or by --threads",
             "there are winners of '%s' from several machines: %s", c->k->main.name,
             t.data);
  return false;
}

// ---- points -------------------------------------------------------------------------

static bool build_has(const struct chooser *c, struct slice flag) {
  for (unsigned i = 0; i < c->units[0].n_flags; i++)
    if (slice_is(flag, c->units[0].flags[i]))
      return true;
  return false;
}

// Returns the flags of POINT that this build lacks; NULL: it has all.
static const char *missing_flags(const struct chooser *c, const choice *point) {
  struct text t = { 0 };
  for (unsigned i = 0; i < c->k->n_params; i++)
    if (c->k->params[i].kind == VALUE_FLAGS) {
      const char *p = c->k->params[i].values[point[i]].text;
      for (struct slice own; (own = next_flag(&p)).size;)
        if (!build_has(c, own))
          text_printf(&t, "%s%.*s", t.size ? " " : "", (int)own.size, own.data);
    }
  return t.data;
}

static bool same_text(const struct chooser *c, const choice *point, uint64_t text) {
  bool same = c->bake->unchecked;
  for (unsigned i = 0; i < TEXTS && !same; i++) {
    struct autotune_kernel k = lines_text_of(c, point, i);
    same = text != 0 && identity_text(&k, point) == text;
  }
  return same;
}

static bool is_forbidden(const struct chooser *c, const choice *point) {
  unsigned at[MAX_PARAMS];
  struct slice left;
  for (unsigned i = 0; i < c->k->n_params; i++)
    at[i] = point[i];
  for (unsigned i = 0; i < c->k->n_constraints; i++)
    if (bake_constraint(c->k, c->out, at, i, &left) == NEVER)
      return true;
  return false;
}

// Sets POINT to E's winner. Returns false if it cannot be baked; LOST then says why.
static bool winner_of(const struct chooser *c, const struct wisdom_entry *e,
                      choice *point, struct lost *lost) {
  const char *flags = NULL;
  lost->e = e;
  if (variant_without_body(e->summary.values)) {
    lost->why = "its body came from outside";
    lost->hint = "autotune report shows it: write it into the source";
  } else if (!identity_point(&c->shape, e->summary.values, point)) {
    lost->why = "its parameters or candidates are others by now";
  } else if (!same_text(c, point, e->summary.text)) {
    lost->why =
        "it was found with another text of the kernel, or other flags of the build";
    lost->hint =
        "put the flags after --, as the tuned build had them; or use --unchecked";
  } else if (is_forbidden(c, point)) {
    lost->why =
        "a constraint forbids it, or asks for something that is not known of its machine";
  } else if ((flags = missing_flags(c, point))) {
    lost->why = "it needs compiler flags of its own, which C cannot express";
    lost->hint =
        arena_printf("build the whole file with %s, and name them after --", flags);
  } else {
    return true;
  }
  return false;
}

static double median_of(const struct record *r) {
  double *samples = arena_alloc((r->n_samples + 1) * sizeof *samples);
  memcpy(samples, r->samples, r->n_samples * sizeof *samples);
  return stats_median(samples, r->n_samples).median;
}

static bool is_variant(const struct chooser *c, const struct record *r,
                       const choice *point) {
  for (unsigned i = 0; i < TEXTS; i++) {
    struct autotune_kernel k = lines_text_of(c, point, i);
    if (identity_variant(&k, point, r->values, r->compiler) == r->variant)
      return true;
  }
  return false;
}

// Sets BEST to the fastest variant without own flags that beats the default. This needs a
// store, which has all variants. Returns NULL if no such variant was measured.
static const struct record *fastest_plain(const struct chooser *c,
                                          const struct wisdom_entry *e, choice *best) {
  const struct record *found = NULL;
  double least = e->summary.original.median;
  for (unsigned i = 0; i < c->all->listing.n; i++) {
    const struct listed *l = &c->all->listing.items[i];
    for (unsigned j = 0; l->problem.id == e->problem.id && j < l->n_records; j++) {
      const struct record *r = &l->records[j];
      choice point[MAX_PARAMS];
      if (r->status != STATUS_OK || !r->n_samples ||
          !identity_point(&c->shape, r->values, point) || missing_flags(c, point) ||
          is_forbidden(c, point) || !is_variant(c, r, point) || !(median_of(r) < least))
        continue;
      found = r;
      least = median_of(r);
      memcpy(best, point, c->k->n_params * sizeof *best);
    }
  }
  return found;
}

// ---- keys and winners ---------------------------------------------------------------

// Returns "MR=6\nflags=\nNR=64\n" as "MR=6 NR=64", without empty values.
static const char *one_line(const char *values) {
  struct text t = { 0 };
  text_add(&t, "", 0);
  for (struct named_value s; value_next(&values, &s);)
    if (s.size)
      text_printf(&t, "%s%.*s", t.size ? " " : "", (int)value_length(&s), s.name);
  return t.data;
}

// Returns the number, from 1, of the winner at POINT, whatever its compiler.
static unsigned lines_add_winner(struct chooser *c, const choice *point,
                                 const char *values) {
  const struct kernel *k = c->k;
  struct baked *b = c->out;
  for (unsigned i = 0; i < b->n_winners; i++) {
    bool same = true;
    for (unsigned p = 0; p < k->n_params; p++)
      same &= k->params[p].kind == VALUE_COMPILER || b->winners[i].point[p] == point[p];
    if (same)
      return i + 1;
  }
  unsigned *copy = arena_alloc((k->n_params + 1) * sizeof *copy);
  for (unsigned p = 0; p < k->n_params; p++)
    copy[p] = point[p];
  const char *line = one_line(values);
  *GROW(b->winners, b->n_winners) = (struct baked_winner){ copy, line };
  return b->n_winners;
}

// Returns the heading's line for E's key, where WHAT was measured to be GAIN times as
// fast as the default; GAIN 0: unknown.
static const char *lines_about(const struct wisdom_entry *e, const char *what,
                               double gain) {
  time_t when = (time_t)e->summary.when;
  struct tm tm;
  char day[32] = "";
  struct text t = { 0 };
  if (when > 0 && gmtime_r(&when, &tm))
    strftime(day, sizeof day, "%Y-%m-%d", &tm);
  text_printf(&t, "%s", what);
  if (gain > 0)
    text_printf(&t, "; %.4g x over the default", gain);
  text_printf(&t, "; %s%s", e->summary.verified ? "" : "unverified; ", day);
  if (e->line)
    text_printf(&t, "; %s:%u", path_name(e->origin), e->line);
  return t.data;
}

static const char *key_name(const struct problem *p) {
  char *text = results_key(p);
  const char *name = arena_printf("%s", text && *text ? text : "all calls");
  free(text);
  return name;
}

static long long *key_of(const struct kernel *k, const char *text) {
  long long *key = arena_alloc((k->n_keys + 1) * sizeof *key);
  key_read(text, key, k->n_keys);
  return key;
}

// Returns the index of KEY among the keys, or their number if it is new.
static unsigned key_index(const struct chooser *c, const long long *key) {
  unsigned i = 0;
  while (i < c->out->n_keys &&
         memcmp(c->out->keys[i].key, key, c->k->n_keys * sizeof *key) != 0)
    i++;
  return i;
}

// Adds E's key. If the key exists already, a winner replaces the default, and otherwise
// the newer line the older one.
static void lines_add_key(struct chooser *c, const struct wisdom_entry *e,
                          unsigned winner, const char *what, double gain) {
  struct baked *b = c->out;
  struct baked_key key = { key_of(c->k, e->problem.key), winner, key_name(&e->problem),
                           lines_about(e, what, gain) };
  unsigned n = b->n_keys, i = key_index(c, key.key);
  if (i == n) {
    *GROW(b->keys, b->n_keys) = key;
    *GROW(c->from, n) = e;
  } else if (!b->keys[i].winner == !winner ? e->summary.when > c->from[i]->summary.when
                                           : winner != 0) {
    b->keys[i] = key;
    c->from[i] = e;
  }
}

static void take_line(struct chooser *c, const struct wisdom_entry *e) {
  choice point[MAX_PARAMS];
  const struct summary *m = &e->summary;
  const char *values = m->values, *note = "";
  double median = m->best.median;
  struct lost lost = { 0 };
  if (!m->winner) {
    lines_add_key(c, e, 0, "nothing beat the default", 0);
    return;
  }
  if (!winner_of(c, e, point, &lost)) {
    const struct record *plain =
        variant_without_body(m->values) ? NULL : fastest_plain(c, e, point);
    if (!plain) {
      *GROW(c->lost, c->n_lost) = lost;
      return;
    }
    values = plain->values;
    note = " (the fastest without flags of its own)";
    median = median_of(plain);
  }
  unsigned w = lines_add_winner(c, point, values);
  const char *what = arena_printf("%s%s", c->out->winners[w - 1].values, note);
  lines_add_key(c, e, w, what, median > 0 ? m->original.median / median : 0);
}

// True if another line has the same key: a store also has results of older texts.
static bool is_made_up_for(const struct chooser *c, const struct lost *l) {
  return key_index(c, key_of(c->k, l->e->problem.key)) < c->out->n_keys;
}

static void tell_lost(const struct chooser *c) {
  for (unsigned i = 0; i < c->n_lost; i++) {
    const struct wisdom_entry *e = c->lost[i].e;
    const char *in = e->line ? arena_printf(" in %s:%u", e->origin, e->line) : "";
    if (!is_made_up_for(c, &c->lost[i]))
      lines_warn(c, c->lost[i].hint,
                 arena_printf("the winner of '%s' for %s%s is not baked: %s",
                              c->k->main.name, key_name(&e->problem), in,
                              c->lost[i].why));
  }
}

static void sort_keys(struct baked *b, unsigned n) {
  for (unsigned i = 1; i < b->n_keys; i++)
    for (unsigned j = i; j > 0; j--) {
      struct baked_key *x = &b->keys[j - 1], *y = &b->keys[j], swap = *x;
      unsigned d = 0;
      while (d + 1 < n && x->key[d] == y->key[d])
        d++;
      if (n == 0 || x->key[d] <= y->key[d])
        break;
      *x = *y;
      *y = swap;
    }
}

static void lines_describe(struct baked *b, const struct wisdom_entry *e) {
  char *machine = results_machine(e->problem.cpu);
  b->where = arena_printf("%s, %u thread%s, %s", machine ? machine : "",
                          e->problem.threads, e->problem.threads == 1 ? "" : "s",
                          e->problem.toolchain);
  b->machine = arena_printf("%s", e->summary.machine ? e->summary.machine : "");
  b->threads = e->problem.threads;
  free(machine);
}

static void lines_choose(struct chooser *c, const struct unit *units,
                         const struct expansion *x) {
  struct kernel *k = c->k;
  unsigned known = 0;
  if (k->n_params > MAX_PARAMS || !one_machine(c))
    return;
  c->units = units;
  c->shape = (struct autotune_kernel){ .name = k->main.name,
                                       .n_params = k->n_params,
                                       .params = params_of(k),
                                       .openmp = k->openmp };
  c->out = arena_alloc(sizeof *c->out);
  *c->out = (struct baked){ .exact = c->bake->exact };
  for (unsigned i = 0; i < c->all->wisdom.n; i++) {
    const struct wisdom_entry *e = &c->all->wisdom.entries[i];
    if (!is_about(c, e))
      continue;
    if (!known++)
      lines_describe(c->out, e);
    take_line(c, e);
  }
  if (!known)
    lines_warn(c, "its calls run the default",
               arena_printf("nothing is known of '%s'", k->main.name));
  tell_lost(c);
  sort_keys(c->out, k->n_keys);
  if (c->out->n_winners)
    c->out->copies = copies_of(c->s, k, x);
  if (c->out->n_keys && (!c->out->n_winners || c->out->copies))
    k->baked = c->out;
}

void bake_choose(const struct source *s, struct kernel *kernels, unsigned n,
                 struct unit *const *units, const struct expansion *x,
                 const struct compile_options *o) {
  static struct loaded all; // static: baked winners point into it
  const struct bake *bake = o->bake;
  char *folder = bake->from ? NULL : results_folder(NULL);
  const char *from = bake->from ? bake->from : folder;
  if (!from || results_load(from, &all) != 0)
    fatal("%s: nothing can be read there", from ? from : "results");
  for (unsigned i = 0; i < n; i++) {
    struct chooser c = { .s = s, .k = &kernels[i], .bake = bake, .all = &all };
    if (units[i])
      lines_choose(&c, units[i], x);
  }
  free(folder);
}
