// SPDX-License-Identifier: Apache-2.0
// code.c: text in C for what isl computes. isl writes loops; a statement of theirs
// becomes a block in which the source's own loop variables have their values, around the
// source's own text.
#include <stdlib.h>
#include <string.h>

#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/printer.h>
#include <isl/val.h>

#include "scop.h"

const char code_prologue[] =
    "#ifndef AUTOTUNE_FLOOR\n"
    "#define AUTOTUNE_FLOOR(n, d) ((n) < 0 ? -((-(n) + (d) - 1) / (d)) : (n) / (d))\n"
    "#define AUTOTUNE_LESS(a, b) ((a) < (b) ? (a) : (b))\n"
    "#define AUTOTUNE_MORE(a, b) ((a) > (b) ? (a) : (b))\n"
    "#endif\n";

struct code {
  const struct scop *s;
  bool vector, sum;
  const char *last; /* the variable of the loop that is the last coordinate */
  bool failed;
};

// ---- polynomials --------------------------------------------------------------------

const char *code_poly(const struct scop *s, const struct statement *st, struct poly p,
                      const char *const *loops) {
  struct text t = { 0 };
  text_printf(&t, "0");
  for (unsigned i = 0; i < p.n; i++) {
    monomial m = p.terms[i].m;
    unsigned at = 0, symbol = 0;
    text_printf(&t, " + (%lldLL)", (long long)p.terms[i].c);
    while (at < st->n && st->chain[at]->atom + 1 != m)
      at++;
    while (symbol < s->n_symbols && s->symbols[symbol] != m)
      symbol++;
    if (at < st->n)
      text_printf(&t, " * (%s)", loops[at]);
    else if (symbol < s->n_symbols)
      text_printf(&t, " * %s", scop_symbol(symbol));
    for (; m && at == st->n && symbol == s->n_symbols; m >>= 8) {
      struct slice name = s->m->atoms[(m & 255) - 1];
      text_printf(&t, " * (long long)(%.*s)", (int)name.size, name.data);
    }
  }
  return t.data;
}

// ---- loops --------------------------------------------------------------------------

static isl_printer *code_names(isl_printer *p) {
  p = isl_printer_set_output_format(p, ISL_FORMAT_C);
  p = isl_ast_expr_op_type_set_print_name(p, isl_ast_expr_op_fdiv_q, "AUTOTUNE_FLOOR");
  p = isl_ast_expr_op_type_set_print_name(p, isl_ast_expr_op_min, "AUTOTUNE_LESS");
  return isl_ast_expr_op_type_set_print_name(p, isl_ast_expr_op_max, "AUTOTUNE_MORE");
}

// Returns E, which it frees, as text.
static const char *code_expression(isl_ast_expr *e) {
  isl_printer *p = code_names(isl_printer_to_str(isl_ast_expr_get_ctx(e)));
  p = isl_printer_print_ast_expr(p, e);
  char *text = isl_printer_get_str(p);
  const char *copy = text ? arena_copy(text, strlen(text)) : "0";
  free(text);
  isl_printer_free(p);
  isl_ast_expr_free(e);
  return copy;
}

// Appends the variables of ST's loops, whose values are LOOPS, but for the one in place
// BUT.
static void code_variables(const struct scop *s, const struct statement *st,
                           const char *const *loops, unsigned but, struct text *t) {
  for (unsigned i = 0; i < st->n; i++) {
    const struct dim *d = &st->chain[i]->dim;
    if (i == but)
      continue;
    text_printf(t, "const %.*s %.*s = (%.*s)(%s);\n", (int)d->type.size, d->type.data,
                (int)d->var.size, d->var.data, (int)d->type.size, d->type.data,
                code_poly(s, st, st->chain[i]->value, loops));
    text_printf(t, "(void)%.*s;\n", (int)d->var.size, d->var.data);
  }
}

// Appends the variables that each run of ST has for itself.
static void code_own(const struct scop *s, const struct statement *st, struct text *t) {
  for (unsigned i = 0; i < st->n_own; i++) {
    struct slice type = declared_type(s->m, st->own[i]);
    text_printf(t, "%.*s %.*s;\n", (int)type.size, type.data, (int)st->own[i].size,
                st->own[i].data);
  }
}

