/* SPDX-License-Identifier: Apache-2.0 */
/* model_fixture.h: what the analysis knows of a function that a test has as text. */
#ifndef MODEL_FIXTURE_H
#define MODEL_FIXTURE_H

#include <string.h>

#include "front/analysis/analysis.h"
#include "front/lang/language.h"

/* Returns the model of the last function in TEXT. */
static struct model *model_of(const char *text) {
  struct source *s = source_of("f.c", text, strlen(text));
  struct kernel *k = arena_alloc(sizeof *k);
  source_parse(s, &language_c);
  TSNode root = ts_tree_root_node(s->tree), f = { 0 };
  for (uint32_t i = 0; i < ts_node_named_child_count(root); i++)
    if (node_is(ts_node_named_child(root, i), "function_definition"))
      f = ts_node_named_child(root, i);
  *k = (struct kernel){ .choose = -1 };
  k->main = (struct function){ .node = f,
                               .start = ts_node_start_byte(f),
                               .end = ts_node_end_byte(f),
                               .body_at = ts_node_start_byte(node_field(f, "body")) };
  assert_true(signature_read(s, &k->main, k));
  return scan_function(s, k, &k->main, NULL);
}

#endif
