// SPDX-License-Identifier: Apache-2.0
// translate.c: what becomes of a .cu file, pass by pass.
#include "front/reach/unit.h"
#include "cuda.h"

// Of a file with pragmas. False: something is wrong, and told.
static bool translate_make(struct source *s, const struct pragma *pragmas,
                           unsigned n_pragmas, const struct compile_options *o,
                           bool emulate, struct text *out) {
  unsigned errors = diag_errors(), n_kernels, n_launches;
  source_parse(s);
  struct kernel *kernels = cuda_kernels(s, pragmas, n_pragmas, &n_kernels);
  struct launch *launches = cuda_launches(s, kernels, n_kernels, &n_launches);
  struct cuda_items *items = cuda_items(s, o);
  const struct expansion *x = cuda_macros(s, kernels, n_kernels, items);
  struct cuda_unit *units = arena_alloc((n_kernels + 1) * sizeof *units);
  for (unsigned i = 0; i < n_kernels; i++) {
    adopt_headers(&kernels[i], x);
    adopt_options(&kernels[i], o);
  }
  if (diag_errors() != errors)
    return false;
  for (unsigned i = 0; i < n_kernels; i++)
    units[i] = cuda_unit_build(s, kernels, n_kernels, &kernels[i], items, o);
  cuda_emit(s, pragmas, n_pragmas, kernels, n_kernels, launches, n_launches, items, units,
            x, o, emulate, out);
  return diag_errors() == errors;
}

bool cuda_translate(struct source *s, const struct compile_options *o, bool emulate,
                    struct text *out) {
  unsigned errors = diag_errors(), n_pragmas;
  struct pragma *pragmas = pragma_all(s, &n_pragmas);
  struct text made = { 0 };
  if (diag_errors() != errors)
    return false;
  if (n_pragmas == 0)
    text_add(&made, s->text, s->size);
  else if (!translate_make(s, pragmas, n_pragmas, o, emulate, &made))
    return false;
  if (emulate)
    cuda_emulate(s->path, &made, out);
  else
    *out = made;
  return true;
}