// Appends ST's text.
static void code_text(const struct scop *s, const struct statement *st, struct text *t) {
  size_t from = ts_node_start_byte(st->body.first);
  code_own(s, st, t);
  for (TSNode n = st->body.first; !ts_node_is_null(n); n = body_next(st->body, n)) {
    size_t end = ts_node_end_byte(n);
    text_add(t, s->m->u.s->text + from, ts_node_start_byte(n) - from);
    forward_text(s, ts_node_start_byte(n), end, n, t);
    from = end;
  }
  text_printf(t, "\n");
}

// Appends ST, with the values LOOPS of its loops.
static void code_statement(const struct scop *s, const struct statement *st,
                           const char *const *loops, struct text *t) {
  text_printf(t, "{\n");
  code_variables(s, st, loops, st->n, t);
  code_text(s, st, t);
  text_printf(t, "}");
}

// Reads a call that isl makes of a statement: the values LOOPS of its loops.
static const struct statement *code_read(const struct code *c, isl_ast_node *node,
                                         const char **loops) {
  isl_ast_expr *call = isl_ast_node_user_get_expr(node);
  const char *name = code_expression(isl_ast_expr_get_op_arg(call, 0));
  unsigned at = (unsigned)strtoul(name + 1, NULL, 10);
  for (int i = 1; i < isl_ast_expr_get_op_n_arg(call) && i <= AFFINE_DEPTH; i++)
    loops[i - 1] = code_expression(isl_ast_expr_get_op_arg(call, i));
  isl_ast_expr_free(call);
  return at < c->s->n ? &c->s->list[at] : NULL;
}

static isl_printer *code_print_user(isl_printer *p, isl_ast_print_options *options,
                                    isl_ast_node *node, void *user) {
  struct code *c = user;
  const char *loops[AFFINE_DEPTH] = { 0 };
  struct text t = { 0 };
  const struct statement *st = code_read(c, node, loops);
  isl_ast_print_options_free(options);
  if (st)
    code_statement(c->s, st, loops, &t);
  else
    c->failed = true;
  p = isl_printer_start_line(p);
  p = isl_printer_print_str(p, t.data);
  return isl_printer_end_line(p);
}

static isl_bool code_find_loop(isl_ast_node *node, void *user) {
  bool *found = user;
  *found = *found || isl_ast_node_get_type(node) == isl_ast_node_for;
  return isl_bool_ok(!*found);
}

// ---- innermost loops ----------------------------------------------------------------

// True if the iterations of the innermost loop NODE do not depend on each other. Where a
// statement has one value of the last coordinate, its innermost loop is one further out,
// of which nothing is known.
static bool code_is_vector(const struct code *c, isl_ast_node *node) {
  return c->vector && isl_ast_node_for_is_degenerate(node) == isl_bool_false &&
      strcmp(code_expression(isl_ast_node_for_get_iterator(node)), c->last) == 0;
}

// An innermost loop around one statement.
struct innermost {
  const struct statement *st;
  const char *loops[AFFINE_DEPTH]; /* the values of its loops */
  const char *iterator;            /* of the loop */
  const char *first, *end;         /* its first value, and the one after its last */
  unsigned own; /* the loop of the source whose variable is ITERATOR plus what does not
                   change; the number of loops: there is none */
  bool vector;  /* its iterations do not depend on each other */
};

// Sets *FACTOR to that of the variable NAME in E. False: E is not linear in it.
static bool code_factor(isl_ast_expr *e, const char *name, long long *factor) {
  *factor = 0;
  if (isl_ast_expr_get_type(e) == isl_ast_expr_id) {
    isl_id *id = isl_ast_expr_get_id(e);
    *factor = strcmp(isl_id_get_name(id), name) == 0;
    isl_id_free(id);
  }
  if (isl_ast_expr_get_type(e) != isl_ast_expr_op)
    return true;
  enum isl_ast_expr_op_type op = isl_ast_expr_get_op_type(e);
  bool linear = true;
  for (int i = 0; i < isl_ast_expr_get_op_n_arg(e); i++) {
    isl_ast_expr *arg = isl_ast_expr_get_op_arg(e, i);
    long long of;
    linear = code_factor(arg, name, &of) && linear &&
        (of == 0 || op == isl_ast_expr_op_add || op == isl_ast_expr_op_sub);
    *factor += op == isl_ast_expr_op_sub && i > 0 ? -of : of;
    isl_ast_expr_free(arg);
  }
  return linear;
}

