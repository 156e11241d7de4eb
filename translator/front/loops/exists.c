// SPDX-License-Identifier: Apache-2.0
// exists.c: tells compilers which memory exists. A loop that may end early, as a search
// does, reads one element after the other: what follows the last one that it reads might
// not be there. A section that the user declares says that it is, so Clang from 21 on
// compares a whole vector of elements at a time.
#include "front/analysis/analysis.h"
#include "loops.h"

static const char exists_macro[] =
    "#ifndef AUTOTUNE_EXISTS\n"
    "#if defined(__has_builtin)\n"
    "#if __has_builtin(__builtin_assume_dereferenceable)\n"
    "#define AUTOTUNE_EXISTS(p, n) ((void)__builtin_assume_aligned((p), "
    "__alignof__(*(p))), \\\n"
    "  __builtin_assume_dereferenceable((p), (unsigned long)(n) * sizeof *(p)))\n"
    "#endif\n"
    "#endif\n"
    "#ifndef AUTOTUNE_EXISTS\n"
    "#define AUTOTUNE_EXISTS(p, n) ((void)0)\n"
    "#endif\n"
    "#endif\n";

// True if a loop in N may end early, or calls what may.
static bool exists_helps(const struct source *s, TSNode n, bool in_loop) {
  static const char *const loops[] = { "for_statement", "while_statement", "do_statement",
                                       "for_range_loop", NULL };
  static const char *const ends[] = { "break_statement", "return_statement",
                                      "goto_statement", NULL };
  TSNode called = node_field(n, "function");
  bool calls = node_is(n, "call_expression") &&
      !(node_is(called, "identifier") && model_is_pure(source_slice(s, called)));
  if (in_loop && (calls || node_is_any(n, ends)))
    return true;
  in_loop = in_loop || node_is_any(n, loops);
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

// True if TEXT is a sum of products of numbers and parameters.
static bool exists_is_known(const struct builder *b, struct slice text) {
  static const char *const fine[] = {
    "+", "*", "(", ")", "int", "long", "unsigned", NULL
  };
  struct lexer l = lexer_of(text);
  for (struct token t = lex(&l); t.kind != TOKEN_END; t = lex(&l))
    if (t.kind != TOKEN_NUMBER && !slice_in(t.text, fine) &&
        !(t.kind == TOKEN_WORD && exists_is_parameter(b, t.text, false)))
      return false;
  return text.size > 0;
}

void exists_write(const struct builder *b, struct text *out) {
  if (!b->functions || b->resolve || b->k->inferred || b->f != &b->k->main ||
      !exists_helps(b->s, b->f->node, false))
    return;
  for (unsigned i = 0; i < b->k->n_sections; i++) {
    const struct section *c = &b->k->sections[i];
    const struct section_dim *d = c->dims;
    if (c->n_dims == 1 && !c->returned &&
        (d->low.size == 0 || slice_is(slice_trim(d->low), "0")) &&
        exists_is_parameter(b, c->base, true) && exists_is_known(b, d->length))
      text_printf(out, " AUTOTUNE_EXISTS(%.*s, %.*s);", (int)c->base.size, c->base.data,
                  (int)d->length.size, d->length.data);
  }
}

void exists_write_macro(const struct text *body, struct text *before) {
  static const struct slice name = { "AUTOTUNE_EXISTS", sizeof "AUTOTUNE_EXISTS" - 1 };
  if (lex_mentions((struct slice){ body->data, body->size }, name))
    text_printf(before, "\n%s", exists_macro);
}
