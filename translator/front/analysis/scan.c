// SPDX-License-Identifier: Apache-2.0
// scan.c: walks once over a function. A construct that the walk does not know makes the
// whole function unknown.
#include <string.h>

#include "analysis.h"
#include "front/kernel/kernel.h"
#include "front/reach/unit.h"

struct place {
  struct iter *loop;
  bool conditional;
};
enum { READ = 1, WRITE = 2 };

static void scan_visit(struct model *m, TSNode n, struct place p, unsigned access);

struct slice model_text(const struct model *m, TSNode node) {
  return source_slice(m->u.s, node);
}

void model_refuse(struct model *m, TSNode at, const char *why) {
  *GROW(m->refusals, m->n_refusals) = (struct note){ at, why };
}

struct iter *model_iter(const struct model *m, TSNode loop) {
  for (unsigned i = 0; i < m->n_iters; i++)
    if (ts_node_eq(m->iters[i]->node, loop))
      return m->iters[i];
  return NULL;
}

void model_facts(const struct model *m, const struct iter *loop, struct system *s) {
  for (unsigned i = 0; i < m->n_atoms; i++)
    if (m->is_natural[i])
      system_add(s, poly_add(poly_atom(i), poly_int(m->is_positive[i]), -1), false);
  for (unsigned i = 0; i < m->n_assumed; i++)
    system_add(s, m->assumed[i], false);
  for (; loop; loop = loop->outer) {
    system_add(s, poly_add(poly_atom(loop->atom), loop->from, -1), false);
    system_add(s, loop->left, false);
  }
}

// ---- accesses ----------------------------------------------------------------------

static void add_access(struct model *m, TSNode n, struct array *a, struct place p,
                       unsigned access, struct access x) {
  x.array = a;
  x.node = n;
  x.loop = p.loop;
  x.conditional = p.conditional;
  x.first = x.index[0];
  x.read = access & READ;
  x.write = access & WRITE;
  a->read |= x.read;
  a->written |= x.write;
  for (unsigned i = 0; i < x.n; i++)
    if (!x.index[i].known)
      x.why = "a subscript is not affine in loops and arguments";
  *GROW(m->accesses, m->n_accesses) = x;
}

// Reads A[…][…]; N is the outermost subscript.
static void visit_subscript(struct model *m, TSNode n, struct place p, unsigned access) {
  TSNode index[MAX_SUBSCRIPTS];
  struct access x = { 0 };
  TSNode base = subscripts_read(n, index, MAX_SUBSCRIPTS, &x.n);
  for (unsigned i = 0; i < x.n && i < MAX_SUBSCRIPTS; i++)
    scan_visit(m, index[i], p, READ);
  if (x.n > MAX_SUBSCRIPTS) {
    model_refuse(m, n, "there are too many subscripts here");
    return;
  }
  struct array *member = member_array(m, base), *row = NULL;
  if (node_is(base, "identifier") && x.n == 1 && !array_find(m, model_text(m, base)) &&
      (row = alias_array(m, base, p.loop, x.index)) != NULL) {
    x.n = row->rank;
    x.index[x.n - 1] = value_of_expression(m, index[0], p.loop);
    add_access(m, n, row, p, access, x);
    return;
  }
  if (!member && !node_is(base, "identifier")) {
    model_refuse(m, base, "this is not the name of an array");
    return;
  }
  struct slice name = model_text(m, base);
  struct array *a = member ? member : array_find(m, name);
  if (!a && kernel_arg(m->k, name) < 0 &&
      !usage_declares(&m->u, node_field(m->u.f->node, "body"), name))
    a = array_find_global(m, name);
  if (!a || (a->local && !node_within(base, a->home))) {
    model_refuse(m, base, "it is not known what this points to");
    return;
  }
  for (unsigned i = 0; i < x.n; i++)
    x.index[i] = value_of_expression(m, index[x.n - 1 - i], p.loop);
  if (a->rank != x.n)
    array_refuse(a, n, "it has more or fewer subscripts here than in its declaration");
  add_access(m, n, a, p, access, x);
}

// ---- variables ----------------------------------------------------------------------

static void visit_name(struct model *m, TSNode n, unsigned access, char op) {
  struct slice name = model_text(m, n);
  struct array *a = array_find(m, name);
  if (a) {
    if (access & WRITE) { // what is read through it depends on the iteration, too
      array_refuse(a, n, "it is changed itself");
      model_refuse(m, n, "it is changed itself");
    } else
      a->handed = n;
    return;
  }
  if (!(access & WRITE))
    return;
  if (kernel_arg(m->k, name) < 0 &&
      !usage_declares(&m->u, node_field(m->u.f->node, "body"), name))
    model_refuse(m, n, "a variable of the file is assigned here");
  *GROW(m->scalars, m->n_scalars) = (struct scalar){ name, n, op };
}

