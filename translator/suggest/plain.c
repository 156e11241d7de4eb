// SPDX-License-Identifier: Apache-2.0
// plain.c: what may be proposed in C++: functions and loops that the grammar of C reads
// (view.c takes it for them), and in which no operator or call may be one of the
// program's own: all of their variables are numbers, arrays or structs of numbers.
#include <string.h>

#include "front/lang/language.h"
#include "front/reach/unit.h"
#include "suggest.h"

enum { PLAIN_DEPTH = 8 }; // of functions that call each other

static const char plain_only[] =
    "only numbers, arrays and structs of them are followed in C++";

// True if the words TYPE name a number or a struct as in C.
static bool plain_is_named(const struct model *m, struct slice type) {
  struct ctype t = type_of_name(m->x, type);
  return (t.base == BASE_NUMBER && t.n == 0) || member_struct(m->x, type, &t);
}

// True if NAME is a constant, or a variable at file scope that is declared as in C.
static bool plain_is_global(const struct model *m, struct slice name) {
  const struct item *item;
  long long number;
  bool any = false;
  for (unsigned i = 0; i < m->k->n_stand_ins; i++)
    if (slices_same(m->k->stand_ins[i].name, name))
      return true;
  if (model_number(m, name, &number))
    return true;
  for (const struct name *n = NULL;
       (item = items_named(&m->x->items, NAME_ORDINARY, name, &n)) != NULL;)
    for (unsigned i = 0; i < item->n_names; i++) {
      if (!slices_same(item->names[i].name, name))
        continue;
      if (!item->names[i].text.size || item->names[i].function || item->is_typedef ||
          !plain_is_named(m, item->specifiers))
        return false;
      any = true;
    }
  return any;
}

// True if the program may have a function NAME of its own.
static bool plain_is_own(const struct model *m, struct slice name) {
  const struct item *item;
  for (const struct name *n = NULL;
       (item = items_named(&m->x->items, NAME_ORDINARY, name, &n)) != NULL;)
    if (!item->system)
      return true;
  return false;
}

// A function whose text is examined.
struct plain {
  const struct model *m;
  struct usage u;
  unsigned depth; // of calls
};

static const char *plain_find(const struct plain *p, TSNode n, TSNode *at);

// True if the function NAME of the program means what it would in C: there is one, and
// only numbers, and structs as in C, are in it.
static bool plain_callee(const struct plain *p, struct slice name) {
  const struct item *item, *found = NULL;
  for (const struct name *n = NULL;
       (item = items_named(&p->m->x->items, NAME_ORDINARY, name, &n)) != NULL;)
    if (item->system || !item->function || (found && item->body))
      return false;
    else
      found = item->body ? item : found;
  if (!found || p->depth > PLAIN_DEPTH)
    return false;
  struct source *s = source_of(p->m->source->path, found->text.data, found->text.size);
  source_parse(s, p->m->source->language);
  TSNode root = ts_tree_root_node(s->tree), at;
  TSNode f = ts_node_named_child_count(root) == 1 ? ts_node_named_child(root, 0)
                                                  : (TSNode){ 0 };
  if (!node_is(f, "function_definition") || ts_node_has_error(f))
    return false;
  struct function own = { .node = f };
  struct plain callee = { p->m, usage_of(s, &own, f), p->depth + 1 };
  return !plain_find(&callee, f, &at);
}

// True if N, the type of a declaration or of a cast, is a number, or a struct as in C.
static bool plain_is_type(const struct plain *p, TSNode n) {
  struct slice words = source_slice(p->u.s, n);
  struct ctype t;
  if (node_is(n, "primitive_type") || node_is(n, "sized_type_specifier"))
    return true;
  if (node_is(n, "struct_specifier"))
    return ts_node_is_null(node_field(n, "body")) && member_struct(p->m->x, words, &t);
  return node_is(n, "type_identifier") && plain_is_named(p->m, words);
}

// Returns what CALL may do other than in C; NULL: nothing.
static const char *plain_call(const struct plain *p, TSNode call) {
  struct slice name = source_slice(p->u.s, node_field(call, "function"));
  struct lexer l = lexer_of(name);
  struct slice word = word_after_std(&l, lex(&l).text);
  bool pure = l.p == l.end && model_is_pure(word) && !plain_is_own(p->m, word);
  bool fine = pure || !plain_is_own(p->m, name) || plain_callee(p, name);
  return fine ? NULL : "it is not known what this call does";
}

