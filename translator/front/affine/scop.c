// SPDX-License-Identifier: Apache-2.0
// scop.c: the statements of a nest, the loops around each, and its variables.
#include <string.h>

#include "front/lang/language.h"
#include "front/reach/unit.h"
#include "scop.h"

void scop_refuse(struct scop *s, TSNode at, const char *why) {
  if (s->why)
    return;
  s->why = why;
  s->at = at;
}

// ---- statements ---------------------------------------------------------------------

struct walk {
  struct iter *chain[AFFINE_DEPTH];
  unsigned n, at[AFFINE_DEPTH + 1];
};

// Adds the statements in N, and moves W after it.
static void scop_walk(struct scop *s, struct walk *w, TSNode n);

// Adds the statements from FIRST to LAST.
static void scop_add(struct scop *s, struct walk *w, TSNode first, TSNode last) {
  if (s->n == SCOP_STATEMENTS) {
    scop_refuse(s, first, "there are too many statements");
    return;
  }
  struct statement *st = &s->list[s->n++];
  st->body = (struct body){ first, last };
  st->n = w->n;
  for (unsigned i = 0; i < w->n; i++)
    st->chain[i] = w->chain[i];
  for (unsigned i = 0; i <= w->n; i++)
    st->at[i] = w->at[i];
  w->at[w->n]++;
}

static void scop_walk_loop(struct scop *s, struct walk *w, TSNode loop) {
  struct walk inner = *w;
  struct iter *i = model_iter(s->m, loop);
  if (!i)
    scop_refuse(s, loop, "the bounds of a loop are not affine");
  else if (!i->to.known)
    scop_refuse(s, loop, "the step of a loop is not 1");
  else if (i->conditional)
    scop_refuse(s, loop, "a loop is in a condition");
  else if (w->n == AFFINE_DEPTH)
    scop_refuse(s, loop, "loops are nested too deeply");
  if (s->why)
    return;
  inner.chain[inner.n++] = i;
  inner.at[inner.n] = 0;
  scop_walk(s, &inner, node_field(loop, "body"));
  w->at[w->n]++;
}

static bool scop_holds_loop(TSNode n) {
  static const char *const loops[] = { "for_statement", "while_statement", "do_statement",
                                       NULL };
  if (node_is_any(n, loops))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (scop_holds_loop(ts_node_named_child(n, i)))
      return true;
  return false;
}

// True if the loops in N can be a part of a statement: each has a known range, and a
// variable of its own.
static bool scop_may_hide(const struct scop *s, TSNode n) {
  bool loop = node_is(n, "for_statement");
  const struct iter *i = loop ? model_iter(s->m, n) : NULL;
  if (node_is(n, "while_statement") || node_is(n, "do_statement") ||
      (loop && (!i || !i->to.known || !i->dim.type.size)))
    return false;
  for (uint32_t j = 0; j < ts_node_named_child_count(n); j++)
    if (!scop_may_hide(s, ts_node_named_child(n, j)))
      return false;
  return true;
}

// Visits the statements of a block that holds loops. In a chain, a block with variables
// of its own, that these loops use, is one statement.
static void scop_walk_block(struct scop *s, struct walk *w, TSNode block) {
  TSNode first = { 0 }, last = { 0 };
  if (w->n > 0 && !ts_node_eq(s->all.first, s->all.last) &&
      !ts_node_is_null(node_child(block, "declaration")) && scop_may_hide(s, block)) {
    scop_add(s, w, block, block);
    return;
  }
  for (uint32_t i = 0; i <= ts_node_named_child_count(block) && !s->why; i++) {
    TSNode n = i < ts_node_named_child_count(block) ? ts_node_named_child(block, i)
                                                    : (TSNode){ 0 };
    bool end = ts_node_is_null(n), loop = !end && scop_holds_loop(n);
    if (!end && node_is(n, "declaration"))
      *GROW(s->declared, s->n_declared) = n;
    if (!end && !loop && !node_is(n, "comment")) {
      first = ts_node_is_null(first) ? n : first;
      last = n;
    }
    if ((end || loop) && !ts_node_is_null(first)) {
      scop_add(s, w, first, last);
      first = (TSNode){ 0 };
    }
    if (loop)
      scop_walk(s, w, n);
  }
}

static void scop_walk(struct scop *s, struct walk *w, TSNode n) {
  if (node_is(n, "for_statement"))
    scop_walk_loop(s, w, n);
  else if (!scop_holds_loop(n))
    scop_add(s, w, n, n);
  else if (node_is(n, "compound_statement"))
    scop_walk_block(s, w, n);
  else
    scop_refuse(s, n, "a loop is in a statement that is neither a loop nor a block");
}