// Finds the loop of the source whose variable the loop counts.
static void innermost_find_own(isl_ast_node *body, struct innermost *in) {
  isl_ast_expr *call = isl_ast_node_user_get_expr(body);
  unsigned n = in->st->n;
  in->own = n;
  for (unsigned i = 0; i < n; i++) {
    const struct iter *loop = in->st->chain[i];
    isl_ast_expr *value = isl_ast_expr_get_op_arg(call, (int)i + 1);
    long long factor;
    bool linear = code_factor(value, in->iterator, &factor);
    isl_ast_expr_free(value);
    if (linear && factor == 0)
      continue;
    bool plain = linear && factor == 1 && in->own == n &&
        poly_same(loop->value, poly_atom(loop->atom)) &&
        !lex_mentions(loop->dim.type, slice_of("auto"));
    in->own = plain ? i : n + 1;
  }
  in->own = in->own > n ? n : in->own;
  unsigned own = in->own;
  for (unsigned i = 0; i < n && own < n; i++) // one that counts down from that variable
    if (i != own && poly_has(in->st->chain[i]->value, in->st->chain[own]->atom))
      in->own = n;
  isl_ast_expr_free(call);
}

// Reads NODE, whose body is BODY. False: it is no loop around one statement that counts
// up by 1.
static bool innermost_read(const struct code *c, isl_ast_node *node, isl_ast_node *body,
                           struct innermost *in) {
  if (isl_ast_node_get_type(body) != isl_ast_node_user ||
      isl_ast_node_for_is_degenerate(node) != isl_bool_false ||
      strcmp(code_expression(isl_ast_node_for_get_inc(node)), "1") != 0)
    return false;
  isl_ast_expr *condition = isl_ast_node_for_get_cond(node);
  enum isl_ast_expr_op_type op = isl_ast_expr_get_op_type(condition);
  in->st = code_read(c, body, in->loops);
  in->vector = code_is_vector(c, node);
  in->iterator = code_expression(isl_ast_node_for_get_iterator(node));
  in->first = code_expression(isl_ast_node_for_get_init(node));
  in->end = arena_printf("(%s)%s", code_expression(isl_ast_expr_get_op_arg(condition, 1)),
                         op == isl_ast_expr_op_le ? " + 1" : "");
  isl_ast_expr_free(condition);
  if (!in->st || (op != isl_ast_expr_op_le && op != isl_ast_expr_op_lt))
    return false;
  innermost_find_own(body, in);
  return true;
}

// True if all iterations add to one element.
static bool innermost_is_sum(const struct innermost *in) {
  const struct access *x = in->st->sum;
  for (unsigned i = 0; x && i < in->st->n; i++) {
    bool used = false;
    for (unsigned j = 0; j < x->n; j++)
      used = used || poly_has(x->index[j], in->st->chain[i]->atom);
    if (used && lex_mentions(slice_of(in->loops[i]), slice_of(in->iterator)))
      return false;
  }
  return x != NULL;
}

// Writes the loop. Its variable is one of the source's where that is possible: compilers
// know more of `int j` in a[i * n + j] than of a longer number that is converted to it.
// SUM: a variable stands for the element, of which compilers do not know that nothing
// else is it; the order of the additions stays.
static const char *innermost_write(const struct code *c, const struct innermost *in,
                                   bool sum) {
  const struct scop *s = c->s;
  const struct statement *st = in->st;
  const char *const *loops = in->loops;
  bool direct = in->own < st->n;
  struct slice var = direct ? st->chain[in->own]->dim.var : slice_of(in->iterator),
               type = direct ? st->chain[in->own]->dim.type : slice_of("long long");
  struct text t = { 0 }, all = { 0 };
  text_printf(&t, "{\nconst long long autotune_first = %s, autotune_after = %s;\n",
              in->first, in->end);
  text_printf(&t,
              "if (autotune_first < autotune_after) {\nlong long autotune_moved = 0;\n");
  if (direct) // what the source's variable is for an iterator of 0
    text_printf(&t, "{\nconst long long %s = 0;\n(void)%s;\nautotune_moved = %s;\n}\n",
                in->iterator, in->iterator, loops[in->own]);
  code_variables(s, st, loops, direct ? in->own : st->n, direct ? &t : &all);
  if (sum) {
    TSNode x = st->sum->node;
    const struct forward *f = forward_at(s, x);
    struct text e = { 0 };
    forward_write(s, f ? f->element : st->sum, &e);
    if (!direct) { // the element does not depend on the iterator
      text_printf(&t, "const long long %s = 0;\n(void)%s;\n", in->iterator, in->iterator);
      code_variables(s, st, loops, st->n, &t);
    }
    text_printf(&t,
                "__typeof__(%s) *const autotune_element = &(%s);\n"
                "__typeof__(*autotune_element) autotune_sum = *autotune_element;\n",
                e.data, e.data);
  }
  text_printf(&t, !sum && in->vector ? "#pragma omp simd\n" : "");
  text_printf(&t,
              "for (%.*s %.*s = (%.*s)(autotune_first + autotune_moved); "
              "%.*s < (%.*s)(autotune_after + autotune_moved); %.*s++) {\n%s",
              (int)type.size, type.data, (int)var.size, var.data, (int)type.size,
              type.data, (int)var.size, var.data, (int)type.size, type.data,
              (int)var.size, var.data, all.size ? all.data : "");
  if (sum) {
    TSNode adds = ts_node_parent(st->sum->node);
    text_printf(&t, "autotune_sum");
    forward_text(s, ts_node_end_byte(st->sum->node), ts_node_end_byte(adds), adds, &t);
    text_printf(&t, ";\n}\n*autotune_element = autotune_sum;\n");
  } else {
    code_text(s, st, &t);
    text_printf(&t, "}\n");
  }
  text_printf(&t, "}\n}");
  return t.data;
}

