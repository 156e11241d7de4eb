// SPDX-License-Identifier: Apache-2.0
// member.c: members of the structs that arguments are or point to: `p.coord[i]`, `g->n`.
// A pointer in such a struct counts as an array, and an integer as an argument, if the
// function changes neither the struct nor a member of that name.
#include <ctype.h>
#include <string.h>

#include "analysis.h"
#include "front/kernel/kernel.h"
#include "front/reach/unit.h"

enum { MAX_BODY = 4096 };

// ---- types --------------------------------------------------------------------------

// Sets *BODY to the text between the braces of the struct that I, of C++, defines with
// the name NAME: as a tag, or as a typedef.
static bool member_body(const struct item *i, struct slice name, struct slice *body) {
  struct lexer l = lexer_of(i->text);
  struct token t = lex(&l);
  bool alias = slice_is(t.text, "typedef");
  t = alias ? lex(&l) : t;
  if (!slice_is(t.text, "struct"))
    return false;
  struct token tag = lex(&l);
  bool named = tag.kind == TOKEN_WORD && slices_same(tag.text, name);
  if (tag.kind == TOKEN_WORD)
    tag = lex(&l);
  body->data = l.p;
  if (!slice_is(tag.text, "{") || !cut_skip_group(&l))
    return false;
  body->size = (size_t)(l.p - body->data) - 1;
  return named ||
      (alias && slices_same(lex(&l).text, name) && slice_is(lex(&l).text, ";"));
}

// True if BODY, of C++, has no functions, no references and nothing private.
static bool member_is_plain(struct slice body) {
  for (size_t i = 0; i < body.size && body.size < MAX_BODY; i++)
    if (strchr("(&:<", body.data[i]))
      return false;
  return body.size < MAX_BODY;
}

// True if an operator of the program, of C++, takes NAME.
static bool member_has_operators(const struct expansion *x, struct slice name) {
  for (unsigned i = 0; i < x->items.n; i++)
    if (x->items.list[i].operator_function && !x->items.list[i].system &&
        lex_mentions(x->items.list[i].text, name))
      return true;
  return false;
}

bool member_struct(const struct expansion *x, struct slice words, struct ctype *out) {
  struct lexer l = lexer_of(words);
  struct slice name = { 0 };
  const struct item *i;
  *out = type_of_name(x, words);
  if (out->base == BASE_STRUCT || !x->cplusplus)
    return out->base == BASE_STRUCT && out->n == 0;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    name = is_type_word(t.text) || is_storage(t.text) ? name : t.text;
  unsigned found = 0;
  for (const struct name *n = NULL;
       name.size && (i = items_named(&x->items, NAME_ORDINARY, name, &n)) != NULL;)
    if (!member_body(i, name, &out->members) || !member_is_plain(out->members) || found++)
      return false;
  out->base = BASE_STRUCT;
  return found && !member_has_operators(x, name);
}

static bool member_find(const struct model *m, const struct ctype *of, struct slice name,
                        struct ctype *out) {
  unsigned n;
  struct member *list = type_members(m->x, of, &n);
  for (unsigned i = 0; i < n; i++)
    if (slices_same(list[i].name, name) && !list[i].bits) {
      struct ctype inner;
      *out = list[i].type;
      if (out->base == BASE_UNKNOWN && member_struct(m->x, out->name, &inner)) {
        out->base = BASE_STRUCT;
        out->members = inner.members;
      }
      return true;
    }
  return false;
}

// Sets *OUT to the type of N: an argument that is a struct or a pointer to one, or a
// member of one; and *ROOT to the argument's name. False: N is something else.
static bool member_type(const struct model *m, TSNode n, struct ctype *out,
                        struct slice *root) {
  static unsigned char pointer[] = { DERIVED_POINTER };
  struct slice name = model_text(m, n);
  int arg = node_is(n, "identifier") ? kernel_arg(m->k, name) : -1;
  if (arg >= 0) {
    const struct kernel_arg *a = &m->k->args[arg];
    const char *star = memchr(a->text.data, '*', a->text.size);
    *root = name;
    if (usage_declares(&m->u, node_field(m->u.f->node, "body"), name) ||
        memchr(a->text.data, '[', a->text.size) || a->pointer != (star != NULL) ||
        !member_struct(m->x, a->specifiers, out))
      return false;
    out->derived = pointer;
    out->n = star != NULL;
    return !star ||
        !memchr(star + 1, '*', (size_t)(a->text.data + a->text.size - star) - 1);
  }
  if (!node_is(n, "field_expression") ||
      !member_type(m, node_field(n, "argument"), out, root))
    return false;
  bool arrow = slice_is(model_text(m, node_field(n, "operator")), "->");
  if (arrow &&
      (out->n == 0 || out->derived[0] != DERIVED_POINTER || !type_subscript(out)))
    return false;
  struct ctype of = *out;
  return of.n == 0 && of.base == BASE_STRUCT &&
      member_find(m, &of, model_text(m, node_field(n, "field")), out);
}

// ---- changes ------------------------------------------------------------------------

// True if N, a part of the function, assigns to a member called FIELD, or takes its
// address.
static bool member_is_set(const struct model *m, TSNode n, struct slice field) {
  TSNode target = { 0 };
  if (node_is(n, "assignment_expression"))
    target = node_field(n, "left");
  else if (node_is(n, "update_expression") ||
           (node_is(n, "pointer_expression") &&
            slice_is(model_text(m, node_field(n, "operator")), "&")))
    target = node_field(n, "argument");
  while (node_is(target, "parenthesized_expression"))
    target = ts_node_named_child(target, 0);
  for (; node_is(target, "field_expression"); target = node_field(target, "argument"))
    if (slices_same(model_text(m, node_field(target, "field")), field))
      return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (member_is_set(m, ts_node_named_child(n, i), field))
      return true;
  return false;
}

