// SPDX-License-Identifier: Apache-2.0
// translate.c: what becomes of a .cu file, pass by pass.
#include "../unit.h"
#include "cuda.h"

bool cuda_translate(struct source *s, const struct compile_options *o, bool emulate, struct text *out)
{
  unsigned errors = diag_errors(), n_pragmas, n_kernels, n_launches;
  struct pragma *pragmas = pragma_all(s, &n_pragmas);
  if (n_pragmas) {
    source_parse(s);
    struct kernel *kernels = cuda_kernels(s, pragmas, n_pragmas, &n_kernels);
    for (unsigned i = 0; i < n_kernels; i++)
      adopt_options(&kernels[i], o);
    cuda_launches(s, kernels, n_kernels, &n_launches);
  }
  if (diag_errors() != errors)
    return false;
  struct text made = { 0 };
  text_add(&made, s->text, s->size);
  if (emulate)
    cuda_emulate(s->path, &made, out);
  else
    *out = made;
  return true;
}
