// SPDX-License-Identifier: Apache-2.0
// translate.c: the passes over a file, in their order.
#include "front/lang/language.h"

// Makes functions of the kernels that are statements, and reads the file once more if
// there were any. False: errors, all diagnosed.
static bool translate_outline(struct translation *t, const struct language *l) {
  bool changed = false;
  if (!l->outline || diag_errors() != t->errors)
    return true; // without them all pragmas are not known
  if (!l->outline(t->s, t->pragmas, t->n_pragmas, t->o, &changed))
    return false;
  if (changed) {
    t->pragmas = pragma_all(t->s, &t->n_pragmas);
    source_parse(t->s, l);
  }
  return true;
}

// Gives kernels prototypes, and reads the pragmas once more if that changed the file.
// False: errors, all diagnosed.
static bool translate_heads(struct translation *t, const struct language *l) {
  bool changed = false;
  if (!l->heads || diag_errors() != t->errors)
    return true; // without them all pragmas are not known
  if (!l->heads(t->s, t->pragmas, t->n_pragmas, &changed))
    return false;
  if (changed)
    t->pragmas = pragma_all(t->s, &t->n_pragmas);
  return true;
}

// Reads S and hands it to its language, which writes to OUT unless that is NULL. A file
// without pragmas comes out as it is. False: errors, all diagnosed.
static bool translate_pass(struct translation *t, struct text *out) {
  const struct language *l = t->o->language;
  l = l ? l : language_of(t->s->path);
  l = l ? l : language_default();
  t->errors = diag_errors();
  t->pragmas = pragma_all(t->s, &t->n_pragmas);
  if (t->n_pragmas == 0) {
    if (out && diag_errors() == t->errors)
      text_add(out, t->s->text, t->s->size);
    return diag_errors() == t->errors;
  }
  if (!translate_heads(t, l))
    return false;
  source_parse(t->s, l);
  if (!translate_outline(t, l))
    return false;
  t->kernels = kernel_all(t->s, t->pragmas, t->n_pragmas, &t->n_kernels);
  return l->translate(t, out);
}

const struct kernel *translate_kernels(struct source *s, const struct compile_options *o,
                                       unsigned *n) {
  struct translation t = { .s = s, .o = o };
  *n = translate_pass(&t, NULL) ? t.n_kernels : 0;
  return t.kernels;
}

bool translate_source(struct source *s, const struct compile_options *o,
                      struct text *out) {
  struct translation t = { .s = s, .o = o };
  return translate_pass(&t, out);
}
