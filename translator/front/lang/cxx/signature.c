// SPDX-License-Identifier: Apache-2.0
// signature.c: reads templates, namespaces and parameters of a function of C++ from its
// tree.
#include <string.h>

#include "front/lang/language.h"
#include "front/include.h"
#include "cxx.h"

bool node_inside(TSNode node, const char *type, TSNode *found) {
  do
    node = ts_node_parent(node);
  while (!ts_node_is_null(node) && !node_is(node, type));
  *found = node;
  return !ts_node_is_null(node);
}

bool cxx_refuse(const struct source *s, TSNode n, const char *hint, const char *message) {
  size_t start = ts_node_start_byte(n), size = ts_node_end_byte(n) - start;
  if (s->language->device)
    diag_error(s, start, size, hint, "%s", message);
  else
    diag_untuned(s, start, size, hint, "this kernel is not tuned: %s", message);
  return false;
}

// Returns the text from A up to B, trimmed.
static struct slice signature_between(const struct source *s, size_t a, size_t b) {
  struct slice text = slice_trim((struct slice){ s->text + a, b > a ? b - a : 0 });
  struct directive d;
  size_t at = 0;
  if (directive_next(text, &at, &d)) // lang/cuda/choose.c has chosen
    text = slice_trim((struct slice){ s->parsed + a, b > a ? b - a : 0 });
  return text;
}

// ---- the declarator of a parameter --------------------------------------------------

// Returns the identifier that declarator N declares; null: none.
static TSNode signature_declared(TSNode n) {
  while (!node_is(n, "identifier") && !node_is(n, "type_identifier")) {
    TSNode next = { 0 };
    for (uint32_t i = 0; i < ts_node_named_child_count(n); i++) {
      TSNode c = ts_node_named_child(n, i);
      if (node_is(c, "identifier") || strstr(ts_node_type(c), "declarator")) {
        next = c;
        break;
      }
    }
    if (ts_node_is_null(next))
      return next;
    n = next;
  }
  return n;
}

struct declaration {
  TSNode name;                // null: none
  TSNode declarator;          // the outermost
  size_t specifiers_end, end; // end: without a default
  struct slice initial;
};

// Reads the declaration of a parameter of a function or of a template.
static struct declaration declaration_of(const struct source *s, TSNode n) {
  struct declaration d = { .end = ts_node_end_byte(n),
                           .specifiers_end = ts_node_end_byte(n) };
  uint32_t count = ts_node_child_count(n);
  for (uint32_t i = 0; i < count; i++) {
    TSNode c = ts_node_child(n, i);
    if (node_is(c, "=")) {
      d.initial = signature_between(s, ts_node_end_byte(c), ts_node_end_byte(n));
      d.end = i > 0 ? ts_node_end_byte(ts_node_child(n, i - 1)) : ts_node_start_byte(c);
      if (ts_node_is_null(d.declarator))
        d.specifiers_end = d.end;
      break;
    }
    if (!ts_node_is_null(d.declarator))
      continue;
    if (node_is(c, "identifier") || strstr(ts_node_type(c), "declarator")) {
      d.declarator = c;
      d.name = signature_declared(c);
      d.specifiers_end = i > 0 ? ts_node_end_byte(ts_node_child(n, i - 1))
                               : ts_node_start_byte(c);
    }
  }
  return d;
}

// ---- template <…> -------------------------------------------------------------------

