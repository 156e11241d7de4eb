// SPDX-License-Identifier: Apache-2.0
// views.c: C++: a std::vector, std::array or std::span of which a statement uses nothing
// but elements and their number. The kernel gets the pointer to the elements, and the
// number if it needs that, so that it reads like C:
//
//   x[i]  x.data()  x.size()     become     x[i]  x  x_size
#include <string.h>

#include "statement.h"

enum { VIEWS_DEEP = 8 }; // aliases of aliases that are followed

// ---- types --------------------------------------------------------------------------

struct container {
  struct slice element; // the type of its elements
  bool constant;        // … which may not be changed
  bool owner;           // they are in memory of its own
};

// Returns the text between `<` and the first `,` or `>`, and moves L after the `>`;
// empty: there is none.
static struct slice views_argument(struct lexer *l) {
  struct lexer inner = *l;
  const char *end = NULL;
  unsigned depth = 0;
  if (!slice_is(lex(&inner).text, "<") || !cut_skip_angles(l))
    return (struct slice){ 0 };
  const char *from = inner.p;
  for (struct token t; !end && (t = lex(&inner)).kind != TOKEN_END;) {
    bool closes = slice_is(t.text, ">");
    if (depth == 0 && (closes || slice_is(t.text, ",")))
      end = t.text.data;
    depth += (unsigned)(lex_bracket(t.text) + slice_is(t.text, "<") - closes);
  }
  return end ? slice_trim((struct slice){ from, (size_t)(end - from) })
             : (struct slice){ 0 };
}

// Returns the words that the alias NAME stands for; empty: it is none, or several.
static struct slice views_alias(const struct statement *st, struct slice name) {
  const struct item *item, *found = NULL;
  for (const struct name *n = NULL;
       (item = items_named(&st->x->items, NAME_ORDINARY, name, &n)) != NULL; found = item)
    if (found)
      return (struct slice){ 0 };
  struct slice text = found ? found->text : (struct slice){ 0 };
  struct lexer l = lexer_of(text);
  struct slice first = lex(&l).text;
  const char *from = slice_is(first, "using") ? memchr(text.data, '=', text.size) : NULL;
  if (from)
    return (struct slice){ from + 1, (size_t)(text.data + text.size - from) - 2 };
  if (slice_is(first, "typedef") && found->n_names == 1)
    return (struct slice){ l.p, (size_t)(found->names[0].name.data - l.p) };
  return (struct slice){ 0 };
}

// True if the file has vectors of bool, whose elements have no addresses.
static bool views_has_bits(const struct statement *st) {
  struct lexer l = lexer_of((struct slice){ st->s->text, st->s->size });
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    struct lexer ahead = l;
    if (slice_is(t.text, "vector") && slice_is(lex(&ahead).text, "<") &&
        slice_is(lex(&ahead).text, "bool"))
      return true;
  }
  return false;
}

// True if elements of type TEXT are numbers, structs as in C, or of a template's type.
static bool views_is_element(const struct statement *st, struct slice text) {
  struct lexer l = lexer_of(text);
  struct token t = lex(&l);
  t = slice_is(t.text, "const") ? lex(&l) : t;
  struct ctype type = type_of_name(st->x, text);
  if (scope_is_parameter(st, t.text))
    return lex(&l).kind == TOKEN_END && !views_has_bits(st);
  return !lex_mentions(text, slice_of("bool")) &&
      !lex_mentions(type.name, slice_of("bool")) &&
      (kinds_number(st, text) || member_struct(st->x, text, &type));
}

// Reads the type WORDS. False: it is no such container, or one of other elements.
static bool views_read(const struct statement *st, struct slice words, unsigned depth,
                       struct container *v) {
  static const char *const names[] = { "vector", "array", "span", NULL };
  struct lexer l = lexer_of(words);
  const struct name *own = NULL;
  struct token t = lex(&l);
  for (; word_of_cplusplus(t.text) & (WORD_QUALIFIER | WORD_STORAGE); t = lex(&l)) {
    if (slice_is(t.text, "volatile") || slice_is(t.text, "mutable"))
      return false;
    v->constant = v->constant || slice_is(t.text, "const");
  }
  struct slice name = word_after_std(&l, t.text);
  bool standard = !slices_same(name, t.text);
  const struct item *item = items_named(&st->x->items, NAME_ORDINARY, name, &own);
  struct slice element = slice_in(name, names) && (standard || !item || item->system)
      ? views_argument(&l)
      : (struct slice){ 0 };
  t = lex(&l);
  v->constant = v->constant || slice_is(t.text, "const");
  if (t.kind != TOKEN_END && (!slice_is(t.text, "const") || lex(&l).kind != TOKEN_END))
    return false;
  if (element.size) {
    v->element = element;
    v->owner = !slice_is(name, "span");
    v->constant = v->constant && v->owner;
    return views_is_element(st, element);
  }
  struct slice alias = standard ? (struct slice){ 0 } : views_alias(st, name);
  return alias.size && depth < VIEWS_DEEP && views_read(st, alias, depth + 1, v);
}