// Visits the subscripts of VALUE, which a variable that points to a row is set to.
static void visit_row(struct model *m, TSNode value, struct place p) {
  for (; node_is(value, "subscript_expression"); value = node_field(value, "argument"))
    scan_visit(m, node_field(value, "index"), p, READ);
}

static void visit_assignment(struct model *m, TSNode n, struct place p) {
  TSNode left = node_field(n, "left"), right = node_field(n, "right");
  TSNode row = node_is(left, "identifier") ? alias_value(m, model_text(m, left))
                                           : (TSNode){ 0 };
  if (!ts_node_is_null(row) && ts_node_eq(row, right)) {
    visit_name(m, left, WRITE, '=');
    visit_row(m, right, p);
    return;
  }
  TSNode added;
  char sum = node_is(left, "identifier") ? 0 : sum_of_element(m, n, &added);
  bool plain = slice_is(model_text(m, node_field(n, "operator")), "=") && !sum;
  if (node_is(left, "identifier"))
    visit_name(m, left, WRITE, sum_of_variable(m, n));
  else
    scan_visit(m, left, p, plain ? WRITE : READ | WRITE);
  struct access *last = m->n_accesses ? &m->accesses[m->n_accesses - 1] : NULL;
  if (last && ts_node_eq(last->node, left)) {
    last->sum = sum;
    if (sum && !ts_node_eq(added, right)) {
      TSNode first = node_field(right, "left");
      last->again = ts_node_eq(added, first) ? node_field(right, "right") : first;
    }
  }
  scan_visit(m, sum ? added : right, p, READ);
}

static void visit_update(struct model *m, TSNode n, struct place p) {
  TSNode target = node_field(n, "argument");
  bool up = slice_is(model_text(m, node_field(n, "operator")), "++");
  bool statement = node_is(ts_node_parent(n), "expression_statement");
  if (node_is(target, "identifier"))
    visit_name(m, target, WRITE, !statement ? '=' : up ? '+' : '-');
  else
    scan_visit(m, target, p, READ | WRITE);
}

static void visit_declaration(struct model *m, TSNode n, struct place p) {
  if (usage_keeps(m->u.s, n))
    model_refuse(m, n, "this outlives the call");
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++) {
    TSNode d = ts_node_named_child(n, i), value = { 0 };
    struct array a = { .arg = -1, .local = true, .home = ts_node_parent(n) };
    if (node_is(d, "init_declarator")) {
      value = node_field(d, "value");
      d = node_field(d, "declarator");
    }
    TSNode name = node_is(d, "pointer_declarator") ? declarator_inner(d) : (TSNode){ 0 };
    TSNode row = node_is(name, "identifier") ? alias_value(m, model_text(m, name))
                                             : (TSNode){ 0 };
    if (!ts_node_is_null(row)) {
      if (!ts_node_is_null(value))
        visit_row(m, value, p);
      continue;
    }
    if (node_is(d, "pointer_declarator") || node_is(d, "function_declarator"))
      model_refuse(m, d, "what this points to is not followed");
    else if (node_is(d, "array_declarator") && array_read(m, d, &a))
      array_add(m, a);
    if (!ts_node_is_null(value))
      scan_visit(m, value, p, READ);
  }
}

// ---- expressions --------------------------------------------------------------------

bool model_is_pure(struct slice name) {
  static const char *const names[] = {
    "sqrt",  "fabs",  "exp",  "exp2",     "expm1", "log",  "log2",  "log10",
    "log1p", "pow",   "sin",  "cos",      "tan",   "asin", "acos",  "atan",
    "atan2", "sinh",  "cosh", "tanh",     "floor", "ceil", "fmin",  "fmax",
    "fma",   "hypot", "cbrt", "copysign", "abs",   "labs", "trunc", "round"
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t n = strlen(names[i]);
    if (name.size >= n && memcmp(name.data, names[i], n) == 0 &&
        (name.size == n ||
         (name.size == n + 1 && (name.data[n] == 'f' || name.data[n] == 'l'))))
      return true;
  }
  return false;
}

static void visit_children(struct model *m, TSNode n, struct place p) {
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    scan_visit(m, ts_node_named_child(n, i), p, READ);
}

// True if the source itself says what NAME, of math.h, stands for.
static bool scan_redefines(const struct model *m, struct slice name) {
  const struct name *n = NULL;
  const struct item *i;
  while (m->x && (i = items_named(&m->x->items, NAME_ORDINARY, name, &n)) != NULL)
    if (i->body && i->end)
      return true;
  return usage_declares(&m->u, m->u.f->node, name);
}

