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

// Compiles TEXT with FLAGS and LAST, which ends with NULL. Returns the compiler's status.
static int trial_compile(const struct text *text, const char *const *flags,
                         unsigned n_flags, const char *const *last,
                         const struct compile_options *o, struct text *errors) {
  const char **argv = NULL, *path = temp_path("autotune_unit.cpp");
  unsigned argc = 0;
  struct text out = { 0 };
  file_write(path, text->data, text->size);
  *GROW(argv, argc) = o->clang;
  for (unsigned i = 0; i < n_flags; i++)
    *GROW(argv, argc) = flags[i];
  for (; *last; last++)
    *GROW(argv, argc) = *last;
  *GROW(argv, argc) = path;
  *GROW(argv, argc) = NULL;
  return run_command(argv, &out, errors);
}

// What Clang said of a text. A file is tried with its proposals before it is translated.
static struct {
  struct tried {
    struct slice text;
    const char *flags, *error;
  } *list;
  unsigned n;
} trials; // in the arena

static void trial_forget(void *unused) {
  (void)unused;
  trials.list = NULL;
  trials.n = 0;
}

// Does the same once for each TEXT. Returns as cxx_trial.
static const char *trial_run(const struct text *text, const char *const *flags,
                             unsigned n_flags, const char *const *last,
                             const struct compile_options *o) {
  struct text errors = { 0 }, all = { 0 };
  struct slice own = { text->data, text->size };
  for (unsigned i = 0; i < n_flags; i++)
    text_printf(&all, "%s\n", flags[i]);
  for (const char *const *l = last; *l; l++)
    text_printf(&all, "%s\n", *l);
  for (unsigned i = 0; i < trials.n; i++)
    if (slices_same(trials.list[i].text, own) &&
        strcmp(trials.list[i].flags, all.data) == 0)
      return trials.list[i].error;
  int status = trial_compile(text, flags, n_flags, last, o, &errors);
  const char *error = status == 0 || status == 127 ? NULL : trial_error(&errors);
  if (trials.n == 0)
    arena_defer(trial_forget, NULL);
  *GROW(trials.list, trials.n) = (struct tried){ own, all.data, error };
  return error;
}

void cxx_trial_errors(const struct text *text, const struct compile_options *o,
                      struct text *errors) {
  static const char *const last[] = { "-xc++",
                                      "-nostdinc",
                                      "-w",
                                      "-fsyntax-only",
                                      "-ferror-limit=0",
                                      "-Qunused-arguments",
                                      "-fno-caret-diagnostics",
                                      NULL };
  unsigned n_flags;
  const char **flags = preprocess_flags(o, &n_flags);
  trial_compile(text, flags, n_flags, last, o, errors);
}

const char *cxx_trial(const struct kernel *k, const struct unit *u,
                      const struct compile_options *o) {
  static const char *const last[] = { "-nostdinc",
                                      "-fsyntax-only",
                                      "-Qunused-arguments",
                                      "-Werror=global-constructors",
                                      "-fno-caret-diagnostics",
                                      NULL };
  struct text text = { 0 };
  trial_params(k, &text);
  text_add(&text, u->text.data, u->text.size);
  return trial_run(&text, u->flags, u->n_flags, last, o);
}

// True if LINE is an #undef or a #define of a param.
static bool trial_is_of_param(const struct kernel *kernels, unsigned n,
                              struct slice line) {
  if (!line.size || *line.data != '#')
    return false;
  struct lexer l = lexer_of(line);
  lex(&l);
  enum line kind = line_kind(lex(&l).text);
  struct slice name = lex(&l).text;
  bool macro = kind == LINE_UNDEF || kind == LINE_DEFINE;
  for (unsigned i = 0; macro && i < n; i++)
    for (unsigned j = 0; j < kernels[i].n_params; j++)
      if (kernels[i].params[j].macro && slice_is(name, kernels[i].params[j].macro))
        return true;
  return false;
}

const char *cxx_trial_file(const struct kernel *kernels, unsigned n,
                           const struct expansion *x, const struct compile_options *o) {
  static const char *const last[] = { "-xc++",
                                      "-nostdinc",
                                      "-w",
                                      "-fsyntax-only",
                                      "-Qunused-arguments",
                                      "-fno-caret-diagnostics",
                                      NULL };
  struct text text = { 0 };
  unsigned n_flags;
  const char **flags = preprocess_flags(o, &n_flags);
  for (unsigned i = 0; i < n; i++)
    trial_params(&kernels[i], &text);
  const char *end = x->text.data + x->text.size;
  for (const char *line = x->text.data, *next; line < end; line = next) {
    next = memchr(line, '\n', (size_t)(end - line));
    next = next ? next + 1 : end;
    if (!trial_is_of_param(kernels, n, (struct slice){ line, (size_t)(next - line) }))
      text_add(&text, line, (size_t)(next - line));
  }
  return trial_run(&text, flags, n_flags, last, o);
}
