// SPDX-License-Identifier: Apache-2.0
// flags.c: checks that Clang knows the flags a kernel names in flags(…). At run time
// unknown flags are left out, because those of the build may be for another compiler;
// those of flags(…) are meant for Clang.
#include <string.h>

#include "unit.h"

// True if WORD only says how code is made. With other words a source could name a program
// that Clang's driver runs even where it compiles nothing: `-fopenmp-targets=nvptx64
// -B./bin` runs ./bin/nvptx-arch.
static bool flags_is_harmless(const char *word) {
  static const char *const fine[] = { "-O",    "-f", "-m", "-W", "-g",
                                      "-std=", "-D", "-U", NULL },
                           *const others[] = { "-fopenmp-targets", "-foffload", NULL };
  return preprocess_among(word, fine) && !preprocess_among(word, others);
}

// Returns the words of TEXT after a command that compiles nothing: only Clang's driver
// looks at the flags. NULL: it must not.
static const char **flags_command(const char *clang, const char *text) {
  static const char *const head[] = { "-###", "-c", "-x", "c", "/dev/null" };
  const char **argv = NULL;
  unsigned argc = 0;
  *GROW(argv, argc) = clang;
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    *GROW(argv, argc) = head[i];
  for (const char *p = text; *(p += strspn(p, " \t\n"));) {
    size_t size = strcspn(p, " \t\n");
    const char *word = *GROW(argv, argc) = arena_copy(p, size);
    if (!flags_is_harmless(word))
      return NULL;
    p += size;
  }
  *GROW(argv, argc) = NULL;
  return argv;
}

// Returns the text after "error: " in Clang's first error; NULL: there is none.
static const char *flags_first_error(struct text *errors) {
  char *at = errors->data ? strstr(errors->data, "error: ") : NULL;
  if (!at)
    return NULL;
  at += strlen("error: ");
  return arena_copy(at, strcspn(at, "\n"));
}

// Returns why Clang does not take the flags of TEXT; NULL: it does, or cannot be asked.
static const char *flags_refusal(const char *clang, const char *text,
                                 struct flags_asked *asked) {
  for (unsigned i = 0; i < asked->n; i++)
    if (strcmp(asked->answers[i].flags, text) == 0)
      return asked->answers[i].why;
  struct text out = { 0 }, errors = { 0 };
  const char **command = *text ? flags_command(clang, text) : NULL;
  int status = command ? run_command(command, &out, &errors) : 0;
  const char *why = status != 0 && status != 127 ? flags_first_error(&errors) : NULL;
  GROW(asked->answers, asked->n)->flags = text;
  asked->answers[asked->n - 1].why = why;
  return why;
}

void flags_check(const struct source *s, const struct kernel *k,
                 const struct compile_options *o, struct flags_asked *asked) {
  if (k->n_compilers != 1 || strcmp(k->compilers[0], "clang") != 0)
    return; // with several compilers, each reports the flags that it does not know
  for (unsigned i = 0; i < k->n_params; i++)
    for (unsigned j = 0; k->params[i].kind == VALUE_FLAGS && j < k->params[i].n_values;
         j++) {
      const struct value *v = &k->params[i].values[j];
      const char *why = flags_refusal(o->clang, v->text, asked);
      if (why)
        diag_error(s, v->offset, strlen(v->text) + 2,
                   "only what Clang knows can be tried in process; name another compiler "
                   "with compiler(…)",
                   "flags: %s", why);
    }
}
