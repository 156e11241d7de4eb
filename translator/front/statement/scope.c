// SPDX-License-Identifier: Apache-2.0
// scope.c: what a function of C++ stands in: templates, classes, a lambda. The kernel
// stands before all of them, at the scope of a namespace.
#include <string.h>

#include "statement.h"

static const char *const scope_classes[] = { "class_specifier", "struct_specifier",
                                             "union_specifier", NULL };

// True if N holds declarations that may follow one another: a file, a namespace, an #if.
static bool scope_is_list(TSNode n) {
  return ts_node_is_null(n) || node_is(n, "translation_unit") ||
      node_is(n, "declaration_list") || strncmp(ts_node_type(n), "preproc_", 8) == 0 ||
      node_is(n, "ERROR");
}

TSNode scope_outermost(TSNode function) {
  TSNode top = function;
  for (TSNode n = function; !ts_node_is_null(n); n = ts_node_parent(n))
    if (node_is_any(n, scope_classes))
      top = n;
  while (!scope_is_list(ts_node_parent(top)))
    top = ts_node_parent(top);
  return top;
}

const char *scope_name(const struct source *s, TSNode declarator) {
  struct slice text = source_slice(s, ts_node_named_child(declarator, 0));
  struct text out = { 0 };
  struct lexer l = lexer_of(text);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END && !slice_is(t.text, "<");)
    if (t.kind == TOKEN_WORD)
      text_printf(&out, "%s%.*s", out.size ? "_" : "", (int)t.text.size, t.text.data);
  return out.size ? out.data : "function";
}

// ---- templates ----------------------------------------------------------------------

// Returns the name of the template's parameter N; empty: it has none, or is a pack.
static struct slice scope_parameter(const struct source *s, TSNode n) {
  if (strncmp(ts_node_type(n), "variadic", 8) == 0)
    return (struct slice){ 0 };
  TSNode name = node_child(n, "type_identifier");
  TSNode declarator = node_field(n, "declarator");
  if (!ts_node_is_null(declarator))
    name = declarator_name(declarator);
  if (strncmp(ts_node_type(n), "optional_type", 13) == 0)
    name = node_field(n, "name");
  return ts_node_is_null(name) ? (struct slice){ 0 } : source_slice(s, name);
}

// Adds the parameters of the template T before those that are known.
static void scope_template(struct statement *st, TSNode t) {
  TSNode list = node_child(t, "template_parameter_list");
  struct template_parameter *all = NULL;
  unsigned n_all = 0;
  for (uint32_t i = 0; i < ts_node_named_child_count(list); i++) {
    TSNode n = ts_node_named_child(list, i);
    if (node_is(n, "comment"))
      continue;
    struct slice name = scope_parameter(st->s, n);
    if (!name.size) {
      statement_refuse(st, "put the loop into a function of its own",
                       "'%s' is a template with a parameter that is a pack, or has no "
                       "name",
                       st->of);
      return;
    }
    *GROW(all, n_all) = (struct template_parameter){ name, statement_text(st, n), false };
  }
  for (unsigned i = 0; i < st->n_parameters; i++)
    *GROW(all, n_all) = st->parameters[i];
  st->parameters = all;
  st->n_parameters = n_all;
}

bool scope_is_parameter(const struct statement *st, struct slice name) {
  for (unsigned i = 0; i < st->n_parameters; i++)
    if (slices_same(st->parameters[i].name, name))
      return true;
  return false;
}

// True if the kernel needs the template's parameter NAME itself.
static bool scope_needs(const struct statement *st, struct slice name) {
  size_t start = st->p->offset;
  bool used = lex_mentions(
      (struct slice){ st->s->text + start, statement_end(st) - start }, name);
  for (unsigned i = 0; i < st->n_captures && !used; i++)
    used = lex_mentions(st->captures[i].specifiers, name) ||
        lex_mentions(st->captures[i].declarator, name);
  return used;
}

void scope_select(struct statement *st) {
  for (unsigned i = st->n_parameters; i-- > 0;) {
    struct template_parameter *p = &st->parameters[i];
    p->used = scope_needs(st, p->name);
    for (unsigned j = i + 1; j < st->n_parameters; j++)
      p->used = p->used ||
          (st->parameters[j].used && lex_mentions(st->parameters[j].text, p->name));
  }
}