static void visit_call(struct model *m, TSNode n, struct place p) {
  TSNode f = node_field(n, "function");
  if (!node_is(f, "identifier") || !model_is_pure(model_text(m, f)) ||
      scan_redefines(m, model_text(m, f)))
    model_refuse(m, n, "it is not known what this call does");
  visit_children(m, node_field(n, "arguments"), p);
}

// Reads *A as A[0]. &x is not followed.
static void visit_pointer(struct model *m, TSNode n, struct place p, unsigned access) {
  TSNode target = node_field(n, "argument");
  struct array *a = node_is(target, "identifier") ? array_find(m, model_text(m, target))
                                                  : NULL;
  if (slice_is(model_text(m, node_field(n, "operator")), "&") || !a || a->rank != 1)
    model_refuse(m, n, "what this points to is not followed");
  else
    add_access(m, n, a, p, access, (struct access){ .index = { poly_int(0) }, .n = 1 });
}

static void visit_field(struct model *m, TSNode n, struct place p, unsigned access) {
  struct ctype type;
  struct slice path;
  if (!(access & WRITE) && member_read(m, n, &type, &path) && type.n == 0 &&
      type.base == BASE_NUMBER)
    return;
  if (slice_is(model_text(m, node_field(n, "operator")),
               ".")) // the other fields keep their values
    scan_visit(m, node_field(n, "argument"), p, access & WRITE ? READ | WRITE : access);
  else
    model_refuse(m, n, "what this points to is not followed");
}

// ---- statements ---------------------------------------------------------------------

static void visit_for(struct model *m, TSNode n, struct place p) {
  struct iter *i = arena_alloc(sizeof *i);
  const char *why = NULL;
  TSNode at, init = node_field(n, "initializer");
  *i = (struct iter){ .outer = p.loop, .node = n, .conditional = p.conditional };
  bool fine = dim_parse(&m->u, n, &i->dim, &why, &at);
  if (node_is(init, "declaration"))
    visit_declaration(m, init, p);
  else if (fine)
    scan_visit(m, node_field(init, "right"), p, READ);
  else if (!ts_node_is_null(init))
    scan_visit(m, init, p, READ);
  struct place inside = { p.loop, true };
  if (fine && !(why = value_range(m, i))) {
    *GROW(m->iters, m->n_iters) = i;
    inside = (struct place){ i, p.conditional };
  } else {
    *GROW(m->unranged, m->n_unranged) = (struct note){ n, why };
    if (!ts_node_is_null(node_field(n, "update")))
      scan_visit(m, node_field(n, "update"), inside, READ);
  }
  if (!ts_node_is_null(node_field(n, "condition")))
    scan_visit(m, node_field(n, "condition"), p, READ);
  scan_visit(m, node_field(n, "body"), inside, READ);
}

// True if N, a part of its parent, may be skipped. The condition of a `do` may be, by
// `break`.
static bool scan_may_skip(TSNode parent, TSNode n) {
  static const char *const types[] = { "if_statement",
                                       "while_statement",
                                       "switch_statement",
                                       "conditional_expression",
                                       "do_statement",
                                       "case_statement",
                                       NULL };
  return node_is_any(parent, types) &&
      (node_is(parent, "do_statement") ||
       !ts_node_eq(n, node_field(parent, "condition")));
}

static bool is_short_cut(const struct model *m, TSNode n) {
  struct slice op = node_is(n, "binary_expression")
      ? model_text(m, node_field(n, "operator"))
      : (struct slice){ 0 };
  return slice_is(op, "&&") || slice_is(op, "||");
}

// True if N is the last statement of the function.
static bool is_last(const struct model *m, TSNode n) {
  TSNode body = node_field(m->u.f->node, "body");
  uint32_t count = ts_node_is_null(body) ? 0 : ts_node_named_child_count(body);
  while (count > 0 && node_is(ts_node_named_child(body, count - 1), "comment"))
    count--;
  return count > 0 && ts_node_eq(ts_node_named_child(body, count - 1), n);
}

// True for a jump, and for a place that one may lead to.
static bool is_jump(const struct model *m, TSNode n) {
  static const char *const types[] = { "break_statement", "return_statement",
                                       "goto_statement",  "continue_statement",
                                       "case_statement",  NULL };
  return node_is_any(n, types) && !is_last(m, n);
}

