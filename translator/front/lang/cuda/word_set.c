// SPDX-License-Identifier: Apache-2.0
// word_set.c: sets of words.
#include <string.h>

#include "items.h"

unsigned word_hash(struct slice s) {
  unsigned h = 2166136261u;
  for (size_t i = 0; i < s.size; i++)
    h = (h ^ (unsigned char)s.data[i]) * 16777619u;
  return h % WORD_BUCKETS;
}

bool word_set_has(const struct word_set *w, struct slice word) {
  for (unsigned n = w->buckets ? w->buckets[word_hash(word)] : 0; n; n = w->next[n - 1])
    if (slices_same(w->list[n - 1], word))
      return true;
  return false;
}

bool word_set_add(struct word_set *w, struct slice word) {
  if (!w->buckets)
    w->buckets = arena_alloc(WORD_BUCKETS * sizeof *w->buckets);
  if (word_set_has(w, word))
    return false;
  unsigned h = word_hash(word), n = w->n;
  *GROW(w->next, n) = w->buckets[h];
  *GROW(w->list, w->n) = word;
  w->buckets[h] = w->n;
  return true;
}
