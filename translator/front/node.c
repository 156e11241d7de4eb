// SPDX-License-Identifier: Apache-2.0
// node.c: predicates and searches on nodes of Tree-sitter's trees.
#include <string.h>

#include "front.h"

bool node_is(TSNode node, const char *type) {
  return !ts_node_is_null(node) && strcmp(ts_node_type(node), type) == 0;
}

bool node_is_any(TSNode node, const char *const *types) {
  while (*types && !node_is(node, *types))
    types++;
  return *types;
}

TSNode node_field(TSNode node, const char *field) {
  return ts_node_child_by_field_name(node, field, (uint32_t)strlen(field));
}

TSNode node_child(TSNode node, const char *type) {
  for (uint32_t i = 0; i < ts_node_child_count(node); i++)
    if (node_is(ts_node_child(node, i), type))
      return ts_node_child(node, i);
  return (TSNode){ 0 };
}

bool node_within(TSNode node, TSNode outer) {
  return ts_node_start_byte(node) >= ts_node_start_byte(outer) &&
      ts_node_end_byte(node) <= ts_node_end_byte(outer);
}

bool node_is_loop(TSNode node) {
  return node_is(node, "for_statement") || node_is(node, "while_statement") ||
      node_is(node, "do_statement") || node_is(node, "for_range_loop");
}

TSNode node_for_at(TSNode root, size_t at) {
  TSNode n = ts_node_descendant_for_byte_range(root, (uint32_t)at, (uint32_t)at);
  while (!ts_node_is_null(n) && ts_node_start_byte(n) == at &&
         !node_is(n, "for_statement"))
    n = ts_node_parent(n);
  bool whole = node_is(n, "for_statement") && ts_node_start_byte(n) == at &&
      !ts_node_has_error(n);
  return whole ? n : (TSNode){ 0 };
}

bool node_holds(TSNode node, const char *type) {
  if (node_is(node, type))
    return true;
  for (uint32_t i = 0; !ts_node_is_null(node) && i < ts_node_named_child_count(node); i++)
    if (node_holds(ts_node_named_child(node, i), type))
      return true;
  return false;
}

bool node_holds_loop(TSNode node) {
  static const char *const loops[] = { "for_statement", "while_statement", "do_statement",
                                       "for_range_loop" };
  bool holds = false;
  for (size_t i = 0; i < sizeof loops / sizeof *loops && !holds; i++)
    holds = node_holds(node, loops[i]);
  return holds;
}

bool node_mentions(const struct source *s, TSNode node, struct slice name) {
  if (node_is(node, "identifier") && slices_same(source_slice(s, node), name))
    return true;
  for (uint32_t i = 0; !ts_node_is_null(node) && i < ts_node_named_child_count(node); i++)
    if (node_mentions(s, ts_node_named_child(node, i), name))
      return true;
  return false;
}

bool cursor_next(TSTreeCursor *cursor, bool descend) {
  if (descend && ts_tree_cursor_goto_first_child(cursor))
    return true;
  do {
    if (ts_tree_cursor_goto_next_sibling(cursor))
      return true;
  } while (ts_tree_cursor_goto_parent(cursor));
  return false;
}
