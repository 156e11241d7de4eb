// SPDX-License-Identifier: Apache-2.0
// classify.c: resolves the typedefs of a kernel's arguments.
#include <string.h>

#include "front/kernel/kernel.h"
#include "unit.h"

// Resolves ITEM's one declarator through typedefs. This ends, because each typedef names
// an earlier one. Returns the declaration at the end of the chain, NULL if it is not
// found.
static const struct item *classify_resolve(const struct expansion *x,
                                           const struct item *item, bool *indirect,
                                           bool *integer, bool *real) {
  *indirect |= item->n_names && item->names[0].indirect;
  for (unsigned depth = 0; depth < 100; depth++) {
    if (item->vector ||
        memmem(item->specifiers.data, item->specifiers.size, "_Complex", 8))
      return item;
    if (!item->type_name.size) {
      *integer = item->integer && !item->real;
      *real = item->real;
      return item;
    }
    const struct name *n = NULL;
    const struct item *type;
    do
      type = items_named(&x->items, NAME_ORDINARY, item->type_name, &n);
    while (type && !type->is_typedef);
    if (!type)
      return item;
    struct slice name = item->type_name;
    item = type;
    for (unsigned i = 0; i < item->n_names; i++) {
      const struct declarator *r = &item->names[i];
      if (slices_same(r->name, name)) {
        *indirect |= r->indirect;
        if (memmem(r->text.data, r->text.size, "vector_size", 11))
          return NULL;
      }
    }
  }
  return NULL;
}

// Returns the parameter list of a function's definition, after its '('.
static struct lexer classify_parameters(const struct item *f) {
  const struct declarator *r = &f->names[0];
  struct lexer l =
      lexer_of((struct slice){ r->name.data, (size_t)(f->body - r->name.data) });
  for (struct token t; (t = lex(&l)).kind != TOKEN_END && !slice_is(t.text, "(");)
    ;
  return l;
}

// Returns the text of the next parameter, up to ',' or the closing ')'.
static struct slice next_parameter(struct lexer *l) {
  const char *start = l->p;
  for (unsigned depth = 0;;) {
    struct token t = lex(l);
    int bracket = lex_bracket(t.text);
    if (t.kind == TOKEN_END || (depth == 0 && (bracket < 0 || slice_is(t.text, ","))))
      return (struct slice){ start, (size_t)(t.text.data - start) };
    depth += (unsigned)bracket;
  }
}

// Corrects A from its preprocessed declaration ITEM: a macro around the whole declarator
// (`double POLYBENCH_2D(A, N, M, n, m)`) hides the argument's name in the source.
static void adopt_declaration(struct kernel_arg *a, const struct item *item) {
  if (!item->n_names || !memchr(a->text.data, '(', a->text.size))
    return;
  a->name = arena_copy(item->names[0].name.data, item->names[0].name.size);
  a->text = item->text;
  a->specifiers = item->specifiers;
  a->pointer = false; // only the macro's parentheses made it look like a pointer; the
                      // caller sets it if it is one
}

// Corrects the result of K: in `uLong ZEXPORT f(…)` or `VOID f(…)` the source alone does
// not distinguish macros from types.
static void classify_result(const struct expansion *x, struct kernel *k,
                            const struct item *f) {
  const char *start = x->source->text + k->main.start,
             *end = x->source->text + k->main.name_at;
  struct lexer l = { start, end, false };
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (names_find(&x->items.names, NAME_MACRO, t.text, NULL)) {
      const char *head = f->text.data;
      signature_result((struct slice){ head, (size_t)(f->names[0].name.data - head) }, k);
      return;
    }
}

void expand_classify(const struct expansion *x, struct kernel *k) {
  const struct item *f = expand_function(x, &k->main);
  if (!f || !f->n_names || !slice_is(f->names[0].name, k->main.name))
    return; // C++: the class that the function is a member of
  classify_result(x, k, f);
  struct lexer l = classify_parameters(f);
  for (unsigned i = 0; i < k->n_args; i++) {
    struct item item = { .text = slice_trim(next_parameter(&l)) };
    struct kernel_arg *a = &k->args[i];
    bool indirect = false, integer = false, real = false;
    declare_item(NULL, &item, 0);
    adopt_declaration(a, &item);
    classify_resolve(x, &item, &indirect, &integer, &real);
    a->pointer |= indirect;
    // std::size_t is known by its words alone
    a->integer = (integer || (x->cplusplus && a->integer)) && !a->pointer;
    a->real = real && !a->pointer;
  }
}

bool classify_parameter(const struct expansion *x, const struct kernel *k, unsigned arg,
                        struct item *out) {
  const struct item *f = expand_function(x, &k->main);
  if (!f || !f->n_names)
    return false;
  struct lexer l = classify_parameters(f);
  *out = (struct item){ 0 };
  for (unsigned i = 0; i <= arg; i++)
    out->text = slice_trim(next_parameter(&l));
  declare_item(NULL, out, 0);
  return true;
}

void classify_key(struct kernel *k) {
  if (k->key_given)
    return;
  k->keys = NULL;
  k->n_keys = 0;
  for (unsigned i = 0; i < k->n_args; i++)
    if (k->args[i].integer && k->args[i].name)
      *GROW(k->keys, k->n_keys) = slice_of(k->args[i].name);
}

// ---- defaults of params that are not in the file --------------------------------------

// Sets P's default to VALUE, which the build or a header gives.
static void adopt_default(struct param *p, struct slice value) {
  value = slice_trim(value);
  p->original = 0;
  while (p->original < p->n_values && !slice_is(value, p->values[p->original].define))
    p->original++;
}

// Reads the last -DNAME=VALUE of each param.
void adopt_options(struct kernel *k, const struct compile_options *o) {
  for (const char *const *a = o->args; a && *a; a++) {
    const char *d = "";
    if (strcmp(*a, "-D") == 0 && a[1])
      d = *++a;
    else if (strncmp(*a, "-D", 2) == 0)
      d = *a + 2;
    size_t n = strcspn(d, "=");
    for (unsigned i = 0; *d && i < k->n_params; i++)
      if (k->params[i].named && k->params[i].macro &&
          slice_is((struct slice){ d, n }, k->params[i].macro))
        adopt_default(&k->params[i], slice_of(d[n] ? d + n + 1 : "1"));
  }
}

// Reads `#define NAME value` in headers.
void adopt_headers(struct kernel *k, const struct expansion *x) {
  for (unsigned i = 0; i < k->n_params; i++) {
    struct param *p = &k->params[i];
    if (!p->named || !p->macro)
      continue;
    for (const struct name *n = NULL;
         (n = names_find(&x->items.names, NAME_MACRO, slice_of(p->macro), n)) != NULL;) {
      const struct macro *m = &x->macros[n->index];
      if (m->undefined || m->ours)
        continue;
      adopt_default(p, slice_after(m->text, m->name));
      break;
    }
  }
}
