// SPDX-License-Identifier: Apache-2.0
// translate.c: the passes over a file, in their order.
#include <string.h>

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

static const struct language *translate_language(const struct translation *t) {
  const struct language *l = t->o->language;
  l = l ? l : language_of(t->s->path);
  return l ? l : language_default();
}

// Reads the kernels of S, which becomes the text with kernels that are statements as
// functions. False: errors, all diagnosed.
static bool translate_read(struct translation *t, const struct language *l) {
  t->errors = diag_errors();
  pragma_check_spelling(t->s);
  t->pragmas = pragma_all(t->s, &t->n_pragmas);
  if (t->n_pragmas == 0)
    return diag_errors() == t->errors;
  if (!translate_heads(t, l))
    return false;
  source_parse(t->s, l);
  if (!translate_outline(t, l))
    return false;
  t->kernels = kernel_all(t->s, t->pragmas, t->n_pragmas, &t->n_kernels);
  return true;
}

// Returns the last -fsanitize= of the build that is not taken back; NULL: none.
static const char *translate_sanitizer(const struct compile_options *o) {
  const char *found = NULL;
  for (const char *const *a = o->args; a && *a; a++)
    found = strncmp(*a, "-fsanitize=", 11) == 0 ? *a
        : strncmp(*a, "-fno-sanitize=", 14) == 0 &&
            (!found || strcmp(*a + 14, "all") == 0 || strcmp(*a + 14, found + 11) == 0)
        ? NULL
        : found;
  return found;
}

// Warns once of a sanitizer in the build's options, which variants are compiled without.
static void translate_check_sanitizer(const struct translation *t,
                                      const struct language *l) {
  const char *sanitizer = t->o->baking || l->device ? NULL : translate_sanitizer(t->o);
  if (!sanitizer || t->n_kernels == 0)
    return;
  const struct pragma *p = t->kernels[0].main.pragma;
  diag_warning(t->s, p->offset, p->end - p->offset,
               "run with AUTOTUNE_MODE=off to have the sanitizer watch the kernels",
               "variants are compiled without %s: it watches the kernels as written only",
               sanitizer);
}

// True if the code as written is not the only variant of K.
static bool translate_has_choices(const struct kernel *k) {
  for (unsigned i = 0; i < k->n_params; i++)
    if (k->params[i].n_values > 1 || k->params[i].original >= k->params[i].n_values)
      return true;
  return false;
}

// Warns of kernels that are tuned for nothing.
static void translate_check_choices(const struct translation *t) {
  for (unsigned i = 0; i < t->n_kernels && !t->o->baking; i++) {
    const struct kernel *k = &t->kernels[i];
    const struct pragma *p = k->main.pragma;
    if (!k->refused && !k->left_out && !translate_has_choices(k))
      diag_warning(
          t->s, p->offset, p->end - p->offset,
          k->language->device
              ? "add sizes of a block, values of a param, flags or an alternative"
              : "add values of a param, flags, compilers, an alternative or a loop "
                "directive",
          "'%s' has nothing to tune: the code as written is its only variant",
          k->main.name);
  }
}

// Reads S and hands it to its language, which writes to OUT unless that is NULL. A file
// without pragmas comes out as it is. False: errors, all diagnosed.
static bool translate_pass(struct translation *t, struct text *out) {
  const struct language *l = translate_language(t);
  if (!translate_read(t, l))
    return false;
  if (t->n_pragmas) {
    translate_check_sanitizer(t, l);
    bool fine = l->translate(t, out);
    if (fine)
      translate_check_choices(t);
    return fine;
  }
  if (out)
    text_add(out, t->s->text, t->s->size);
  return true;
}

struct kernel *translate_outlined(struct source *s, const struct compile_options *o,
                                  unsigned *n) {
  struct translation t = { .s = s, .o = o };
  bool fine = translate_read(&t, translate_language(&t)) && diag_errors() == t.errors;
  *n = fine ? t.n_kernels : 0;
  return t.kernels;
}

const struct kernel *translate_kernels(struct source *s, const struct compile_options *o,
                                       unsigned *n) {
  struct translation t = { .s = s, .o = o };
  s->args = o->args;
  *n = translate_pass(&t, NULL) ? t.n_kernels : 0;
  return t.kernels;
}

bool translate_source(struct source *s, const struct compile_options *o,
                      struct text *out) {
  struct translation t = { .s = s, .o = o };
  s->args = o->args;
  return translate_pass(&t, out);
}
