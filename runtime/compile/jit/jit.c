/* SPDX-License-Identifier: Apache-2.0 */
/* jit.c: the table of libautotune-jit.so, its only visible symbol. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

char *message_of(const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = NULL;
  int size = vasprintf(&text, format, args);
  va_end(args);
  return size < 0 ? NULL : text;
}

AUTOTUNE_API const struct jit_api *autotune_jit(void);

const struct jit_api *autotune_jit(void) {
  static const struct jit_api api = {
    .abi = JIT_ABI,
    .version = clang_version,
    .compile = clang_compile,
    .link_shared = shared_link,
    .load = orc_load,
    .symbol = orc_symbol,
    .unload = orc_unload,
    .calls = orc_calls,
    .disassemble = code_disassemble,
    .list = code_list,
  };
  return &api;
}