// ---- classes ------------------------------------------------------------------------

// Returns the class in N that is called NAME; null: none is defined there.
static TSNode scope_find_class(const struct source *s, TSNode n, struct slice name) {
  TSNode own = node_field(n, "name");
  if (node_is(own, "template_type"))
    own = node_field(own, "name");
  if (node_is_any(n, scope_classes) && !ts_node_is_null(node_field(n, "body")) &&
      !ts_node_is_null(own) && slices_same(source_slice(s, own), name))
    return n;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++) {
    TSNode found = scope_find_class(s, ts_node_named_child(n, i), name);
    if (!ts_node_is_null(found))
      return found;
  }
  return (TSNode){ 0 };
}

// Returns the name that a member's declarator D declares; null: none.
static TSNode scope_member_name(TSNode d, bool *function) {
  while (!ts_node_is_null(d) && !node_is(d, "field_identifier") &&
         !node_is(d, "identifier") && !node_is(d, "type_identifier")) {
    *function = *function || node_is(d, "function_declarator");
    TSNode inner = node_field(d, "declarator");
    d = ts_node_is_null(inner) ? ts_node_named_child(d, 0) : inner;
  }
  return d;
}

static struct class_member *scope_add_member(struct statement *st, const struct source *s,
                                             TSNode name, TSNode type,
                                             enum member_kind kind) {
  if (ts_node_is_null(name))
    return NULL;
  struct slice words = { 0 };
  if (!ts_node_is_null(type))
    words = source_slice(s, type);
  struct class_member *m = GROW(st->members, st->n_members);
  *m =
      (struct class_member){ .name = source_slice(s, name), .type = words, .kind = kind };
  return m;
}

bool scope_is_const(const struct statement *st) {
  TSNode d = declarator_of_function(st->function);
  return !ts_node_is_null(d) &&
      slice_is(statement_text(st, node_child(d, "type_qualifier")), "const");
}

// Returns the member with the declarator D, whose specifiers end at FIRST, as if it were
// a variable; all zero: it is neither a number, nor an array of or a pointer to numbers.
static struct capture scope_plain(const struct statement *st, const struct source *s,
                                  TSNode d, TSNode first) {
  size_t start = ts_node_start_byte(ts_node_parent(d));
  struct capture c = { .declarator = source_slice(s, d) };
  struct slice words = { s->text + start, ts_node_start_byte(first) - start };
  for (; !node_is(d, "field_identifier"); d = node_field(d, "declarator")) {
    bool array = node_is(d, "array_declarator");
    if (array && !node_is(node_field(d, "size"), "number_literal"))
      return (struct capture){ 0 };
    if (!array && !node_is(d, "pointer_declarator"))
      return (struct capture){ 0 };
    c.shape = array ? SHAPE_ARRAY : SHAPE_POINTER; // the nearest to the name counts
  }
  if (!kinds_number(st, words) || lex_mentions(words, slice_of("mutable")) ||
      lex_mentions(words, slice_of("auto")))
    return (struct capture){ 0 };
  c.name = source_slice(s, d);
  c.at = c.name.data;
  c.specifiers = kinds_specifiers(st, words);
  if (c.shape == SHAPE_ARRAY && scope_is_const(st))
    c.specifiers =
        slice_of(arena_printf("const %.*s", (int)c.specifiers.size, c.specifiers.data));
  return c;
}

// Adds what N, a declaration in a class, declares.
static void scope_declared(struct statement *st, const struct source *s, TSNode n) {
  TSNode type = node_field(n, "type"), first = { 0 };
  bool bits = !ts_node_is_null(node_child(n, "bitfield_clause"));
  bool constant = lex_mentions(source_slice(s, n), slice_of("constexpr"));
  TSTreeCursor cursor = ts_tree_cursor_new(n); // the only way to all nodes of a field
  for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
       more = ts_tree_cursor_goto_next_sibling(&cursor)) {
    const char *field = ts_tree_cursor_current_field_name(&cursor);
    TSNode d = ts_tree_cursor_current_node(&cursor);
    bool function = node_is(n, "type_definition") || constant;
    if (!field || strcmp(field, "declarator") != 0)
      continue;
    first = ts_node_is_null(first) ? d : first;
    struct class_member *m = scope_add_member(st, s, scope_member_name(d, &function),
                                              type,
                                              function   ? MEMBER_OTHER
                                                  : bits ? MEMBER_BITS
                                                         : MEMBER_DATA);
    if (m)
      m->kind = function ? MEMBER_OTHER : m->kind;
    if (m && m->kind == MEMBER_DATA)
      m->plain = scope_plain(st, s, d, first);
    if (m && m->kind == MEMBER_DATA && node_is(d, "field_identifier"))
      m->words = (struct slice){ s->text + ts_node_start_byte(n),
                                 ts_node_start_byte(first) - ts_node_start_byte(n) };
  }
  ts_tree_cursor_delete(&cursor);
}

