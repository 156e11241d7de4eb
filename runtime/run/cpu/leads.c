// SPDX-License-Identifier: Apache-2.0
// leads.c: finds the pointer that leads to a piece of memory, so that people know which
// one it is: an argument, or a word of what an argument points to, or of a variable.
#include <string.h>

#include "unnamed.h"

enum { DEEP = 256, WIDE = 4096 };     // bytes of a structure, of a variable
static const long farthest = 1 << 20; // bytes from where a pointer points

struct lead {
  const char *at;
  long distance; // of AT; below 0: no pointer was found
  char *text;
  size_t size;
};

// True if P leads to L->at, and nearer than what was found.
static bool lead_is_nearer(struct lead *l, const char *p) {
  if (!p || p > l->at || l->at - p >= farthest ||
      (l->distance >= 0 && l->at - p >= l->distance))
    return false;
  l->distance = l->at - p;
  return true;
}

// Tries the words of SIZE bytes from FROM on, which are called NAME.
static void lead_words(struct lead *l, const char *from, size_t size, const char *name) {
  for (size_t i = 0; i + sizeof(char *) <= size; i += sizeof(char *)) {
    const char *p;
    changes_copy(&p, from + i, sizeof p);
    if (!lead_is_nearer(l, p))
      continue;
    if (size == sizeof p)
      snprintf(l->text, l->size, "memory that %s points to, byte %ld", name, l->distance);
    else
      snprintf(l->text, l->size, "memory that byte %zu of %s points to, byte %ld", i,
               name, l->distance);
  }
}

bool lead_find(const struct image *m, const char *at, long *distance, char *text,
               size_t size) {
  const struct autotune_kernel *k = m->kernel;
  struct lead l = { at, -1, text, size };
  char name[64];
  for (unsigned i = 0; i < k->n_args; i++) {
    const char *p;
    if (!k->args || k->args[i].kind != AUTOTUNE_ARG_POINTER ||
        k->args[i].size != sizeof p)
      continue;
    lead_words(&l, m->args[i], sizeof p, k->args[i].name);
    changes_copy(&p, m->args[i], sizeof p);
    snprintf(name, sizeof name, "*%.60s", k->args[i].name);
    if (p && (uintptr_t)p % sizeof p == 0 && sandbox_reads(p, DEEP))
      lead_words(&l, p, DEEP, name);
  }
  for (unsigned i = 0; i < k->n_symbols; i++) {
    const struct autotune_symbol *s = &k->symbols[i];
    if ((uintptr_t)s->address % sizeof(char *) == 0 && s->size >= sizeof(char *))
      lead_words(&l, s->address, s->size < WIDE ? s->size : WIDE, s->name);
  }
  *distance = l.distance;
  return l.distance >= 0;
}