static void scop_walk_all(struct scop *s) {
  struct walk w = { 0 };
  for (TSNode n = s->all.first; !ts_node_is_null(n); n = body_next(s->all, n))
    if (!node_is(n, "comment"))
      scop_walk(s, &w, n);
}

struct statement *scop_statement(struct scop *s, TSNode n) {
  for (unsigned i = 0; i < s->n; i++)
    if (body_covers(s->list[i].body, n))
      return &s->list[i];
  return NULL;
}

static bool scop_mentions(const struct scop *s, const struct statement *st,
                          struct slice name) {
  for (TSNode n = st->body.first; !ts_node_is_null(n); n = body_next(st->body, n))
    if (node_mentions(s->m->u.s, n, name))
      return true;
  return false;
}

// Returns the access I of the nest's function, or of what its variables stand for.
const struct access *scop_access(const struct scop *s, unsigned i) {
  unsigned n = s->m->n_accesses;
  return i < n ? &s->m->accesses[i] : &s->more[i - n];
}

// ---- variables ----------------------------------------------------------------------

enum use { USE_NONE, USE_SETS, USE_READS };

// Returns how N, a statement, uses NAME first: whether each run of it sets NAME before it
// reads it, or one may read it.
static enum use scop_first_use(const struct scop *s, TSNode n, struct slice name) {
  TSNode what = ts_node_named_child(n, 0);
  enum use first = USE_NONE;
  if (live_reads_first(&s->m->u, n, name))
    return USE_READS;
  if (node_is(n, "expression_statement") && node_is(what, "assignment_expression") &&
      slices_same(model_text(s->m, node_field(what, "left")), name))
    return USE_SETS;
  if (node_is(n, "compound_statement"))
    for (uint32_t i = 0; i < ts_node_named_child_count(n) && first == USE_NONE; i++)
      first = scop_first_use(s, ts_node_named_child(n, i), name);
  return first;
}

// True if ST sets NAME before it reads it.
static bool scop_sets_first(const struct scop *s, const struct statement *st,
                            struct slice name) {
  enum use first = USE_NONE;
  for (TSNode n = st->body.first; !ts_node_is_null(n) && first == USE_NONE;
       n = body_next(st->body, n))
    first = scop_first_use(s, n, name);
  return first == USE_SETS;
}

// True if a declaration with NAME's type alone makes another variable like it.
static bool scop_may_copy(const struct scop *s, struct slice name) {
  const struct model *m = s->m;
  struct slice type = declared_type(m, name);
  TSNode d;
  if (usage_declarators(&m->u, m->u.f->node, name, &d) != 1 || !type.size ||
      usage_is_pointer(&m->u, name) ||
      node_holds(ts_node_parent(d), "attribute_specifier"))
    return false;
  bool number = !m->source->language->cplusplus;
  for (unsigned i = 0; i < m->k->n_stand_ins; i++)
    number = number || slices_same(m->k->stand_ins[i].name, type);
  return number || (m->x && type_of_name(m->x, type).base == BASE_NUMBER);
}

// Gives each run of a statement its own NAME, which AT assigns.
static void scop_own(struct scop *s, struct slice name, TSNode at) {
  if (live_read_after(&s->m->u, s->all.last, name)) {
    scop_refuse(s, at, "this variable is read after the loops");
    return;
  }
  for (unsigned i = 0; i < s->n; i++) {
    struct statement *st = &s->list[i];
    bool known = false;
    for (unsigned j = 0; j < st->n_own; j++)
      known = known || slices_same(st->own[j], name);
    if (known || !scop_mentions(s, st, name))
      continue;
    if (scop_sets_first(s, st, name) && scop_may_copy(s, name)) {
      *GROW(st->own, st->n_own) = name;
      continue;
    }
    if (!forward_replace(s, name))
      scop_refuse(s, at, "this variable leads from one statement to another one");
    for (unsigned j = 0; j < s->n; j++) // no statement has its own any more
      for (unsigned k = 0; k < s->list[j].n_own; k++)
        if (slices_same(s->list[j].own[k], name))
          s->list[j].own[k] = s->list[j].own[--s->list[j].n_own];
    return;
  }
}

// Removes the statements that only set a variable to the element that it stands for.
static void scop_drop(struct scop *s) {
  unsigned n = 0;
  for (unsigned i = 0; i < s->n; i++) {
    const struct statement *st = &s->list[i];
    bool set = false;
    for (unsigned j = 0; j < s->n_forwards; j++) {
      bool here = body_covers(st->body, s->forwards[j].first);
      if (s->forwards[j].sets)
        continue;
      if (here &&
          !(ts_node_eq(st->body.first, s->forwards[j].first) &&
            ts_node_eq(st->body.last, s->forwards[j].first)))
        scop_refuse(s, st->body.first,
                    "a variable that stands for an element is set among "
                    "other statements");
      set = set || here;
    }
    if (!set)
      s->list[n++] = *st;
  }
  s->n = n;
}

