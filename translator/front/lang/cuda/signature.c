// SPDX-License-Identifier: Apache-2.0
// signature.c: reads name and attributes of a __global__ function; templates and
// parameters are read as in all of C++ (lang/cxx/signature.c).
#include <string.h>

#include "cuda.h"

// Reads the words before the name, and __launch_bounds__.
static bool read_head(const struct source *s, const struct function *f,
                      struct kernel *k) {
  struct lexer l = { s->text + f->start, s->text + f->name_at, false };
  bool global = false;
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;) {
    global = global || slice_is(t.text, "__global__");
    k->is_static = k->is_static || slice_is(t.text, "static");
    if (slice_is(t.text, "__launch_bounds__")) {
      const char *end = skip_brackets(&l);
      cuda_of(k)->bounds = (struct slice){ t.text.data, (size_t)(end - t.text.data) };
    }
  }
  if (!global)
    diag_error(s, f->name_at, strlen(f->name),
               "C functions that are to be tuned go to a .c file",
               "'%s' is not a __global__ function: in a .cu file the kernels are tuned",
               f->name);
  return global;
}

// Reads `a::b::k`, NAME.
static bool read_outside(const struct source *s, struct function *f, TSNode name,
                         struct kernel *k) {
  size_t start = ts_node_start_byte(name);
  while (node_is(name, "qualified_identifier") && ts_node_named_child_count(name) > 0)
    name = ts_node_named_child(name, ts_node_named_child_count(name) - 1);
  if (!node_is(name, "identifier"))
    return false;
  struct slice word = source_slice(s, name);
  f->name = arena_copy(word.data, word.size);
  f->name_at = ts_node_start_byte(name);
  const char *spaces = "";
  struct lexer l = { s->text + start, word.data, false };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD)
      spaces = arena_printf("%s%s%.*s", spaces, *spaces ? "::" : "", (int)t.text.size,
                            t.text.data);
  cuda_of(k)->outside = slice_of(spaces);
  return true;
}

void cuda_outside(const struct cuda_kernel *c, bool open, struct text *out) {
  struct lexer l = lexer_of(c->outside);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD && open)
      text_printf(out, "namespace %.*s { ", (int)t.text.size, t.text.data);
    else if (t.kind == TOKEN_WORD)
      text_printf(out, "}");
  text_printf(out, c->outside.size ? "\n" : "");
}

static bool cuda_signature_find_name(const struct source *s, struct function *f,
                                     TSNode *declarator, struct kernel *k) {
  TSNode n = node_child(f->node, "function_declarator");
  TSNode name = ts_node_is_null(n) ? n : ts_node_named_child(n, 0);
  *declarator = n;
  if (!ts_node_is_null(name) && node_is(name, "identifier")) {
    struct slice word = source_slice(s, name);
    f->name = arena_copy(word.data, word.size);
    f->name_at = ts_node_start_byte(name);
    return true;
  }
  if (!ts_node_is_null(name) && node_is(name, "template_function"))
    return cxx_refuse(s, name,
                      "put it on the template itself: each instantiation is tuned alone",
                      "this pragma is before a specialisation");
  if (!ts_node_is_null(name) && node_is(name, "qualified_identifier") &&
      read_outside(s, f, name, k))
    return true;
  if (!ts_node_is_null(name) && node_is(name, "field_identifier"))
    return cxx_refuse(s, name, NULL, "a member of a class cannot be a kernel");
  diag_error(s, f->start, f->body_at - f->start,
             "write its name and parentheses without a macro",
             "the kernel's header is not of the form '__global__ void name(parameters)'");
  return false;
}

bool cuda_signature_read(const struct source *s, struct function *f, struct kernel *k) {
  TSNode declarator;
  k->own = arena_alloc(sizeof(struct cuda_kernel));
  cxx_of(k)->start = f->start;
  cuda_of(k)->block_param = -1;
  f->start = ts_node_start_byte(f->node);
  k->result = slice_of("void");
  if (!cuda_signature_find_name(s, f, &declarator, k) || !read_head(s, f, k))
    return false;
  if (cxx_in_class(f->node)) {
    diag_error(s, f->name_at, strlen(f->name), NULL,
               "a member of a class cannot be a kernel");
    return false;
  }
  cxx_of(k)->namespaces = cxx_namespaces(s, f->node);
  struct slice around = cxx_of(k)->namespaces, outside = cuda_of(k)->outside;
  if (outside.size)
    cxx_of(k)->namespaces =
        slice_of(arena_printf("%.*s%s%.*s", (int)around.size, around.data,
                              around.size ? "::" : "", (int)outside.size, outside.data));
  bool fine = cxx_read_template(s, f, cxx_of(k));
  fine = cxx_read_params(s, declarator, k) && fine;
  for (unsigned i = 0; i < k->n_args; i++)
    if (k->args[i].name_at != SIZE_MAX &&
        lex_mentions(k->args[i].specifiers, slice_of("__grid_constant__")))
      *GROW(f->grid_constants, f->n_grid_constants) = k->args[i].name_at;
  return fine;
}
