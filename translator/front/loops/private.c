// SPDX-License-Identifier: Apache-2.0
// private.c: variables of loops within the body of a nest that threads share out,
// declared outside of it as old C has it: `int i, j, k;`. OpenMP would have the threads
// share them, which is never meant. Each gets its own where nothing but such loops uses
// the variable, there and behind the nest.
#include "loops.h"

// The variable that the loop LOOP assigns first; size 0: it declares one, or is none.
static struct slice private_assigned(const struct builder *b, TSNode loop) {
  TSNode init = node_field(loop, "initializer");
  if (!node_is_type(loop, "for_statement") ||
      !node_is_type(init, "assignment_expression") ||
      !slice_is(node_text(b, node_field(init, "operator")), "=") ||
      !node_is_type(node_field(init, "left"), "identifier"))
    return (struct slice){ 0 };
  return node_text(b, node_field(init, "left"));
}

// True when NAME is used in NODE, from offset FROM on, outside of loops that begin by
// assigning it.
static bool used_otherwise(const struct builder *b, TSNode node, struct slice name,
                           size_t from) {
  if (ts_node_end_byte(node) <= from || slices_same(private_assigned(b, node), name))
    return false;
  if (node_is_type(node, "identifier") && slices_same(node_text(b, node), name))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
    if (used_otherwise(b, ts_node_named_child(node, i), name, from))
      return true;
  return false;
}

static void private_collect(const struct builder *b, TSNode node, struct slice **names,
                            unsigned *n) {
  struct slice name = private_assigned(b, node);
  bool known = name.size == 0;
  for (unsigned i = 0; i < *n; i++)
    known = known || slices_same((*names)[i], name);
  if (!known)
    *GROW(*names, *n) = name;
  for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
    private_collect(b, ts_node_named_child(node, i), names, n);
}

// Nothing uses NAME but loops that assign it first, in BODY and behind ROOT.
static bool private_is_own(const struct builder *b, TSNode root, TSNode body,
                           struct slice name) {
  return !used_otherwise(b, body, name, 0) &&
      !used_otherwise(b, b->f->node, name, ts_node_end_byte(root));
}

bool private_is(const struct builder *b, TSNode root, TSNode body, struct slice name) {
  struct slice *all = NULL;
  unsigned n = 0, i = 0;
  private_collect(b, body, &all, &n);
  while (i < n && !slices_same(all[i], name))
    i++;
  return i < n && private_is_own(b, root, body, name);
}

struct slice *private_variables(const struct builder *b, const struct nest *nest,
                                TSNode body, unsigned *n) {
  struct slice *all = NULL, *own = NULL;
  unsigned n_all = 0;
  *n = 0;
  private_collect(b, body, &all, &n_all);
  for (unsigned i = 0; i < n_all; i++)
    if (private_is_own(b, nest->root, body, all[i]))
      *GROW(own, *n) = all[i];
  return own;
}
