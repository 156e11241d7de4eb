/* SPDX-License-Identifier: Apache-2.0 */
/* clang.c: variants by Clang in this process, from libautotune-jit.so. */
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "jit.h"
#include "base/base.h"

static bool clang_applicable(const char *compiler) {
  return strcmp(compiler, "clang") == 0;
}

static const char *compile_clang_version(const char *compiler) {
  (void)compiler;
  char *message = NULL;
  const struct jit_api *jit = jit_open(&message);
  free(message);
  return jit ? jit->version() : NULL;
}

static int compile_clang_compile(const char *compiler, const char *text,
                                 const char *const *flags, struct object *out) {
  (void)compiler;
  *out = (struct object){ 0 };
  const struct jit_api *jit = jit_open(&out->message);
  if (!jit)
    return -1;
  if (sys_fails(SYS_JIT)) {
    out->message = sys_strdup("error: the compiler failed (asked for by AUTOTUNE_FAULT)");
    return -1;
  }
  double begin = sys_now();
  int status = jit->compile(text, flags, &out->data, &out->size, &out->message);
  out->seconds = sys_now() - begin;
  return status;
}

const struct backend backend_clang = { .name = "clang",
                                       .built_in = true,
                                       .applicable = clang_applicable,
                                       .version = compile_clang_version,
                                       .compile = compile_clang_compile };