// Adds what the class body, or an #if or template in it, declares.
static void scope_members(struct statement *st, const struct source *s, TSNode body) {
  for (uint32_t i = 0; i < ts_node_named_child_count(body); i++) {
    TSNode n = ts_node_named_child(body, i), type = node_field(n, "type");
    if (node_is(n, "template_declaration") ||
        strncmp(ts_node_type(n), "preproc_", 8) == 0) {
      scope_members(st, s, n);
      continue;
    }
    if (node_is_any(type, scope_classes) || node_is(type, "enum_specifier")) {
      scope_add_member(st, s, node_field(type, "name"), (TSNode){ 0 }, MEMBER_OTHER);
      TSNode list = node_field(type, "body");
      for (uint32_t j = 0; node_is(type, "enum_specifier") && !ts_node_is_null(list) &&
           j < ts_node_named_child_count(list);
           j++)
        scope_add_member(st, s, node_field(ts_node_named_child(list, j), "name"),
                         (TSNode){ 0 }, MEMBER_OTHER);
    }
    if (node_is(n, "alias_declaration"))
      scope_add_member(st, s, node_field(n, "name"), (TSNode){ 0 }, MEMBER_OTHER);
    scope_declared(st, s, n);
  }
}

// Adds the members of the class NAME, and of those it is derived from.
static void scope_class(struct statement *st, struct slice name, unsigned depth) {
  const struct item *item;
  for (const struct name *n = NULL;
       (item = items_named(&st->x->items, NAME_ORDINARY, name, &n)) != NULL;) {
    if (!item->type || !memchr(item->text.data, '{', item->text.size))
      continue;
    struct source *s = source_of(st->s->path, item->text.data, item->text.size);
    source_parse(s, st->s->language);
    TSNode class = scope_find_class(s, ts_tree_root_node(s->tree), name);
    if (ts_node_is_null(class))
      continue;
    scope_members(st, s, node_field(class, "body"));
    TSNode bases = node_child(class, "base_class_clause");
    for (uint32_t i = 0;
         depth < 8 && !ts_node_is_null(bases) && i < ts_node_named_child_count(bases);
         i++) {
      TSNode base = ts_node_named_child(bases, i);
      if (node_is(base, "template_type"))
        base = node_field(base, "name");
      if (node_is(base, "type_identifier"))
        scope_class(st, source_slice(s, base), depth + 1);
    }
    return;
  }
}

// Adds the members of the class around N, which may lie in another one.
static void scope_around(struct statement *st, TSNode class) {
  TSNode body = node_field(class, "body");
  if (!ts_node_is_null(body))
    scope_members(st, st->s, body);
  TSNode bases = node_child(class, "base_class_clause");
  for (uint32_t i = 0; !ts_node_is_null(bases) && i < ts_node_named_child_count(bases);
       i++) {
    TSNode base = ts_node_named_child(bases, i);
    if (node_is(base, "template_type"))
      base = node_field(base, "name");
    if (node_is(base, "type_identifier"))
      scope_class(st, statement_text(st, base), 0);
  }
}

// Adds the members of the class that the qualified name of ST's function says.
static void scope_qualified(struct statement *st) {
  TSNode d = node_field(st->function, "declarator");
  while (!ts_node_is_null(d) && !node_is(d, "function_declarator"))
    d = declarator_inner(d);
  if (ts_node_is_null(d))
    return;
  for (TSNode n = node_field(d, "declarator"); node_is(n, "qualified_identifier");
       n = node_field(n, "name")) {
    TSNode scope = node_field(n, "scope");
    if (node_is(scope, "template_type"))
      scope = node_field(scope, "name");
    if (!ts_node_is_null(scope))
      scope_class(st, statement_text(st, scope), 0);
  }
}

