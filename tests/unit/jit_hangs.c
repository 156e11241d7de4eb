// SPDX-License-Identifier: Apache-2.0
// A libautotune-jit.so whose compiler never comes to an end.
#include <stdlib.h>
#include <unistd.h>

#include "compile/jit.h"

static const char *version(void) {
  return "clang that hangs";
}

static int compile(const char *text, const char *const *flags, void **object, size_t *size,
                   char **message) {
  (void)text, (void)flags, (void)object, (void)size, (void)message;
  while (pause() != 0) // it never returns anything else than -1
    ;
  return -1;
}

const struct jit_api *autotune_jit(void);
__attribute__((visibility("default"))) const struct jit_api *autotune_jit(void) {
  static const struct jit_api api = { .abi = JIT_ABI, .version = version, .compile = compile };
  return &api;
}