// True if N runs its parts in order.
static bool scan_is_plain(TSNode n) {
  static const char *const types[] = { "compound_statement",
                                       "expression_statement",
                                       "else_clause",
                                       "parenthesized_expression",
                                       "binary_expression",
                                       "unary_expression",
                                       "cast_expression",
                                       "comma_expression",
                                       "initializer_list",
                                       "argument_list",
                                       "break_statement",
                                       "return_statement",
                                       "goto_statement",
                                       "continue_statement",
                                       "labeled_statement",
                                       "if_statement",
                                       "while_statement",
                                       "switch_statement",
                                       "conditional_expression",
                                       "do_statement",
                                       "case_statement",
                                       NULL };
  return node_is_any(n, types);
}

// True if N is a `#line`.
static bool scan_is_line(const struct model *m, TSNode n) {
  return node_is(n, "preproc_call") &&
      slice_is(slice_trim(model_text(m, node_field(n, "directive"))), "#line");
}

static bool is_nothing(TSNode n) {
  static const char *const types[] = { "comment",
                                       "number_literal",
                                       "char_literal",
                                       "string_literal",
                                       "sizeof_expression",
                                       "type_descriptor",
                                       "statement_identifier",
                                       "field_identifier",
                                       "true",
                                       "false",
                                       "null",
                                       NULL };
  return node_is_any(n, types);
}

static void scan_visit(struct model *m, TSNode n, struct place p, unsigned access) {
  if (is_nothing(n) || scan_is_line(m, n))
    return;
  m->jumps |= is_jump(m, n);
  if (node_is(n, "identifier"))
    visit_name(m, n, access, '=');
  else if (node_is(n, "subscript_expression"))
    visit_subscript(m, n, p, access);
  else if (node_is(n, "assignment_expression"))
    visit_assignment(m, n, p);
  else if (node_is(n, "update_expression"))
    visit_update(m, n, p);
  else if (node_is(n, "declaration"))
    visit_declaration(m, n, p);
  else if (node_is(n, "call_expression"))
    visit_call(m, n, p);
  else if (node_is(n, "pointer_expression"))
    visit_pointer(m, n, p, access);
  else if (node_is(n, "field_expression"))
    visit_field(m, n, p, access);
  else if (node_is(n, "for_statement"))
    visit_for(m, n, p);
  else if (node_is(n, "parenthesized_expression") && ts_node_named_child_count(n) == 1)
    scan_visit(m, ts_node_named_child(n, 0), p, access);
  else if (scan_is_plain(n) && !(access & WRITE)) {
    for (uint32_t i = 0; i < ts_node_named_child_count(n); i++) {
      struct place inner = p;
      TSNode part = ts_node_named_child(n, i);
      inner.conditional |= scan_may_skip(n, part) || (is_short_cut(m, n) && i > 0);
      scan_visit(m, part, inner, READ);
    }
  } else
    model_refuse(m, n, "this is not understood");
}

size_t model_offset(const struct model *m, TSNode node, bool *written) {
  bool ignored;
  size_t at = ts_node_start_byte(node);
  if (m->view)
    return view_offset(m->view, at, written ? written : &ignored);
  if (written)
    *written = true;
  return at;
}

static bool is_special(struct slice text) {
  static const char *const words[] = { "volatile", "_Atomic", "_Thread_local",
                                       "__thread" };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (lex_mentions(text, slice_of(words[i])))
      return true;
  return false;
}

struct model *scan_function(const struct source *s, struct kernel *k, struct function *f,
                            const struct expansion *x) {
  struct model *m = arena_alloc(sizeof *m);
  m->source = s;
  m->x = x;
  m->k = k;
  m->function = f;
  m->view = x ? view_of(s, x, k, f) : NULL;
  const struct source *seen = m->view ? m->view->source : s;
  const struct function *function = m->view ? &m->view->function : f;
  TSNode root = m->view ? ts_tree_root_node(seen->tree) : f->node;
  m->u = usage_of(seen, function, root);
  m->calls = node_holds(root, "call_expression");
  TSNode node = m->u.f->node, body = node_field(node, "body");
  if (x && !m->view)
    model_refuse(m, node, "its macros are not followed");
  if (ts_node_has_error(node))
    model_refuse(m, node, "it could not be parsed");
  if (is_special((struct slice){ m->u.s->text, m->view ? m->u.s->size : 0 }))
    model_refuse(m, node, "it uses something volatile, atomic or of one thread");
  array_read_arguments(m, node);
  if (m->n_refusals == 0 && !ts_node_is_null(body))
    scan_visit(m, body, (struct place){ 0 }, READ);
  for (unsigned i = 0; i < m->n_accesses; i++)
    m->accesses[i].conditional |= m->jumps;
  split_arrays(m);
  return m;
}
