// SPDX-License-Identifier: Apache-2.0
// read.c: reads expressions of the source as polynomials, and splits subscripts. The
// caller gives the meaning of names.
#include "analysis.h"
#include "front/kernel/kernel.h"

enum { MAX_DEPTH = 64 };

static bool has_negative(struct poly p) {
  for (unsigned i = 0; i < p.n; i++)
    if (p.terms[i].c < 0)
      return true;
  return false;
}

static struct poly read_binary(const struct reading *r, TSNode e, char op,
                               unsigned depth) {
  struct poly left = poly_read(r, node_field(e, "left"), depth);
  struct poly right = poly_read(r, node_field(e, "right"), depth);
  if ((op == '-' || has_negative(left) || has_negative(right)) && r->wraps &&
      r->wraps(r, e))
    return poly_unknown;
  return op == '*' ? poly_mul(left, right) : poly_add(left, right, op == '-' ? -1 : 1);
}

struct poly poly_read(const struct reading *r, TSNode e, unsigned depth) {
  long long number;
  if (ts_node_is_null(e) || depth++ > MAX_DEPTH)
    return poly_unknown;
  struct slice op = node_is(e, "binary_expression") || node_is(e, "unary_expression")
      ? source_slice(r->s, node_field(e, "operator"))
      : (struct slice){ 0 };
  if (node_is(e, "number_literal") && read_integer(source_slice(r->s, e), &number))
    return poly_int(number);
  if (node_is(e, "parenthesized_expression") && ts_node_named_child_count(e) == 1)
    return poly_read(r, ts_node_named_child(e, 0), depth);
  if (node_is(e, "binary_expression") &&
      (slice_is(op, "+") || slice_is(op, "-") || slice_is(op, "*")))
    return read_binary(r, e, *op.data, depth);
  if (node_is(e, "unary_expression") && slice_is(op, "-"))
    return r->wraps && r->wraps(r, e)
        ? poly_unknown
        : poly_add(poly_int(0), poly_read(r, node_field(e, "argument"), depth), -1);
  return r->leaf(r, e, depth);
}

TSNode subscripts_read(TSNode e, TSNode *index, unsigned max, unsigned *n) {
  for (*n = 0; node_is(e, "subscript_expression"); e = node_field(e, "argument")) {
    if (*n < max)
      index[*n] = node_field(e, "index");
    ++*n;
  }
  return e;
}
