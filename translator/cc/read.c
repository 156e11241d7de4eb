// SPDX-License-Identifier: Apache-2.0
// read.c: reads a file and its options for the other commands as `autotune cc` does.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cc.h"
#include "front/lang/language.h"

// Returns the command as `autotune cc` reads it, for any compiler. It is pedantic so that
// #line is used in place of linemarkers: all compilers know it.
static const struct cc_command *command_of(const char *path, char **args, bool cuda) {
  char **argv = NULL;
  unsigned n = 0;
  *GROW(argv, n) = cuda ? arena_copy("nvcc", 4) : arena_copy("cc", 2);
  while (*args)
    *GROW(argv, n) = *args++;
  *GROW(argv, n) = arena_copy(path, strlen(path));
  *GROW(argv, n) = NULL;
  struct cc_command *c = cc_command_read((int)n - 1, argv, false);
  c->pedantic = true;
  return c;
}

struct source *cc_read(const char *path, char **args, struct compile_options *o) {
  struct source *s = source_read(path);
  if (!s)
    fatal("%s: %s", path, strerror(errno));
  *o = cc_options(path, args);
  struct cc_headers *h =
      cc_headers_scan(command_of(path, args, o->language == &language_cuda), path,
                      (struct slice){ s->text, s->size });
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
  const struct language *l = cc_nvcc_words(path, args, &all);
  while (l != &language_cuda && *args)
    words_add(&all, *args++);
  return (struct compile_options){ .args = words_end(&all),
                                   .language = l ? l : &language_c,
                                   .clang = cc_clang(),
                                   .run = cc_run_only(NULL) };
}