// Sets *V to what the capture C is; false: no such container.
static bool views_of(const struct statement *st, const struct capture *c,
                     struct container *v) {
  const struct class_member *m = c->member ? scope_member(st, c->name) : NULL;
  bool object = c->shape == SHAPE_PLAIN || c->shape == SHAPE_REFERENCE;
  bool shared = m && lex_mentions(m->words, slice_of("static"));
  *v = (struct container){ .constant = c->member ? scope_is_const(st) && !shared
                                                 : scope_copies(st, c) };
  if (!object || (c->deduced && !m) || (m && !m->words.size))
    return false;
  bool fine = views_read(st, m ? m->words : c->specifiers, 0, v);
  v->owner = v->owner && c->shape == SHAPE_PLAIN;
  return fine;
}

// ---- uses ---------------------------------------------------------------------------

static enum views_use views_method(struct slice name) {
  return slice_is(name, "size") ? VIEWS_SIZE
      : slice_is(name, "data")  ? VIEWS_DATA
                                : VIEWS_OTHER;
}

// Returns what the statement does with the variable N. *END: where that ends.
static enum views_use views_use(const struct statement *st, TSNode n, size_t *end) {
  TSNode up = ts_node_parent(n), call = ts_node_parent(up);
  if (node_is(up, "subscript_expression"))
    return ts_node_eq(node_field(up, "argument"), n) ? VIEWS_ELEMENT : VIEWS_OTHER;
  if (!node_is(up, "field_expression") || !node_is(call, "call_expression") ||
      !ts_node_eq(node_field(call, "function"), up) ||
      ts_node_named_child_count(node_field(call, "arguments")))
    return VIEWS_OTHER;
  *end = ts_node_end_byte(call);
  return views_method(statement_text(st, node_field(up, "field")));
}

enum views_use views_clause_use(struct lexer *l) {
  struct lexer ahead = *l;
  struct slice next = lex(&ahead).text;
  if (slice_is(next, "["))
    return VIEWS_ELEMENT;
  struct slice name = slice_is(next, ".") ? lex(&ahead).text : (struct slice){ 0 };
  if (!slice_is(lex(&ahead).text, "(") || !slice_is(lex(&ahead).text, ")"))
    return VIEWS_OTHER;
  *l = ahead;
  return views_method(name);
}

// True if the pragmas of ST use no more of C. *SIZE: they use the number of elements.
static bool views_in_clauses(const struct statement *st, const struct capture *c,
                             bool *size) {
  for (unsigned i = 0; i < st->n_pragmas; i++) {
    const struct pragma *p = &st->pragmas[i];
    struct lexer l = lexer_of(slice_of(p->blanked));
    if (p->offset < st->p->offset || p->offset >= statement_end(st))
      continue;
    for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
      if (!slices_same(t.text, c->name))
        continue;
      enum views_use use = p == st->p && p->kind == PRAGMA_KERNEL ? views_clause_use(&l)
                                                                  : VIEWS_OTHER;
      *size = *size || use == VIEWS_SIZE;
      if (use == VIEWS_OTHER)
        return false;
    }
  }
  return true;
}

// True if what is called CALLED, text of ST or a macro's name, may change a container.
static bool views_is_unknown(const struct statement *st, struct slice called) {
  struct lexer l = lexer_of(called);
  struct slice word = word_after_std(&l, lex(&l).text);
  const struct macro *m = expand_macro(st->x, word, SIZE_MAX);
  if (slice_is(word, "static_cast") || kinds_number(st, called) ||
      (l.p == l.end && model_is_pure(word)))
    return false;
  if (!m || !m->function)
    return true;
  struct lexer body = lexer_of(slice_after(m->text, m->name));
  cut_skip_group(&body); // its parameters
  for (struct token t; (t = lex(&body)).kind != TOKEN_END;) {
    struct lexer ahead = body;
    bool calls = t.kind == TOKEN_WORD && slice_is(lex(&ahead).text, "(");
    if (calls && !slice_is(t.text, "sizeof") && !model_is_pure(t.text))
      return true;
  }
  return false;
}

// True if F, which is called, is a member function of a container that ST captures.
static bool views_is_member(const struct statement *st, TSNode f) {
  TSNode object = node_field(f, "argument");
  struct container v;
  const struct capture *c = node_is(f, "field_expression")
      ? captures_named(st, statement_text(st, object))
      : NULL;
  return c && views_of(st, c, &v);
}