const struct class_member *scope_member(const struct statement *st, struct slice name) {
  for (unsigned i = 0; i < st->n_members; i++)
    if (slices_same(st->members[i].name, name))
      return &st->members[i];
  return NULL;
}

// Adds the `using …;` of the blocks around the statement.
static void scope_using(struct statement *st, TSNode n) {
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++) {
    TSNode child = ts_node_named_child(n, i);
    struct slice text = statement_text(st, child);
    if (ts_node_start_byte(child) >= ts_node_start_byte(st->node))
      return;
    if (node_is(child, "using_declaration"))
      st->usings = arena_printf("%s %.*s", st->usings, (int)text.size, text.data);
    else if (node_within(st->node, child))
      scope_using(st, child);
  }
}

// ---- lambdas ------------------------------------------------------------------------

// Returns the text of L's captures between the brackets.
static struct slice scope_captures(const struct statement *st, TSNode l) {
  struct slice text = statement_text(st, node_field(l, "captures"));
  return text.size < 2 ? (struct slice){ "", 0 }
                       : (struct slice){ text.data + 1, text.size - 2 };
}

// Diagnoses captures of the lambda L that the kernel cannot have.
static void scope_lambda(struct statement *st, TSNode l) {
  unsigned n;
  struct slice *list = slice_split(scope_captures(st, l), &n);
  for (unsigned i = 0; i < n && st->fine; i++) {
    struct lexer rest = lexer_of(list[i]);
    struct slice word = lex(&rest).text;
    bool copy = slice_is(word, "*");
    word = copy || slice_is(word, "&") ? lex(&rest).text : word;
    bool more = lex(&rest).kind != TOKEN_END, own = copy && slice_is(word, "this");
    if (own || (more && node_mentions(st->s, st->node, word)))
      statement_refuse(st, "capture variables by their names",
                       "the lambda around it captures '%.*s'", (int)list[i].size,
                       list[i].data);
  }
}

bool scope_captured(const struct statement *st, const struct capture *c) {
  for (TSNode n = st->node; !ts_node_eq(n, st->function); n = ts_node_parent(n))
    if (node_is(n, "lambda_expression"))
      return !c->member && !node_within(c->declared, n);
  return false;
}

bool scope_copies(const struct statement *st, const struct capture *c) {
  for (TSNode n = st->node; !ts_node_eq(n, st->function); n = ts_node_parent(n)) {
    unsigned count;
    bool copied = false;
    if (!node_is(n, "lambda_expression") || c->member || node_within(c->declared, n))
      continue;
    struct slice *list = slice_split(scope_captures(st, n), &count);
    for (unsigned i = 0; i < count; i++) {
      struct lexer l = lexer_of(list[i]);
      struct slice word = lex(&l).text;
      bool reference = slice_is(word, "&") && slices_same(lex(&l).text, c->name);
      copied = (copied || slice_is(word, "=") || slices_same(word, c->name)) &&
          !reference;
    }
    size_t body = ts_node_start_byte(node_field(n, "body")),
           start = ts_node_start_byte(n);
    struct slice head = { st->s->text + start, body - start };
    if (copied && !lex_mentions(head, slice_of("mutable")))
      return true;
  }
  return false;
}

// ---- the whole ----------------------------------------------------------------------

void scope_read(struct statement *st) {
  bool c = false;
  for (TSNode n = st->node; !ts_node_eq(n, st->function); n = ts_node_parent(n))
    if (node_is(n, "lambda_expression"))
      scope_lambda(st, n);
  if (st->fine && node_holds(st->node, "lambda_expression"))
    statement_refuse(st, "make a function of the lambda", "there is a lambda in it");
  for (TSNode n = ts_node_parent(st->function); st->fine && !ts_node_is_null(n);
       n = ts_node_parent(n)) {
    c = c || node_is(n, "linkage_specification");
    if (node_is(n, "template_declaration"))
      scope_template(st, n);
    else if (node_is_any(n, scope_classes))
      scope_around(st, n);
    else if (node_is(n, "function_definition"))
      statement_refuse(st, "move the class out of the function",
                       "its class is declared in a function");
  }
  if (!st->fine)
    return;
  st->c_linkage = c && !node_is(scope_outermost(st->function), "linkage_specification");
  scope_qualified(st);
  scope_using(st, node_field(st->function, "body"));
}
