// SPDX-License-Identifier: Apache-2.0
// read.c: reads a file and its options for the other commands as `autotune cc` does.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cc.h"
#include "front/lang/language.h"

// Returns the command `COMPILER ARGS… PATH` as `autotune cc` reads it.
static struct cc_command *command_of(const char *compiler, char **args,
                                     const char *path) {
  char **argv = NULL;
  unsigned n = 0;
  *GROW(argv, n) = arena_printf("%s", compiler);
  while (*args)
    *GROW(argv, n) = *args++;
  *GROW(argv, n) = arena_printf("%s", path);
  *GROW(argv, n) = NULL;
  return cc_command_read((int)n - 1, argv, false);
}

struct source *cc_read(const char *path, char **args, struct compile_options *o) {
  struct source *s = source_read(path);
  if (!s)
    fatal("%s: %s", path, strerror(errno));
  *o = cc_options(path, args);
  struct cc_command *c = command_of(o->language->nvcc ? "nvcc" : "cc", args, path);
  c->pedantic = true; // #line in place of linemarkers: all compilers know it
  struct cc_headers *h =
      cc_headers_scan(c, path, (struct slice){ s->text, s->size }, o->language);
  if (cc_headers_kernel(h)) {
    struct text whole = cc_headers_inline(h);
    s = source_of(path, whole.data, whole.size);
    o->args += h->conflict ? 2 : 0; // skips the `-iquote` of the folder
  }
  return s;
}

const char *const *cc_run_only(const char *names) {
  struct words w = { 0 };
  for (size_t n; names && *names; names += n + (names[n] == ',')) {
    n = strcspn(names, ",");
    words_add(&w, arena_copy(names, n));
  }
  return words_end(&w);
}

struct compile_options cc_options(const char *path, char **args) {
  const char *folder = path_folder(path);
  struct words all = { 0 };
  words_add(&all, "-iquote");
  words_add(&all, *folder ? folder : ".");
  // ARGS may be those of nvcc: the language shows it
  const struct cc_command *c = command_of("nvcc", args, path);
  const struct language *l = c->n_inputs ? c->inputs[c->n_inputs - 1].written_in : NULL;
  l = l ? l : language_of(path); // a header
  l = l ? l : language_default();
  if (l->nvcc)
    cc_nvcc_translator_args(c, l, &all);
  while (!l->nvcc && *args)
    words_add(&all, *args++);
  return (struct compile_options){
    .args = words_end(&all), .language = l, .clang = cc_clang(), .run = cc_run_only(NULL)
  };
}