// True if N, an identifier, is a variable whose type is known to be as in C.
static bool plain_is_known(const struct plain *p, TSNode n) {
  struct slice name = source_slice(p->u.s, n);
  TSNode up = ts_node_parent(n), first, root = p->u.f->node;
  bool called = node_is(up, "call_expression") &&
      ts_node_eq(node_field(up, "function"), n);
  bool declares = node_is(up, "function_declarator");
  return called || declares || usage_declarators(&p->u, root, name, &first) > 0 ||
      plain_is_global(p->m, name);
}

// Returns why the variable NAME, of type TYPE, is not followed.
static const char *plain_why(struct slice name, struct slice type) {
  return arena_printf("'%.*s' is of type '%.*s', and %s", (int)name.size, name.data,
                      (int)type.size, type.data, plain_only);
}

// Returns why the variable that N declares with TYPE is not followed.
static const char *plain_declared(const struct plain *p, TSNode n, TSNode type) {
  TSNode d = node_field(n, "declarator");
  TSNode name = ts_node_is_null(d) ? d : declarator_name(d);
  if (ts_node_is_null(name))
    return plain_only;
  static const char *const prefixes[] = { "autotune_to_", PLAINER_ALIAS };
  struct slice word = source_slice(p->u.s, name), words = source_slice(p->u.s, type);
  for (unsigned i = 0; i < 2; i++) {
    size_t size = strlen(prefixes[i]);
    if (word.size > size && memcmp(word.data, prefixes[i], size) == 0)
      word = (struct slice){ word.data + size, word.size - size };
  }
  return plain_why(word, words);
}

// Returns what in N may mean something else than in C, and its place; NULL: nothing.
static const char *plain_find(const struct plain *p, TSNode n, TSNode *at) {
  static const char *const typed[] = { "declaration", "parameter_declaration",
                                       "type_descriptor", NULL };
  static const char *const others[] = { "lambda_expression", "new_expression",
                                        "delete_expression", "throw_statement",
                                        "try_statement",     "this",
                                        "template_function", "for_range_loop",
                                        "declaration_list",  NULL };
  TSNode type = node_field(n, "type");
  const char *why = NULL;
  *at = n;
  if (node_is_any(n, typed) && !plain_is_type(p, type) && !node_is(n, "type_descriptor"))
    return plain_declared(p, n, type);
  if (node_is_any(n, others) || (node_is_any(n, typed) && !plain_is_type(p, type)) ||
      (node_is(n, "identifier") && !plain_is_known(p, n)))
    return plain_only;
  if (node_is(n, "call_expression") && (why = plain_call(p, n)))
    return why;
  if (node_is(n, "qualified_identifier"))
    return node_is(ts_node_parent(n), "call_expression") ? NULL : plain_only;
  for (uint32_t i = 0; !why && i < ts_node_named_child_count(n); i++)
    why = plain_find(p, ts_node_named_child(n, i), at);
  return why;
}

// Returns why M's function, which the grammar of C cannot read, is not followed.
static const char *plain_unread(const struct model *m) {
  for (unsigned i = 0; i < m->k->n_args; i++) {
    struct slice type = m->k->args[i].specifiers;
    if (memchr(type.data, '<', type.size))
      return plain_why(slice_of(m->k->args[i].name), type);
  }
  return plain_only;
}

const char *plain_check(struct model *m, TSNode *at) {
  if (!m->source->language->cplusplus)
    return NULL;
  struct plain p = { m, m->u, 0 };
  const struct outlined *o = nests_outlined(m);
  *at = m->u.f->node;
  const char *why = m->k->generic                   ? m->k->generic
      : !m->view || ts_node_has_error(m->u.f->node) ? plain_unread(m)
                                                    : plain_find(&p, m->u.f->node, at);
  if (why && o && o->unviewed)
    why = o->unviewed;
  if (why)
    model_refuse(m, *at, why);
  return why;
}

size_t plain_start(TSNode function) {
  TSNode n = function;
  while (node_is(ts_node_parent(n), "template_declaration"))
    n = ts_node_parent(n);
  return ts_node_start_byte(n);
}

// True if FUNCTION is defined in a class.
static bool plain_in_class(TSNode function) {
  static const char *const classes[] = { "class_specifier", "struct_specifier",
                                         "union_specifier", NULL };
  for (TSNode n = function; !ts_node_is_null(n); n = ts_node_parent(n))
    if (node_is_any(n, classes))
      return true;
  return false;
}

bool plain_is_member(const struct source *s, TSNode function) {
  TSNode d = declarator_of_function(function);
  return s->language->cplusplus &&
      (plain_in_class(function) ||
       (!ts_node_is_null(d) &&
        node_is(node_field(d, "declarator"), "qualified_identifier")));
}