static isl_printer *code_print_for(isl_printer *p, isl_ast_print_options *options,
                                   isl_ast_node *node, void *user) {
  const struct code *c = user;
  struct innermost in = { 0 };
  isl_ast_node *body = isl_ast_node_for_get_body(node);
  bool outer = false;
  isl_ast_node_foreach_descendant_top_down(body, code_find_loop, &outer);
  bool read = !outer && innermost_read(c, node, body, &in),
       sum = read && c->sum && innermost_is_sum(&in);
  isl_ast_node_free(body);
  if (read && (sum || in.own < in.st->n)) {
    isl_ast_print_options_free(options);
    p = isl_printer_start_line(p);
    p = isl_printer_print_str(p, innermost_write(c, &in, sum));
    return isl_printer_end_line(p);
  }
  if (!outer && code_is_vector(c, node)) {
    p = isl_printer_start_line(p);
    p = isl_printer_print_str(p, "#pragma omp simd");
    p = isl_printer_end_line(p);
  }
  return isl_ast_node_for_print(node, p, options);
}

const char *code_iterator(unsigned i) {
  return arena_printf("autotune_at%u", i);
}

// Returns isl's list of the names of COUNT loops.
static isl_id_list *code_iterators(isl_ctx *ctx, unsigned count) {
  isl_id_list *list = isl_id_list_alloc(ctx, (int)count);
  for (unsigned i = 0; i < count; i++)
    list = isl_id_list_add(list, isl_id_alloc(ctx, code_iterator(i), NULL));
  return list;
}

// Keeps isl from conditions in the innermost loop: it makes several loops instead.
static isl_union_map *code_options(isl_ctx *ctx, unsigned count) {
  struct text t = { 0 };
  text_printf(&t, "{ [");
  for (unsigned i = 0; i < count; i++)
    text_printf(&t, "%si%u", i ? "," : "", i);
  text_printf(&t, "] -> separate[%u] }", count - 1);
  return isl_union_map_read_from_str(ctx, t.data);
}

char *code_of(const struct scop *s, isl_union_map *schedule, isl_set *context,
              unsigned count, bool vector, bool sum) {
  struct code c = {
    .s = s, .vector = vector, .sum = sum, .last = code_iterator(count - 1)
  };
  isl_options_set_ast_iterator_type(s->ctx, "long long");
  isl_ast_build *build = isl_ast_build_from_context(context);
  build = isl_ast_build_set_iterators(build, code_iterators(s->ctx, count));
  build = isl_ast_build_set_options(build, code_options(s->ctx, count));
  isl_ast_node *node = isl_ast_build_node_from_schedule_map(build, schedule);
  isl_ast_print_options *options = isl_ast_print_options_alloc(s->ctx);
  options = isl_ast_print_options_set_print_user(options, code_print_user, &c);
  options = isl_ast_print_options_set_print_for(options, code_print_for, &c);
  isl_printer *p = code_names(isl_printer_to_str(s->ctx));
  p = isl_ast_node_print(node, p, options);
  char *text = isl_printer_get_str(p), *copy = NULL;
  if (node && text && !c.failed)
    copy = arena_copy(text, strlen(text));
  free(text);
  isl_printer_free(p);
  isl_ast_node_free(node);
  isl_ast_build_free(build);
  return copy;
}

