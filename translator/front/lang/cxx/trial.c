// SPDX-License-Identifier: Apache-2.0
// trial.c: compiles a unit once while its file is translated. A unit is cut from the file
// by names alone, so that only a compiler can tell that nothing is missing. An object of
// the unit's own that needs a constructor would be another one than the program's: that
// is an error here, too.
#include <string.h>

#include "cxx.h"

// Appends the definitions that the tuner puts before a unit.
static void trial_params(const struct kernel *k, struct text *out) {
  for (unsigned i = 0; i < k->n_params; i++) {
    const struct param *p = &k->params[i];
    unsigned n = p->original < p->n_values ? p->original : 0;
    if (p->macro && p->n_values && p->values[n].define)
      text_printf(out, "#define %s %s\n", p->macro, p->values[n].define);
  }
}

// Returns the first error in ERRORS, without the place of the temporary file.
static const char *trial_error(const struct text *errors) {
  const char *from = errors->data, *end = from + errors->size;
  const char *mark = memmem(from, errors->size, "error: ", 7);
  if (!mark)
    return "it does not compile";
  if (memmem(mark, (size_t)(end - mark), "requires a global", 17))
    return "an object that it uses has a constructor, which each variant would call again";
  const char *stop = memchr(mark, '\n', (size_t)(end - mark));
  return arena_copy(mark + 7, (size_t)((stop ? stop : end) - mark) - 7);
}

const char *cxx_trial(const struct kernel *k, const struct unit *u,
                      const struct compile_options *o) {
  const char **argv = NULL, *path = temp_path("autotune_unit.cpp");
  unsigned argc = 0;
  struct text text = { 0 }, out = { 0 }, errors = { 0 };
  trial_params(k, &text);
  text_add(&text, u->text.data, u->text.size);
  file_write(path, text.data, text.size);
  *GROW(argv, argc) = o->clang;
  for (unsigned i = 0; i < u->n_flags; i++)
    *GROW(argv, argc) = u->flags[i];
  static const char *const last[] = { "-nostdinc", "-fsyntax-only",

                                      "-Qunused-arguments", "-Werror=global-constructors",
                                      "-fno-caret-diagnostics" };
  for (size_t i = 0; i < sizeof last / sizeof *last; i++)
    *GROW(argv, argc) = last[i];
  *GROW(argv, argc) = path;
  *GROW(argv, argc) = NULL;
  int status = run_command(argv, &out, &errors);
  return status == 0 || status == 127 ? NULL : trial_error(&errors);
}
