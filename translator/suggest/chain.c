// SPDX-License-Identifier: Apache-2.0
// chain.c: proposes `chain` for nests next to each other, of which later ones read arrays
// of the function that earlier ones write. Braces around them make a block of the nests.
#include <string.h>

#include "front/affine/affine.h"
#include "suggest.h"

enum { CHAIN_LOOPS = 2, CHAIN_SHORT = 100000 }; /* loops that are cut; operations */

// True if LOOP is a nest before which a pragma may stand.
static bool chain_is_nest(const struct model *m, TSNode loop) {
  bool written;
  size_t place = model_offset(m, loop, &written), first;
  return node_is(loop, "for_statement") && model_iter(m, loop) && written &&
      !plan_jumps(loop) && patch_begins_line(m->source, place) &&
      !openmp_above(m->source, place, &first) && work_of(m, loop) >= CHAIN_SHORT;
}

// Returns the place of the nest in NESTS, from 0 on, in which X is; N: in none.
static unsigned chain_place(const TSNode *nests, unsigned n, const struct access *x) {
  unsigned i = 0;
  while (i < n && !node_within(x->node, nests[i]))
    i++;
  return i;
}

// True if A is an array of the function that only the N nests NESTS use, and that one of
// them reads after another one has written it. Widens *FIRST and *LAST to these.
static bool chain_is_local(const struct model *m, const struct array *a,
                           const TSNode *nests, unsigned n, unsigned *first,
                           unsigned *last) {
  unsigned from = n, to = 0, wrote = n, read = 0;
  for (unsigned i = 0; i < m->n_accesses; i++) {
    const struct access *x = &m->accesses[i];
    unsigned at = chain_place(nests, n, x);
    if (x->array != a)
      continue;
    if (at == n)
      return false;
    from = at < from ? at : from;
    to = at > to ? at : to;
    wrote = x->write && at < wrote ? at : wrote;
    read = x->read && at > read ? at : read;
  }
  if (!a->local || a->why || a->rank < 2 || wrote >= read)
    return false;
  *first = from < *first ? from : *first;
  *last = to > *last ? to : *last;
  return true;
}

// Returns where the line after N begins; 0: something else follows N in its line.
static size_t chain_line_after(const struct model *m, TSNode n) {
  const struct source *s = m->source;
  TSNode own = node_for_at(m->function->node, model_offset(m, n, NULL));
  size_t at = ts_node_is_null(own) ? s->size : ts_node_end_byte(own);
  at += at < s->size ? strspn(s->text + at, " \t\r") : 0;
  if (at < s->size && strncmp(s->text + at, "//", 2) == 0)
    at += strcspn(s->text + at, "\\\n");
  return at + 1 < s->size && s->text[at] == '\n' ? at + 1 : 0;
}

// Proposes `chain` for NESTS, with the N arrays LOCAL. False: they cannot be joined.
static bool chain_put(struct model *m, struct body nests, struct array **local,
                      unsigned n, const char *threads, struct plan *plan) {
  size_t place = model_offset(m, nests.first, NULL),
         after = chain_line_after(m, nests.last);
  if (!after || chain_of(m, nests, model_iter(m, nests.last), CHAIN_LOOPS, local, n)->why)
    return false;
  const char *indent = patch_indent(m->source, place);
  struct text t = { 0 };
  text_printf(&t,
              "%s#pragma autotune chain sizes({8, 16, 32}, {64, 128, 256, 512}) local(",
              indent);
  for (unsigned i = 0; i < n; i++)
    text_printf(&t, "%s%.*s", i ? ", " : "", (int)local[i]->name.size,
                local[i]->name.data);
  text_printf(&t, ") num_threads(%s)\n%s{\n", threads, indent);
  *GROW(plan->list, plan->n) = (struct insertion){ .offset = place, .text = t.data };
  *GROW(plan->list, plan->n) =
      (struct insertion){ .offset = after, .text = arena_printf("%s}\n", indent) };
  plan->threads = true;
  return true;
}

// Proposes it for some of the N nests NESTS. *ALL: these.
static bool chain_try(struct model *m, const TSNode *nests, unsigned n,
                      const char *threads, struct plan *plan, struct body *all) {
  struct array **local = NULL;
  unsigned n_local = 0, first = n, last = 0;
  for (unsigned i = 0; i < m->n_arrays && n > 1; i++)
    if (chain_is_local(m, m->arrays[i], nests, n, &first, &last))
      *GROW(local, n_local) = m->arrays[i];
  if (n_local == 0)
    return false;
  *all = (struct body){ nests[first], nests[last] };
  return chain_put(m, *all, local, n_local, threads, plan);
}

bool chain_propose(struct model *m, TSNode block, const char *threads, struct plan *plan,
                   struct body *all) {
  TSNode *nests = NULL;
  unsigned n = 0;
  for (uint32_t i = 0; i <= ts_node_named_child_count(block) && !m->u.focus; i++) {
    bool end = i == ts_node_named_child_count(block);
    TSNode at = end ? block : ts_node_named_child(block, i);
    if (node_is(at, "comment"))
      continue;
    if (!end && chain_is_nest(m, at)) {
      *GROW(nests, n) = at;
      continue;
    }
    if (chain_try(m, nests, n, threads, plan, all))
      return true;
    n = 0;
  }
  return false;
}
