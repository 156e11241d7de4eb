// SPDX-License-Identifier: Apache-2.0
// focus.c: the parts of a body of several statements, and what they hold. `fission` gives
// each part a nest of its own.
#include <string.h>

#include "analysis.h"

// Returns the focus of U on one part of BODY, or NULL.
static const struct focus *focus_on(const struct usage *u, TSNode body) {
  const struct focus *f = u->focus;
  while (f && !ts_node_eq(f->body, body))
    f = f->outer;
  return f;
}

// Returns the focus of U whose part is the loop PART, or NULL.
static const struct focus *focus_at(const struct usage *u, TSNode part) {
  const struct focus *f = u->focus;
  while (f && !ts_node_eq(f->first, part))
    f = f->outer;
  return f;
}

bool focus_holds(const struct usage *u, TSNode n) {
  size_t from = ts_node_start_byte(n), to = ts_node_end_byte(n);
  for (const struct focus *f = u->focus; f; f = f->outer)
    if (node_within(n, f->body) && !ts_node_eq(n, f->body) &&
        (from < ts_node_start_byte(f->first) || to > ts_node_end_byte(f->last)))
      return false;
  return true;
}

TSNode nest_body(const struct usage *u, TSNode loop, TSNode *last) {
  TSNode first = *last = node_field(loop, "body");
  const struct focus *f;
  while (ts_node_eq(first, *last) && (f = focus_on(u, first))) {
    first = f->first;
    *last = f->last;
  }
  return first;
}

const struct loop_directive **directives_of(const struct usage *u, TSNode loop,
                                            unsigned *n) {
  const struct focus *f = u->focus;
  if (f && ts_node_eq(f->loop, loop))
    return directives_on(u->f, f->first, n);
  *n = 0;
  return focus_at(u, loop) ? NULL : directives_on(u->f, loop, n);
}

TSNode directive_loop(const struct usage *u, const struct loop_directive *d) {
  const struct focus *f = focus_at(u, d->loop);
  return f ? f->loop : d->loop;
}

const struct loop_directive *fission_of(const struct usage *u, TSNode loop) {
  unsigned n;
  const struct loop_directive **list = directives_of(u, loop, &n);
  for (unsigned i = 0; i < n; i++)
    if (list[i]->kind == DIR_FISSION)
      return list[i];
  return NULL;
}

// ---- parts --------------------------------------------------------------------------

static unsigned focus_refuse(const char **why, TSNode *at, TSNode node,
                             const char *reason) {
  *why = reason;
  *at = node;
  return 0;
}

// Returns a jump in N that leaves it, or a label; null: there is none. INSIDE: `break`
// and `continue` end a loop of N; SWITCHED: `break` ends a `switch` of it.
static TSNode focus_jump(TSNode n, bool inside, bool switched) {
  static const char *const always[] = { "return_statement", "goto_statement",
                                        "labeled_statement", "co_return_statement",
                                        NULL };
  TSNode found = { 0 };
  if (node_is_any(n, always) || (node_is(n, "continue_statement") && !inside) ||
      (node_is(n, "break_statement") && !inside && !switched) ||
      (node_is(n, "case_statement") && !switched))
    return n;
  inside = inside || node_is_loop(n);
  switched = switched || node_is(n, "switch_statement");
  for (uint32_t i = 0; i < ts_node_named_child_count(n) && ts_node_is_null(found); i++)
    if (!node_is(n, "lambda_expression"))
      found = focus_jump(ts_node_named_child(n, i), inside, switched);
  return found;
}

// Returns the block in LOOP's innermost loop that has several statements; null: there is
// none, and *WHY says at *AT why.
static TSNode focus_body(const struct usage *u, TSNode loop, const char **why,
                         TSNode *at) {
  TSNode none = { 0 }, body, last;
  if (!node_is(loop, "for_statement"))
    return focus_refuse(why, at, loop, "it is no loop"), none;
  for (TSNode inner = loop; node_is(inner, "for_statement"); inner = nest_inner(u, loop))
    loop = inner;
  body = nest_body(u, loop, &last);
  unsigned n = 0;
  for (uint32_t i = 0; i < ts_node_named_child_count(body); i++)
    n += !node_is(ts_node_named_child(body, i), "comment");
  if (ts_node_eq(body, last) && node_is(body, "compound_statement") && n > 1)
    return body;
  bool loops = node_is(body, "for_statement");
  focus_refuse(why, at, body,
               loops ? "a pragma or another line of the preprocessor is before this loop"
                     : "its statements belong together");
  return none;
}