static bool read_template_param(const struct source *s, TSNode n,
                                struct cxx_function *c) {
  const char *type = ts_node_type(n);
  struct declaration d = declaration_of(s, n);
  struct template_param p = { .text = source_slice(s, n), .initial = d.initial };
  TSNode name = d.name;
  if (strncmp(type, "variadic", 8) == 0)
    return cxx_refuse(s, n, NULL, "a kernel's template has no parameter packs");
  if (strcmp(type, "template_template_parameter_declaration") == 0)
    return cxx_refuse(s, n, "let it be a type: `typename F`",
                      "a template as parameter is not understood");
  if (strcmp(type, "type_parameter_declaration") == 0 ||
      strcmp(type, "optional_type_parameter_declaration") == 0) {
    p.type = true;
    name = node_child(n, "type_identifier");
  } else {
    p.type_text = signature_between(s, ts_node_start_byte(n), d.specifiers_end);
  }
  if (ts_node_is_null(name) || (d.initial.size && ts_node_start_byte(name) >= d.end))
    return cxx_refuse(s, n, "give it a name", "a template parameter without a name");
  struct slice word = source_slice(s, name);
  p.name = arena_copy(word.data, word.size);
  *GROW(c->params, c->n_params) = p;
  return true;
}

bool cxx_read_template(const struct source *s, const struct function *f,
                       struct cxx_function *c) {
  TSNode t = ts_node_parent(f->node), again, list;
  if (ts_node_is_null(t) || !node_is(t, "template_declaration"))
    return true;
  list = node_child(t, "template_parameter_list");
  if (node_inside(t, "template_declaration", &again))
    return cxx_refuse(s, list, NULL, "a kernel has one template <…>");
  if (ts_node_named_child_count(list) == 0)
    return cxx_refuse(s, list,
                      "put it on the template itself: each instantiation is tuned alone",
                      "this pragma is before a specialisation");
  c->template_head = signature_between(s, ts_node_start_byte(t), ts_node_end_byte(list));
  bool fine = true;
  for (uint32_t i = 0; i < ts_node_named_child_count(list); i++)
    if (!node_is(ts_node_named_child(list, i), "comment"))
      fine = read_template_param(s, ts_node_named_child(list, i), c) && fine;
  return fine;
}

// ---- namespaces, classes ------------------------------------------------------------

// Namespaces without a name add nothing.
struct slice cxx_namespaces(const struct source *s, TSNode n) {
  const char *path = "";
  while (node_inside(n, "namespace_definition", &n)) {
    TSNode name = node_child(n, "namespace_identifier");
    if (ts_node_is_null(name))
      name = node_child(n, "nested_namespace_specifier");
    if (ts_node_is_null(name))
      continue;
    const char *own = "";
    struct lexer l = lexer_of(source_slice(s, name));
    for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
      own = arena_printf("%s%.*s", own, (int)t.text.size, t.text.data);
    path = arena_printf("%s%s%s", own, *path ? "::" : "", path);
  }
  return slice_of(path);
}

bool cxx_in_class(TSNode n) {
  TSNode around;
  return node_inside(n, "field_declaration_list", &around);
}

// ---- parameters ---------------------------------------------------------------------

static bool signature_holds(TSNode n, const char *type) {
  while (!ts_node_is_null(n) && strstr(ts_node_type(n), "declarator")) {
    if (node_is(n, type))
      return true;
    TSNode inner = { 0 };
    for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
      if (strstr(ts_node_type(ts_node_named_child(n, i)), "declarator"))
        inner = ts_node_named_child(n, i);
    n = inner;
  }
  return false;
}

// Gives a kernel's parameter without a name one, if it can come last: `int`, `const T *`.
// False: it cannot.
static bool signature_name_param(const struct source *s, const struct declaration *d,
                                 struct kernel *k, struct kernel_arg *a) {
  if (!s->language->device || d->initial.size ||
      signature_holds(d->declarator, "abstract_array_declarator") ||
      signature_holds(d->declarator, "abstract_function_declarator"))
    return false;
  a->name = arena_printf("autotune_unnamed_%u", k->n_args);
  a->text = slice_of(arena_printf("%.*s %s", (int)a->text.size, a->text.data, a->name));
  a->pointer = signature_holds(d->declarator, "abstract_pointer_declarator");
  return true;
}

