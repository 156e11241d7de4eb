// SPDX-License-Identifier: Apache-2.0
// lacks.c: says at build time for what NVRTC has no way, which compiles a kernel alone
// and without the C++ library.
#include <string.h>

#include "items.h"

// True if I declares a function of the device without a body.
static bool lacks_body(const struct cuda_reach *r, const struct item *i) {
  struct lexer l = lexer_of(i->text);
  return i->kind == ITEM_CODE && i->function && !i->operator_function && !i->own &&
      i->n_names > 0 && !slice_is(lex(&l).text, "template") &&
      i->text.data[i->text.size - 1] == ';' &&
      reach_mentions(r, item_head(i), "__device__", 0);
}

static bool has_body(const struct cuda_reach *r, struct slice name) {
  const struct item *i;
  for (const struct name *n = NULL; (i = reach_next_item(r, name, &n)) != NULL;)
    if (i->kind != ITEM_CODE || !i->function || i->text.data[i->text.size - 1] != ';')
      return true; // or a macro, which may make one
  return false;
}

// True if a macro of the user's stands where a declaration could: it may define anything.
static bool has_maker(const struct cuda_reach *r) {
  for (unsigned n = 0; n < r->items.n; n++) {
    const struct item *i = &r->items.list[n];
    if (i->reached && i->kind == ITEM_CODE && i->function && i->n_names == 1 &&
        i->names[0].name.data == i->text.data)
      return true;
  }
  return false;
}

static const char *undefined_function(const struct cuda_reach *r) {
  for (unsigned n = 0; n < r->items.n && !has_maker(r); n++) {
    const struct item *i = &r->items.list[n];
    if (i->reached && lacks_body(r, i) && !has_body(r, i->names[0].name))
      return arena_printf("'%.*s' is declared here, and defined in another file",
                          (int)i->names[0].name.size, i->names[0].name.data);
  }
  return NULL;
}

static const char *runtime_function(const struct cuda_reach *r) {
  static const char *const names[] = { "cudaMalloc",
                                       "cudaFree",
                                       "cudaMemcpyAsync",
                                       "cudaMemsetAsync",
                                       "cudaDeviceSynchronize",
                                       "cudaStreamCreateWithFlags",
                                       "cudaGraphLaunch",
                                       "cudaGraphSetConditional" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names_has(&r->seen, slice_of(names[i])))
      return arena_printf("'%s' on the device is linked by nvcc", names[i]);
  return NULL;
}

static const char *thrust(const struct cuda_reach *r) {
  for (unsigned n = 0; n < r->items.n; n++) {
    const struct item *i = &r->items.list[n];
    if (i->reached && i->kind == ITEM_INCLUDE &&
        memmem(i->text.data, i->text.size, "thrust/", 7))
      return "Thrust's headers include those of the C++ library";
  }
  return NULL;
}

void lacks_check(const struct cuda_reach *r, const struct source *s) {
  const char *why = thrust(r);
  if (!why)
    why = runtime_function(r);
  if (!why)
    why = undefined_function(r);
  if (why)
    diag_warning(s, r->k->main.name_at, strlen(r->k->main.name),
                 "a kernel needs all its code in this file, in your headers or in CUDA's "
                 "headers for the device",
                 "NVRTC may not compile variants of '%s': %s", r->k->main.name, why);
}