// True if N is a statement that may run in a loop of its own; otherwise *WHY says at *AT
// why not.
static bool focus_may_divide(const struct usage *u, size_t from, TSNode n,
                             const char **why, TSNode *at) {
  const char *type = ts_node_type(n);
  size_t size = strlen(type);
  if (!only_ours(u->s, from, ts_node_start_byte(n)) || strncmp(type, "preproc", 7) == 0)
    return focus_refuse(
        why, at, n,
        "a pragma or another line of the preprocessor is before or around this");
  if (!node_is(n, "for_range_loop") &&
      (size < 10 || strcmp(type + size - 10, "_statement") != 0))
    return focus_refuse(why, at, n, "other parts may use what this declares");
  TSNode jump = focus_jump(n, false, false);
  return ts_node_is_null(jump) ||
      focus_refuse(why, at, jump,
                   node_is(jump, "labeled_statement") ? "jumps lead to this label"
                                                      : "this leaves out what follows");
}

unsigned focus_parts(const struct usage *u, TSNode loop, struct focus **parts,
                     const char **why, TSNode *at) {
  TSNode body = focus_body(u, loop, why, at);
  size_t from = ts_node_start_byte(body);
  unsigned n = 0;
  bool run = false; // the last part is one of statements that are no loops
  *parts = NULL;
  if (ts_node_is_null(body))
    return 0;
  for (uint32_t i = 0; i < ts_node_named_child_count(body); i++) {
    TSNode c = ts_node_named_child(body, i);
    bool alone = node_is(c, "for_statement");
    if (node_is(c, "comment"))
      continue;
    if (!focus_may_divide(u, from, c, why, at))
      return 0;
    if (!run || alone)
      *GROW(*parts, n) =
          (struct focus){ .loop = loop, .body = body, .first = c, .outer = u->focus };
    (*parts)[n - 1].last = c;
    run = !alone;
    from = ts_node_end_byte(c);
  }
  if (!only_ours(u->s, from, ts_node_end_byte(body)))
    return focus_refuse(why, at, body, "a line of the preprocessor is at its end");
  if (n < 2)
    return focus_refuse(why, at, body, "it holds no loop besides other statements");
  for (unsigned i = 0; i < n; i++)
    (*parts)[i].at = i, (*parts)[i].n = n;
  return n;
}

const struct focus *focus_of(const struct usage *u, TSNode n) {
  for (unsigned i = u->f->n_directives; i-- > 0;) {
    const struct loop_directive *d = &u->f->directives[i];
    struct usage around = *u;
    struct focus *parts;
    const char *why;
    TSNode at;
    if (d->kind != DIR_FISSION || !node_within(n, d->loop) || ts_node_eq(n, d->loop))
      continue;
    around.focus = focus_of(u, d->loop);
    unsigned n_parts =
        focus_parts(&around, directive_loop(&around, d), &parts, &why, &at);
    for (unsigned j = 0; j < n_parts; j++)
      if (ts_node_eq(parts[j].first, n))
        return &parts[j];
  }
  return NULL;
}

// ---- nests --------------------------------------------------------------------------

struct roots {
  struct nest_root *list;
  unsigned n;
};

// Adds LOOP's nest, as U looks at it, and those of its parts.
static void roots_add(struct roots *r, struct usage u, TSNode loop) {
  struct nest_root root = { loop, u.focus, fission_of(&u, loop) };
  struct focus *parts;
  const char *why;
  TSNode at;
  *GROW(r->list, r->n) = root;
  unsigned n = root.fission ? focus_parts(&u, loop, &parts, &why, &at) : 0;
  for (unsigned i = 0; i < n; i++) {
    u.focus = &parts[i];
    roots_add(r, u, loop);
  }
}

// True if D is for a nest of R, or for a loop in one.
static bool roots_know(const struct roots *r, struct usage u,
                       const struct loop_directive *d) {
  for (unsigned i = 0; i < r->n; i++) {
    u.focus = r->list[i].focus;
    unsigned n;
    for (TSNode at = r->list[i].loop; !ts_node_is_null(at);
         at = node_is(at, "for_statement") ? nest_inner(&u, at) : (TSNode){ 0 }) {
      const struct loop_directive **list = directives_of(&u, at, &n);
      for (unsigned j = 0; j < n; j++)
        if (list[j] == d)
          return true;
    }
  }
  return false;
}

struct nest_root *nest_roots(const struct usage *u, unsigned *n) {
  struct roots r = { 0 };
  for (unsigned i = 0; i < u->f->n_directives; i++)
    if (!roots_know(&r, *u, &u->f->directives[i]))
      roots_add(&r, *u, u->f->directives[i].loop);
  *n = r.n;
  return r.list;
}
