// SPDX-License-Identifier: Apache-2.0
// trial.c: completes the units of a file to variants that can be compiled while the
// program is built, to see whether anything is missing in them.
#include <string.h>

#include "cuda.h"

// True if WORDS, an argument of a template, mean the same everywhere: built-in types and
// numbers. A name may be that of another template's parameter.
static bool trial_means_itself(struct slice words) {
  static const char *const types[] = {
    "void",    "bool",   "char",  "short", "int",   "long",   "signed", "unsigned",
    "float",   "double", "const", "true",  "false", "float2", "float3", "float4",
    "double2", "int2",   "int4",  "uint2", "uint4", "uchar4", NULL
  };
  struct lexer l = lexer_of(words);
  for (struct token t; (t = lex(&l)).kind != TOKEN_END;)
    if (t.kind == TOKEN_WORD
            ? !slice_in(t.text, types)
            : t.kind != TOKEN_NUMBER && !slice_is(t.text, "*") && !slice_is(t.text, "-"))
      return false;
  return words.size > 0;
}

// Appends the arguments of an instance of K, a template. False: no launch names them all.
static bool trial_instance(const struct kernel *k, struct text *out) {
  const struct cuda_kernel *c = cuda_of(k);
  for (unsigned i = 0; i < c->n_launches; i++) {
    unsigned n, fit = 0;
    struct slice *args = slice_split(c->launches[i].template_args, &n);
    while (fit < n && trial_means_itself(args[fit]))
      fit++;
    if (n != c->cxx.n_params || fit < n)
      continue;
    for (unsigned j = 0; j < n; j++)
      text_printf(out, "#define AUTOTUNE_T%u %.*s\n", j, (int)args[j].size, args[j].data);
    return true;
  }
  return c->cxx.n_params == 0;
}

void cuda_trial(const struct source *s, const struct kernel *k, const struct cuda_unit *u,
                struct device_units *all) {
  unsigned *point = arena_alloc((k->n_params + 1) * sizeof *point), n = 0;
  const char **flags = NULL;
  struct text t = { 0 };
  if (k->refused || k->left_out || !trial_instance(k, &t) || !points_default(k, point))
    return;
  for (unsigned i = 0; i < u->n_flags; i++)
    *GROW(flags, n) = u->flags[i];
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct param *p = &k->params[i];
    if (p->macro && p->n_values && p->values[point[i]].define)
      text_printf(&t, "#define %s %s\n", p->macro, p->values[point[i]].define);
  }
  text_add(&t, u->text.data, u->text.size);
  *GROW(flags, n) = NULL;
  *GROW(all->list, all->n) = (struct device_unit){ s, k, t.data, flags };
}
