// SPDX-License-Identifier: Apache-2.0
// fuzz_pragma.c: clauses of a kernel, or, after an empty first line, a directive on its
// loops.
#include <stdio.h>

#include "fuzz.h"
#include "front/lang/language.h"

static void read_text(const struct text *t) {
  struct source *s = source_of("fuzz.c", t->data, t->size);
  unsigned n, n_kernels;
  struct pragma *pragmas = pragma_all(s, &n);
  source_parse(s, &language_c);
  struct kernel *kernels = kernel_all(s, pragmas, n, &n_kernels);
  for (unsigned i = 0; i < n_kernels && diag_errors() == 0; i++) {
    struct text before = { 0 }, out = { 0 };
    points_count(&kernels[i]);
    loops_write(s, &kernels[i], &kernels[i].main, &before, &out);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static FILE *null;
  struct text t = { 0 };
  bool loop = size > 0 && data[0] == '\n';
  if (!null)
    stderr = null = fopen("/dev/null", "w");
  diag_reset();
  text_printf(&t, "#define MR 4\n#pragma autotune kernel ");
  if (!loop)
    text_add(&t, (const char *)data, size);
  text_printf(
      &t,
      "\nvoid f(int n, int m, double *a, double (*B)[m], float x)\n{\n  x = MR + NR;\n");
  if (loop) {
    text_printf(&t, "#pragma autotune ");
    text_add(&t, (const char *)data + 1, size - 1);
  }
  text_printf(&t,
              "\n  for (int i = 0; i < n; i++)\n    for (int j = 0; j < m; j++)\n"
              "      B[i][j] += a[i] * x;\n}\n");
  read_text(&t);
  arena_reset();
  return 0;
}
