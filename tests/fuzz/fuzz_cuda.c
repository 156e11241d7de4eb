// SPDX-License-Identifier: Apache-2.0
// fuzz_cuda.c: a whole .cu file through the translator: its front, and if that finds no
// errors all output, for a device and for the CPU.
#include <stdio.h>

#include "cc/cc.h"
#include "front/lang/cuda/cuda.h"
#include "front/lang/language.h"
#include "fuzz.h"

static void read_file(const char *text, size_t size) {
  struct source *s = source_of("fuzz.cu", text, size);
  unsigned n, n_kernels;
  struct pragma *pragmas = pragma_all(s, &n);
  if (n > 0) {
    source_parse(s, &language_cuda);
    struct kernel *kernels = kernel_all(s, pragmas, n, &n_kernels);
    for (unsigned i = 0; i < n_kernels && diag_errors() == 0; i++) {
      struct text out = { 0 };
      points_count(&kernels[i]);
      for (unsigned j = 0; j < kernels[i].main.n_directives; j++)
        cuda_unroll(&kernels[i], &kernels[i].main.directives[j], &out);
    }
    struct launches launches = cuda_launches(s, kernels, n_kernels);
    for (unsigned i = 0; i < launches.n; i++)
      if (launches.list[i].end > size || launches.list[i].start >= launches.list[i].end ||
          launches.list[i].kernel >= (int)n_kernels)
        __builtin_trap();
  }
}

static void translate(const char *text, size_t size) {
  static const char *const none[] = { NULL };
  const struct compile_options options = { .args = none,
                                           .compiler = none,
                                           .emulate = true };
  struct source *s = source_of("fuzz.cu", text, size);
  struct text out = { 0 }, emulated = { 0 };
  diag_reset();
  if (translate_source(s, &options, &out))
    cuda_emulate(s->path, &out, &emulated);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static FILE *null;
  if (!null)
    stderr = null =
        fopen("/dev/null", "w"); // diagnostics; sanitizers write to the descriptor
  diag_reset();
  const char *text = arena_copy((const char *)data, size);
  read_file(text, size);
  translate(text, size);
  arena_reset();
  return 0;
}
