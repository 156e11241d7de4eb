// SPDX-License-Identifier: Apache-2.0
// refused.c: drops proposals that the translator would refuse for reasons that only it
// knows. All are tried together, and its errors tell by their lines which ones are to
// blame.
#include <string.h>

#include "front/lang/language.h"
#include "suggest.h"

static struct insertion *refused_join(const struct proposal *all, unsigned n,
                                      unsigned *total) {
  struct insertion *list = NULL;
  *total = 0;
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < all[i].n; j++)
      *GROW(list, *total) = all[i].list[j];
  patch_sort(list, *total);
  return list;
}

const char *refused_why(const struct source *s, const struct insertion *list, unsigned n,
                        const struct compile_options *o) {
  struct text all = { 0 };
  unsigned n_kernels;
  patch_number(s, list, n, &all);
  struct source *patched = source_of(s->path, all.data, all.size);
  diag_try();
  translate_kernels(patched, o, &n_kernels);
  return diag_tried();
}

// True if the line of D, an error in the patched file, may be of P.
static bool refused_is_of(const struct source *s, const struct proposal *p,
                          const struct diagnostic *d) {
  const char *path;
  if (!p->list)
    return false;
  unsigned first = source_where(s, p->list[0].offset, &path, NULL),
           last = source_where(s, ts_node_end_byte(p->node), NULL, NULL);
  return strcmp(path, d->place.path) == 0 && d->place.line <= last &&
      d->place.line + patch_lines(p->list[0].text) >= first;
}

static void refused_drop(const struct source *s, struct proposal *p, const char *why) {
  notes_say(s, ts_node_start_byte(p->node),
            arena_printf("%s is left as it is: it cannot be a kernel: %s", p->what, why));
  p->n = 0;
}

// Drops the proposals that stand where the last refused_why found errors. Returns their
// number.
static unsigned refused_blame(const struct candidates *c, const struct source *s,
                              struct proposals *all, const struct compile_options *o) {
  unsigned n_noted, dropped = 0, n;
  const struct diagnostic *noted = diag_noted(&n_noted);
  for (unsigned i = 0; i < n_noted; i++) {
    unsigned found = 0;
    for (unsigned j = 0; j < all->n; j++)
      found += refused_is_of(c->s, &all->list[j], &noted[i]);
    for (unsigned j = 0; j < all->n; j++) {
      struct proposal *p = &all->list[j];
      const char *why = noted[i].text;
      if (p->n == 0 || !refused_is_of(c->s, p, &noted[i]))
        continue;
      struct insertion *lines = refused_join(p, 1, &n);
      if (found > 1)
        why = refused_why(s, lines, n, o);
      dropped += why != NULL;
      if (why)
        refused_drop(c->s, p, why);
    }
  }
  return dropped;
}

// Puts the lines of ALL into the file as it is written; drops those that do not fit.
static void refused_fit(const struct candidates *c, struct proposals *all) {
  for (unsigned i = 0; i < all->n; i++)
    for (unsigned j = 0; j < all->list[i].n; j++) {
      const char *why = fit_line(c->file, c->s, &all->list[i].list[j]);
      if (why)
        refused_drop(c->s, &all->list[i], why);
    }
}

struct insertion *refused_drop_all(const struct candidates *c, struct proposals *all,
                                   const struct compile_options *o, unsigned *n) {
  const struct source *s = c->how.automatic ? c->s : c->file;
  if (s != c->s)
    refused_fit(c, all);
  struct insertion *list = refused_join(all->list, all->n, n);
  while (*n && refused_why(s, list, *n, o)) {
    unsigned dropped = refused_blame(c, s, all, o);
    for (unsigned i = 0, own; i < all->n && !dropped; i++) {
      struct insertion *lines = refused_join(&all->list[i], 1, &own);
      const char *why = own ? refused_why(s, lines, own, o) : NULL;
      if (why)
        refused_drop(c->s, &all->list[i], why);
    }
    list = refused_join(all->list, all->n, n);
    if (!dropped)
      break;
  }
  return list;
}
