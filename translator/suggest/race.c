// SPDX-License-Identifier: Apache-2.0
// race.c: finds what the threads of the author's parallel loop may race for. The author's
// schedule may be what keeps them apart: other ones are not tried then.
#include "suggest.h"

struct race {
  const struct model *m;
  TSNode loop;
  struct slice line;    // the author's directive
  struct slice counter; // the loop's variable, if it is declared before the loop
};

// True if a clause of LINE gives each thread its own NAME, or sums it up.
static bool race_is_private(struct slice line, struct slice name) {
  static const char *const clauses[] = { "private",   "firstprivate", "lastprivate",
                                         "reduction", "linear",       NULL };
  struct lexer l = lexer_of(line);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    struct lexer list = l;
    if (!slice_in(t.text, clauses) || !slice_is(lex(&list).text, "("))
      continue;
    const char *from = l.p, *end = skip_brackets(&l);
    if (lex_mentions((struct slice){ from, (size_t)(end - from) }, name))
      return true;
  }
  return false;
}

// True if NAME is declared in R's loop, or in a block around it.
static bool race_is_own(const struct race *r, struct slice name) {
  TSNode body = node_field(r->m->u.f->node, "body");
  for (TSNode n = r->loop; !ts_node_is_null(n) && !ts_node_eq(n, body);
       n = ts_node_parent(n))
    if ((ts_node_eq(n, r->loop) || node_is(n, "compound_statement")) &&
        usage_declares(&r->m->u, n, name))
      return true;
  return false;
}

// True if a number is read from memory in N.
static bool race_reads(TSNode n) {
  if (node_is(n, "subscript_expression") || node_is(n, "pointer_expression") ||
      node_is(n, "call_expression"))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (race_reads(ts_node_named_child(n, i)))
      return true;
  return false;
}

// True if several threads may write TARGET: a variable that they share, or an element
// whose subscript is read from memory.
static bool race_shares(const struct race *r, TSNode target) {
  while (node_is(target, "parenthesized_expression"))
    target = ts_node_named_child(target, 0);
  if (node_is(target, "identifier")) {
    struct slice name = model_text(r->m, target);
    return !race_is_own(r, name) && !race_is_private(r->line, name) &&
        !slices_same(name, r->counter);
  }
  if (!node_is(target, "subscript_expression"))
    return false;
  return race_reads(node_field(target, "index")) ||
      (node_is(node_field(target, "argument"), "subscript_expression") &&
       race_shares(r, node_field(target, "argument")));
}

// True if the threads take turns at N: a directive is directly before it.
static bool race_waits(const struct race *r, TSNode n) {
  size_t first;
  return (openmp_above(r->m->source, model_offset(r->m, n, NULL), &first) &
          OPENMP_OTHER) != 0;
}

// True if threads may race for what N, a part of R's loop, writes.
static bool race_in(const struct race *r, TSNode n) {
  TSNode target = node_is(n, "assignment_expression") ? node_field(n, "left")
      : node_is(n, "update_expression")               ? node_field(n, "argument")
                                                      : (TSNode){ 0 };
  if (race_waits(r, n))
    return false;
  if (!ts_node_is_null(target) && race_shares(r, target))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (race_in(r, ts_node_named_child(n, i)))
      return true;
  return false;
}

bool race_may(const struct model *m, TSNode loop, struct slice line) {
  TSNode init = node_field(loop, "initializer");
  struct race r = { .m = m, .loop = loop, .line = line };
  if (node_is(init, "assignment_expression"))
    r.counter = model_text(m, node_field(init, "left"));
  return race_in(&r, node_field(loop, "body"));
}
