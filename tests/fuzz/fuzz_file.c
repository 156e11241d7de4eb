// SPDX-License-Identifier: Apache-2.0
// fuzz_file.c: a whole file through the translator's front, and each kernel's text as its
// unit has it.
#include <stdio.h>

#include "fuzz.h"
#include "front/lang/language.h"

static void read_file(const char *text, size_t size) {
  struct source *s = source_of("fuzz.c", text, size);
  unsigned n, n_kernels;
  bool mentioned = source_mentions_autotune(text, size);
  struct pragma *pragmas = pragma_all(s, &n);
  if (n > 0 && !mentioned)
    __builtin_trap(); // `autotune cc` would not have read the file
  if (n > 0) {
    source_parse(s, &language_c);
    struct kernel *kernels = kernel_all(s, pragmas, n, &n_kernels);
    for (unsigned i = 0; i < n_kernels && diag_errors() == 0; i++) {
      struct text before = { 0 }, out = { 0 };
      points_count(&kernels[i]);
      loops_write(s, &kernels[i], &kernels[i].main, &before, &out);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static FILE *null;
  if (!null)
    stderr = null = fopen("/dev/null",
                          "w"); // diagnostics; sanitizers write to the descriptor
  diag_reset();
  read_file(arena_copy((const char *)data, size), size);
  arena_reset();
  return 0;
}