static bool signature_read_param(const struct source *s, TSNode n, struct kernel *k) {
  struct declaration d = declaration_of(s, n);
  size_t start = ts_node_start_byte(n);
  if (node_is(n, "variadic_parameter_declaration") || node_is(n, "..."))
    return cxx_refuse(s, n, NULL, "a kernel with a pack of parameters cannot be tuned");
  bool reference = signature_holds(d.declarator, "reference_declarator") ||
      signature_holds(d.declarator, "abstract_reference_declarator");
  if (reference && s->language->device)
    return cxx_refuse(s, n, "pass it by value, or a pointer to it",
                      "a reference cannot be a parameter of a kernel");
  bool named = !ts_node_is_null(d.name);
  struct slice word = named ? source_slice(s, d.name) : (struct slice){ "", 0 };
  struct kernel_arg arg = { .name = arena_copy(word.data, word.size),
                            .name_at = named ? ts_node_start_byte(d.name) : SIZE_MAX,
                            .text = signature_between(s, start, d.end),
                            .specifiers = signature_between(s, start, d.specifiers_end),
                            .initial = d.initial,
                            .pointer =
                                signature_holds(d.declarator, "pointer_declarator") ||
                                signature_holds(d.declarator, "array_declarator") ||
                                signature_holds(d.declarator, "function_declarator") };
  if (!named && !signature_name_param(s, &d, k, &arg))
    return cxx_refuse(s, n, "give it a name", "an argument of a kernel must have a name");
  struct kernel_arg *a = GROW(k->args, k->n_args);
  *a = arg;
  arg_classify(a);
  if (reference && !lex_mentions(a->specifiers, slice_of("const"))) // it may be an output
    a->integer = a->real = false;
  return true;
}

// True if an #if is among the parameters: only the compiler knows which of them it keeps.
static bool signature_is_conditional(const struct source *s, TSNode list) {
  struct directive d;
  size_t at = 0, start = ts_node_start_byte(list);
  if (!directive_next(source_slice(s, list), &at, &d))
    return false;
  diag_error(s, start + d.offset, d.end - d.offset - 1,
             "write the parameters without; what an #if decides "
             "goes into the body",
             "there is a directive among the parameters of the kernel");
  return true;
}

bool cxx_read_params(const struct source *s, TSNode declarator, struct kernel *k) {
  TSNode list = node_child(declarator, "parameter_list");
  bool fine = s->language->device || !signature_is_conditional(s, list);
  for (uint32_t i = 0; i < ts_node_child_count(list); i++) {
    TSNode n = ts_node_child(list, i);
    if (node_is(n, "...") || strstr(ts_node_type(n), "parameter_declaration"))
      fine = (slice_is(source_slice(s, n), "void") || signature_read_param(s, n, k)) &&
          fine;
  }
  return fine;
}

// ---- alternatives -------------------------------------------------------------------

static bool same_tokens(struct slice a, struct slice b) {
  struct lexer la = lexer_of(a), lb = lexer_of(b);
  for (;;) {
    struct token ta = lex(&la), tb = lex(&lb);
    if (ta.text.size != tb.text.size ||
        memcmp(ta.text.data, tb.text.data, ta.text.size) != 0)
      return false;
    if (ta.kind == TOKEN_END)
      return true;
  }
}

bool cxx_signature_same(const struct source *s, const struct kernel *k,
                        const struct kernel *alternative) {
  if (!signature_same(s, k, alternative))
    return false;
  const struct cxx_function *a = cxx_of(k), *b = cxx_of(alternative);
  const struct function *f = &alternative->main;
  bool same = a->n_params == b->n_params;
  for (unsigned i = 0; same && i < a->n_params; i++)
    same = a->params[i].type == b->params[i].type &&
        strcmp(a->params[i].name, b->params[i].name) == 0 &&
        same_tokens(a->params[i].type_text, b->params[i].type_text);
  if (!same)
    diag_error(s, f->name_at, strlen(f->name),
               "write the same parameters, with the same names",
               "the kernel '%s' has another template <…>", k->main.name);
  else if (!same_tokens(a->namespaces, b->namespaces))
    diag_error(s, f->name_at, strlen(f->name), NULL,
               "the kernel '%s' is in another namespace", k->main.name);
  else
    return true;
  return false;
}