// True if the function may change N, a member of the argument ROOT.
static bool member_may_change(const struct model *m, TSNode n, struct slice root) {
  for (unsigned i = 0; i < m->u.n_changes; i++) {
    const struct change *c = &m->u.changes[i];
    if (slices_same(c->name, root) &&
        (c->part != PART_ELEMENT || c->how != BY_ASSIGNMENT))
      return true;
  }
  for (; node_is(n, "field_expression"); n = node_field(n, "argument"))
    if (member_is_set(m, node_field(m->u.f->node, "body"),
                      model_text(m, node_field(n, "field"))))
      return true;
  return false;
}

// Returns the text of N without blanks.
static struct slice member_path(const struct model *m, TSNode n) {
  struct slice text = model_text(m, n);
  char *path = arena_alloc(text.size + 1);
  size_t size = 0;
  for (size_t i = 0; i < text.size; i++)
    if (!isspace((unsigned char)text.data[i]))
      path[size++] = text.data[i];
  return (struct slice){ path, size };
}

bool member_read(const struct model *m, TSNode n, struct ctype *type,
                 struct slice *path) {
  struct slice root;
  if (!m->x || !m->view || !node_is(n, "field_expression") ||
      !member_type(m, n, type, &root) || member_may_change(m, n, root))
    return false;
  *path = member_path(m, n);
  return true;
}

struct array *member_array(struct model *m, TSNode n) {
  struct ctype type;
  struct slice path;
  if (!member_read(m, n, &type, &path) || type.n != 1 || type.base != BASE_NUMBER ||
      type.complex || type.derived[0] == DERIVED_FUNCTION)
    return NULL;
  struct array *a = array_find(m, path);
  return a
      ? a
      : array_add(m,
                  (struct array){
                      .name = path, .arg = -1, .rank = 1, .member = true, .home = n });
}

// ---- pointers that may be null ------------------------------------------------------

// True if a part of N before the offset AT may leave the function.
static bool member_may_leave(const struct model *m, TSNode n, uint32_t at) {
  static const char *const jumps[] = { "return_statement", "goto_statement", NULL };
  if (ts_node_start_byte(n) >= at)
    return false;
  if (node_is_any(n, jumps) ||
      (node_is(n, "call_expression") &&
       !model_is_pure(model_text(m, node_field(n, "function")))))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (member_may_leave(m, ts_node_named_child(n, i), at))
      return true;
  return false;
}

// True if N is run whenever UP is, the statement or expression that it is a part of.
static bool member_runs(const struct model *m, TSNode up, TSNode n) {
  static const char *const first[] = { "if_statement", "while_statement",
                                       "switch_statement", "conditional_expression",
                                       NULL };
  static const char *const never[] = {
    "do_statement",      "case_statement", "labeled_statement",
    "sizeof_expression", "ERROR",          NULL
  };
  if (node_is(up, "for_statement"))
    return ts_node_eq(n, node_field(up, "initializer")) ||
        ts_node_eq(n, node_field(up, "condition"));
  if (node_is_any(up, first))
    return ts_node_eq(n, node_field(up, "condition"));
  struct slice op = node_is(up, "binary_expression")
      ? model_text(m, node_field(up, "operator"))
      : (struct slice){ 0 };
  return (slice_is(op, "&&") || slice_is(op, "||"))
      ? ts_node_eq(n, node_field(up, "left"))
      : !node_is_any(up, never);
}

// True if each call of the function runs N.
static bool member_is_always_run(const struct model *m, TSNode n) {
  TSNode body = node_field(m->u.f->node, "body");
  if (member_may_leave(m, body, ts_node_start_byte(n)))
    return false;
  for (TSNode up; !ts_node_eq(n, body); n = up) {
    up = ts_node_parent(n);
    if (ts_node_is_null(up) || !member_runs(m, up, n))
      return false;
  }
  return true;
}

// True if each call reads, in its part N, what the pointer PATH leads to.
static bool member_is_always_read(const struct model *m, TSNode n, struct slice path) {
  struct slice op = node_is(n, "field_expression") || node_is(n, "pointer_expression")
      ? model_text(m, node_field(n, "operator"))
      : (struct slice){ 0 };
  bool leads = node_is(n, "subscript_expression") || slice_is(op, "->") ||
      slice_is(op, "*");
  if (leads && slices_same(member_path(m, node_field(n, "argument")), path) &&
      member_is_always_run(m, n))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (member_is_always_read(m, ts_node_named_child(n, i), path))
      return true;
  return false;
}

const char *member_condition(const struct model *m, struct slice atom) {
  TSNode body = node_field(m->u.f->node, "body");
  struct lexer l = lexer_of(atom);
  struct slice root = lex(&l).text;
  struct text out = { 0 };
  if (kernel_arg(m->k, root) < 0)
    return NULL;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    struct slice path = { atom.data, (size_t)(t.text.data - atom.data) };
    path = slice_trim(path);
    if ((slice_is(t.text, "->") || slice_is(t.text, "[")) &&
        !member_is_always_read(m, body, path))
      text_printf(&out, "%s%.*s", out.size ? " && " : "", (int)path.size, path.data);
  }
  return out.data;
}