// True if N calls what may change the container itself.
static bool views_calls(const struct statement *st, TSNode n) {
  TSNode f = node_field(n, "function");
  if (node_is(n, "call_expression") && !views_is_member(st, f) &&
      views_method(statement_text(st, node_field(f, "field"))) == VIEWS_OTHER &&
      views_is_unknown(st, statement_text(st, f)))
    return true;
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (views_calls(st, ts_node_named_child(n, i)))
      return true;
  return false;
}

// True if ST uses of C no more than V has. *SIZE: it uses the number of elements.
static bool views_applies(const struct statement *st, const struct capture *c,
                          bool *size) {
  size_t end;
  *size = false;
  if (c->in_macro || c->in_pragma || c->n_privates || c->shared)
    return false;
  for (unsigned i = 0; i < c->n_mentions; i++) {
    enum views_use use = views_use(st, kinds_mention(st, c->mentions[i]), &end);
    *size = *size || use == VIEWS_SIZE;
    if (use == VIEWS_OTHER)
      return false;
  }
  return views_in_clauses(st, c, size);
}

// ---- what becomes of them -----------------------------------------------------------

// Returns a name for the number of elements of C.
static const char *views_size(const struct statement *st, const struct capture *c) {
  struct slice text = { st->s->text, st->s->size };
  int size = (int)c->name.size;
  const char *name = arena_printf("%.*s_size", size, c->name.data);
  for (unsigned i = 2; lex_mentions(text, slice_of(name)) ||
       names_find(&st->x->items.names, NAME_MACRO, slice_of(name), NULL);
       i++)
    name = arena_printf("%.*s_size_%u", size, c->name.data, i);
  return name;
}

// Adds what the uses of C's members become.
static void views_replace(struct statement *st, const struct capture *c) {
  for (unsigned i = 0; i < c->n_mentions; i++) {
    size_t start = c->mentions[i], end = 0;
    enum views_use use = views_use(st, kinds_mention(st, start), &end);
    if (use == VIEWS_ELEMENT)
      continue;
    const char *text = use == VIEWS_SIZE ? c->size
                                         : arena_copy(c->name.data, c->name.size);
    unsigned at = st->n_drops;
    struct drop drop = { start, end, text };
    *GROW(st->drops, st->n_drops) = drop;
    for (; at > 0 && st->drops[at - 1].start > start; at--)
      st->drops[at] = st->drops[at - 1];
    st->drops[at] = drop;
  }
}

// Makes a pointer of the container C, which is V. SIZE: the number of elements is used.
static void views_make(struct statement *st, struct capture *c, struct container v,
                       bool size) {
  int length = (int)c->name.size;
  c->view = true;
  c->owner = v.owner;
  c->size = size ? views_size(st, c) : NULL;
  c->deduced = false;
  c->shape = SHAPE_POINTER;
  c->specifiers = v.element;
  if (v.constant && !lex_mentions(v.element, slice_of("const")))
    c->specifiers =
        slice_of(arena_printf("const %.*s", (int)v.element.size, v.element.data));
  c->declarator = slice_of(arena_printf("*%.*s", length, c->name.data));
  c->at = c->declarator.data + 1;
  views_replace(st, c);
}

void views_find(struct statement *st) {
  bool calls = st->cplusplus && views_calls(st, st->node), size;
  struct container v;
  for (unsigned i = 0; st->cplusplus && !st->unviewed && i < st->n_captures; i++) {
    const struct capture *c = &st->captures[i];
    const char *name = arena_copy(c->name.data, c->name.size);
    if (!views_of(st, c, &v))
      continue;
    if (calls)
      st->unviewed = arena_printf("a function that it calls may change '%s'", name);
    else if (!views_applies(st, c, &size)) // perhaps another one is the same object
      st->unviewed =
          arena_printf("it uses more of '%s' than %s[i], %s.data() and %s.size()", name,
                       name, name, name);
  }
  for (unsigned i = 0; st->cplusplus && !st->unviewed && i < st->n_captures; i++) {
    struct capture *c = &st->captures[i];
    if (views_of(st, c, &v) && views_applies(st, c, &size))
      views_make(st, c, v, size);
  }
}

void views_tell(const struct statement *st, struct outlined *out) {
  out->unviewed = st->unviewed;
  for (unsigned i = 0; i < st->n_captures; i++) {
    const struct capture *c = &st->captures[i];
    if (c->view)
      *GROW(out->views, out->n_views) =
          (struct viewed){ arena_copy(c->name.data, c->name.size), c->size, c->owner };
  }
}
