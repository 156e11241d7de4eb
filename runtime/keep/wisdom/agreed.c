// SPDX-License-Identifier: Apache-2.0
// agreed.c: finds the winner that lines of wisdom agree on, for a key that has no line.
//
// Lines carry no trials, so winners agree only where they have the same values.
#include <stdlib.h>
#include <string.h>

#include "model/agree.h"
#include "wisdom.h"

struct agreed_lines {
  unsigned n;
  const struct wisdom_entry *entries[AGREE_MOST];
  struct agree_row rows[AGREE_MOST];
  long long keys[AGREE_MOST][MAX_KEYS];
};

static enum opinion agreed_never(const void *data, unsigned row, unsigned winner) {
  (void)data, (void)row, (void)winner;
  return OPINION_WORSE;
}

// Adds E, unless an earlier line is for the same key.
static void agreed_add(const struct wisdom_entry *e, void *data) {
  struct agreed_lines *l = data;
  for (unsigned i = 0; i < l->n; i++)
    if (strcmp(l->entries[i]->problem.key, e->problem.key) == 0)
      return;
  if (l->n == AGREE_MOST)
    return;
  uint64_t winner = e->summary.winner ? identity_values(e->summary.values) : 0;
  key_read(e->problem.key, l->keys[l->n], MAX_KEYS);
  l->rows[l->n] = (struct agree_row){ .key = l->keys[l->n],
                                      .winner = winner,
                                      .extent = e->summary.extent };
  l->entries[l->n++] = e;
}

bool wisdom_agreed(const struct identity *id, struct agreement *agreement,
                   struct summary *out, char *why, size_t size) {
  bool found = false;
  if (!wisdom_given() || id->n_keys == 0 || id->n_keys > MAX_KEYS)
    return false;
  struct agreed_lines *l = sys_calloc(1, sizeof *l);
  if (!l)
    return false;
  wisdom_keys(id, agreed_add, l);
  if (agree_find(id->key, id->n_keys, id->extent, l->rows, l->n, id->changing,
                 agreed_never, NULL, agreement)) {
    *out = l->entries[agreement->row]->summary;
    summary_agree(out);
    out->block = record_own(&kind_summary, out);
    found = out->block != NULL;
    agree_say(l->rows, agreement, id->n_keys, id->key_names, why, size);
  }
  free(l);
  return found;
}