static bool scop_in_chain(const struct statement *st, const struct iter *i) {
  for (unsigned j = 0; j < st->n; j++)
    if (st->chain[j] == i)
      return true;
  return false;
}

// Refuses what carries values besides arrays.
static void scop_check_variables(struct scop *s) {
  const struct model *m = s->m;
  for (unsigned i = 0; i < s->n_declared && !s->why; i++) {
    TSNode d = ts_node_named_child(s->declared[i], 1);
    TSNode name = ts_node_is_null(d) ? d : node_field(d, "declarator");
    if (!node_is(name, "identifier") ||
        (!forward_at(s, name) && !forward_replace(s, model_text(m, name))))
      scop_refuse(s, s->declared[i], "a variable is declared between loops");
  }
  for (unsigned i = 0; i < m->n_scalars && !s->why; i++) {
    struct statement *st = scop_statement(s, m->scalars[i].node);
    struct slice name = m->scalars[i].name;
    bool declared = false;
    for (TSNode n = st ? st->body.first : (TSNode){ 0 }; st && !ts_node_is_null(n);
         n = body_next(st->body, n))
      declared = declared || usage_declares(&m->u, n, name);
    if (st && !declared && !forward_at(s, m->scalars[i].node))
      scop_own(s, name, m->scalars[i].node);
  }
  if (!s->why)
    scop_drop(s);
  for (unsigned i = 0; i < m->n_iters && !s->why; i++) {
    const struct dim *d = &m->iters[i]->dim;
    struct statement *holder = scop_statement(s, m->iters[i]->node);
    if (!body_covers(s->all, m->iters[i]->node) || holder) // of which it is a part
      continue;
    if (live_read_after(&m->u, s->all.last, d->var) &&
        !usage_declares(&m->u, m->iters[i]->node, d->var))
      scop_refuse(s, m->iters[i]->node, "the variable of a loop is read after the loops");
    for (unsigned j = 0; j < s->n; j++)
      if (!scop_in_chain(&s->list[j], m->iters[i]) &&
          scop_mentions(s, &s->list[j], d->var)) {
        bool other = false; // a loop around it has the same name
        for (unsigned k = 0; k < s->list[j].n; k++)
          other = other || slices_same(s->list[j].chain[k]->dim.var, d->var);
        if (!other)
          scop_refuse(s, m->iters[i]->node,
                      "the variable of a loop is read after that loop");
      }
  }
}

// Refuses names in the nest that the text of a new order may declare: all of these begin
// with "autotune_", and have no other underscore.
static void scop_check_names(struct scop *s, TSNode n) {
  static const char prefix[] = "autotune_";
  const size_t skip = sizeof prefix - 1;
  struct slice name = model_text(s->m, n);
  if ((node_is(n, "identifier") || node_is(n, "type_identifier")) && name.size > skip &&
      memcmp(name.data, prefix, skip) == 0 &&
      !memchr(name.data + skip, '_', name.size - skip))
    scop_refuse(s, n, "this name is one of those that autotune gives");
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    scop_check_names(s, ts_node_named_child(n, i));
}

// ---- the whole ----------------------------------------------------------------------

struct scop *scop_read(struct model *m, struct body all, struct iter *last) {
  struct scop *s = arena_alloc(sizeof *s);
  s->m = m;
  s->all = all;
  s->last = last;
  if (m->n_refusals)
    scop_refuse(s, m->refusals[0].at, m->refusals[0].text);
  else if (m->jumps)
    scop_refuse(s, all.first, "a jump may leave a loop or an iteration");
  else if (last->outer)
    scop_refuse(s, all.first, "it is in another loop");
  if (!s->why)
    scop_walk_all(s);
  for (unsigned i = 0; i < m->n_arrays && !s->why; i++)
    if (!ts_node_is_null(m->arrays[i]->handed))
      scop_refuse(s, m->arrays[i]->handed, "an array is used as a whole");
  if (!s->why)
    for (TSNode n = all.first; !ts_node_is_null(n); n = body_next(all, n))
      scop_check_names(s, n);
  if (!s->why)
    scop_check_variables(s);
  if (!s->why)
    scop_build(s);
  return s;
}

void scop_free(struct scop *s) {
  isl_union_set_free(s->domain);
  isl_union_map_free(s->order);
  isl_union_map_free(s->accesses);
  isl_union_map_free(s->dependences);
  isl_union_map_free(s->without_sums);
  isl_union_map_free(s->needed);
  isl_set_free(s->facts);
  if (s->ctx)
    isl_ctx_free(s->ctx);
}
