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

static bool cuda_signature_find_name(const struct source *s, struct function *f,
                                     TSNode *declarator) {
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
  if (!ts_node_is_null(name) && node_is(name, "qualified_identifier"))
    return cxx_refuse(s, name, "define it within `namespace … { }`",
                      "this kernel is defined outside of its namespace");
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
  if (!cuda_signature_find_name(s, f, &declarator) || !read_head(s, f, k))
    return false;
  if (cxx_in_class(f->node)) {
    diag_error(s, f->name_at, strlen(f->name), NULL,
               "a member of a class cannot be a kernel");
    return false;
  }
  cxx_of(k)->namespaces = cxx_namespaces(s, f->node);
  bool fine = cxx_read_template(s, f, cxx_of(k));
  return cxx_read_params(s, declarator, k) && fine;
}