const char *code_condition(const struct scop *s, isl_set *set) {
  isl_ast_build *build = isl_ast_build_from_context(isl_set_copy(s->facts));
  isl_ast_expr *e = isl_ast_build_expr_from_set(build, set);
  isl_ast_build_free(build);
  return e ? code_expression(e) : NULL;
}

// ---- bounds -------------------------------------------------------------------------

struct bounds {
  unsigned n_low, n_high;
  const char *low, *high;
};

// Returns V, which it frees. If V is no long, isl reports an error, by which affine_of
// refuses the nest.
static long long code_integer(isl_val *v) {
  long long n = isl_val_get_num_si(v);
  isl_val_free(v);
  return n;
}

// Adds to USER the bound that C, a constraint `a * x + rest >= 0` or `== 0`, sets for x.
static isl_stat code_bound(isl_constraint *c, void *user) {
  struct bounds *b = user;
  long long a = code_integer(isl_constraint_get_coefficient_val(c, isl_dim_set, 0));
  int n = isl_constraint_dim(c, isl_dim_param);
  struct text rest = { 0 };
  text_printf(&rest, "%lldLL", code_integer(isl_constraint_get_constant_val(c)));
  for (int i = 0; i < n; i++) {
    long long factor =
        code_integer(isl_constraint_get_coefficient_val(c, isl_dim_param, i));
    if (factor)
      text_printf(&rest, " + (%lldLL) * %s", factor,
                  isl_constraint_get_dim_name(c, isl_dim_param, (unsigned)i));
  }
  bool equal = isl_constraint_is_equality(c) == isl_bool_true;
  isl_constraint_free(c);
  for (int sign = 1; sign >= -1; sign -= 2) {
    bool low = a > 0;
    if (a == 0 || (sign < 0 && !equal))
      break;
    const char *at = low ? arena_printf("-AUTOTUNE_FLOOR((%s), %lldLL)", rest.data, a)
                         : arena_printf("AUTOTUNE_FLOOR((%s), %lldLL)", rest.data, -a);
    const char **to = low ? &b->low : &b->high;
    unsigned *count = low ? &b->n_low : &b->n_high;
    *to = (*count)++ ? arena_printf("AUTOTUNE_%s(%s, %s)", low ? "MORE" : "LESS", *to, at)
                     : at;
    struct text minus = { 0 };
    text_printf(&minus, "-(%s)", rest.data);
    rest = minus;
    a = -a;
  }
  return isl_stat_ok;
}

// Adds the bounds of SET, whose only coordinate is looked at, to those in USER: the
// smallest first value, the largest last one.
static isl_stat code_widen(isl_basic_set *set, void *user) {
  struct bounds *all = user, one = { 0 };
  set = isl_basic_set_remove_redundancies(isl_basic_set_remove_divs(set));
  isl_stat read = isl_basic_set_foreach_constraint(set, code_bound, &one);
  isl_basic_set_free(set);
  if (read != isl_stat_ok || !one.n_low || !one.n_high)
    return isl_stat_error;
  all->low = all->n_low++ ? arena_printf("AUTOTUNE_LESS(%s, %s)", all->low, one.low)
                          : one.low;
  all->high = all->n_high++ ? arena_printf("AUTOTUNE_MORE(%s, %s)", all->high, one.high)
                            : one.high;
  return isl_stat_ok;
}

bool code_bounds(isl_set *points, unsigned at, const char **first, const char **last) {
  unsigned n = (unsigned)isl_set_dim(points, isl_dim_set);
  struct bounds b = { 0 };
  points = isl_set_eliminate(points, isl_dim_set, at + 1, n - at - 1);
  points = isl_set_eliminate(points, isl_dim_set, 0, at);
  points = isl_set_project_out(points, isl_dim_set, at + 1, n - at - 1);
  points = isl_set_coalesce(
      isl_set_remove_divs(isl_set_project_out(points, isl_dim_set, 0, at)));
  isl_basic_set *hull = isl_set_simple_hull(isl_set_copy(points));
  bool good = code_widen(hull, &b) == isl_stat_ok;
  if (!good) { // statements have bounds of their own
    b = (struct bounds){ 0 };
    good = isl_set_foreach_basic_set(points, code_widen, &b) == isl_stat_ok && b.n_low;
  }
  isl_set_free(points);
  *first = b.low;
  *last = b.high;
  return good;
}
