// SPDX-License-Identifier: Apache-2.0
// exists.c: tells compilers which memory exists. A loop that may end early, as a search
// does, reads one element after the other: what follows the last one that it reads might
// not be there. A section that the user declares says that it is, so Clang from 22 on
// compares a whole vector of elements at a time.
#include "front/analysis/analysis.h"
#include "loops.h"

// It is a declaration, because other declarations may follow it. An empty section may
// begin at a null pointer, so nothing is said of it. Clang 21 takes constant sizes only.
static const char exists_macro[] =
    "#ifndef AUTOTUNE_EXISTS\n"
    "#if defined(__clang_major__) && __clang_major__ >= 22\n"
    "#define AUTOTUNE_EXISTS(p, n) \\\n"
    "  __attribute__((__unused__)) const char autotune_exists_##p = (n) > 0 ? \\\n"
    "    ((void)__builtin_assume_aligned((const void *)(p), __alignof__(*(p))), \\\n"
    "     __builtin_assume_dereferenceable((const void *)(p), \\\n"
    "                                      (unsigned long)(n) * sizeof *(p)), 0) : 0;\n"
    "#else\n"
    "#define AUTOTUNE_EXISTS(p, n)\n"
    "#endif\n"
    "#endif\n";

// True if a loop in N may end early, or calls what may.
static bool exists_helps(const struct source *s, TSNode n, bool in_loop) {
  static const char *const ends[] = { "break_statement", "return_statement",
                                      "goto_statement", NULL };
  TSNode called = node_field(n, "function");
  bool calls = node_is(n, "call_expression") &&
      !(node_is(called, "identifier") && model_is_pure(source_slice(s, called)));
  if (in_loop && (calls || node_is_any(n, ends)))
    return true;
  in_loop = in_loop || node_is_loop(n);
  for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
    if (exists_helps(s, ts_node_named_child(n, i), in_loop))
      return true;
  return false;
}

// True if NAME is a parameter, a pointer or not.
static bool exists_is_parameter(const struct builder *b, struct slice name,
                                bool pointer) {
  TSNode list = node_field(declarator_of_function(b->f->node), "parameters"), first;
  return !ts_node_is_null(list) && usage_is_pointer(&b->u, name) == pointer &&
      usage_declarators(&b->u, list, name, &first) == 1;
}

// True if TEXT is a number or a parameter. Other lengths might overflow at some call.
static bool exists_is_known(const struct builder *b, struct slice text) {
  struct lexer l = lexer_of(text);
  struct token t = lex(&l);
  return (t.kind == TOKEN_NUMBER ||
          (t.kind == TOKEN_WORD && exists_is_parameter(b, t.text, false))) &&
      lex(&l).kind == TOKEN_END;
}

// True if a declaration may be written at AT, after the function's `{`. Some lines of the
// preprocessor and `__label__` must be the first there.
static bool exists_may_stand(const struct source *s, size_t at) {
  struct lexer l = lexer_of((struct slice){ s->text + at, s->size - at });
  struct token t = lex(&l);
  return !slice_is(t.text, "#") && !slice_is(t.text, "_Pragma") &&
      !slice_is(t.text, "__label__");
}

// True if an earlier section than K's section AT begins with the same pointer.
static bool exists_is_repeated(const struct kernel *k, unsigned at) {
  for (unsigned i = 0; i < at; i++)
    if (slices_same(k->sections[i].base, k->sections[at].base))
      return true;
  return false;
}

void exists_write(const struct builder *b, struct text *out) {
  if (!b->functions || b->resolve || b->k->inferred || b->f != &b->k->main ||
      !exists_may_stand(b->s, b->f->body_at + 1) ||
      !exists_helps(b->s, b->f->node, false))
    return;
  for (unsigned i = 0; i < b->k->n_sections; i++) {
    const struct section *c = &b->k->sections[i];
    const struct section_dim *d = c->dims;
    if (c->n_dims == 1 && !c->returned && !exists_is_repeated(b->k, i) &&
        (d->low.size == 0 || slice_is(slice_trim(d->low), "0")) &&
        exists_is_parameter(b, c->base, true) && exists_is_known(b, d->length))
      text_printf(out, " AUTOTUNE_EXISTS(%.*s, %.*s)", (int)c->base.size, c->base.data,
                  (int)d->length.size, d->length.data);
  }
}

void exists_write_macro(const struct text *body, struct text *before) {
  static const struct slice name = { "AUTOTUNE_EXISTS", sizeof "AUTOTUNE_EXISTS" - 1 };
  if (lex_mentions((struct slice){ body->data, body->size }, name))
    text_printf(before, "\n%s", exists_macro);
}
