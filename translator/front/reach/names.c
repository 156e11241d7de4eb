// SPDX-License-Identifier: Apache-2.0
// names.c: tables of names, by hash.
#include "names.h"

enum { NAME_BUCKETS = 8192 };

static unsigned names_hash(struct slice s) {
  unsigned h = 2166136261u;
  for (size_t i = 0; i < s.size; i++)
    h = (h ^ (unsigned char)s.data[i]) * 16777619u;
  return (h ^ h >> 15) % NAME_BUCKETS;
}

void names_add(struct names *t, enum name_space space, struct slice text,
               unsigned index) {
  if (!t->buckets)
    t->buckets = arena_alloc(NAME_BUCKETS * sizeof *t->buckets);
  unsigned *bucket = &t->buckets[names_hash(text)];
  *GROW(t->list, t->n) = (struct name){ text, space, index, *bucket };
  *bucket = t->n;
}

const struct name *names_find(const struct names *t, enum name_space space,
                              struct slice text, const struct name *n) {
  unsigned i = n ? n->next : t->buckets ? t->buckets[names_hash(text)] : 0;
  for (; i; i = t->list[i - 1].next)
    if (t->list[i - 1].space == space && slices_same(t->list[i - 1].text, text))
      return &t->list[i - 1];
  return NULL;
}

bool names_has(const struct names *t, struct slice word) {
  return names_find(t, NAME_ORDINARY, word, NULL) != NULL;
}

bool names_put(struct names *t, struct slice word) {
  if (names_has(t, word))
    return false;
  names_add(t, NAME_ORDINARY, word, 0);
  return true;
}
