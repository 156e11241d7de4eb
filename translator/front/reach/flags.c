// SPDX-License-Identifier: Apache-2.0
// flags.c: does the compiler know the flags that a kernel asks for? At run time unknown
// ones are left out, as the build's may be another compiler's; those of flags(…) are
// meant for us.
#include <string.h>

#include "unit.h"

// The words of TEXT behind a command that makes nothing: only Clang's driver looks at
// them.
static const char **flags_command(const char *clang, const char *text) {
  static const char *const head[] = { "-###", "-c", "-x", "c", "/dev/null" };
  const char **argv = NULL;
  unsigned argc = 0;
  *GROW(argv, argc) = clang;
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    *GROW(argv, argc) = head[i];
  for (const char *p = text; *(p += strspn(p, " \t\n"));) {
    size_t size = strcspn(p, " \t\n");
    *GROW(argv, argc) = arena_copy(p, size);
    p += size;
  }
  *GROW(argv, argc) = NULL;
  return argv;
}

// What Clang says, behind its first "error: "; NULL: nothing.
static const char *flags_first_error(struct text *errors) {
  char *at = errors->data ? strstr(errors->data, "error: ") : NULL;
  if (!at)
    return NULL;
  at += strlen("error: ");
  return arena_copy(at, strcspn(at, "\n"));
}

void flags_check(const struct source *s, const struct kernel *k,
                 const struct compile_options *o) {
  if (k->n_compilers != 1 || strcmp(k->compilers[0], "clang") != 0)
    return; // with several, each fails where it does not know a flag
  for (unsigned i = 0; i < k->n_params; i++)
    for (unsigned j = 0; k->params[i].kind == VALUE_FLAGS && j < k->params[i].n_values;
         j++) {
      const struct value *v = &k->params[i].values[j];
      struct text out = { 0 }, errors = { 0 };
      int status = *v->text ? run_command(flags_command(o->clang, v->text), &out, &errors)
                            : 0;
      const char *why = status != 0 && status != 127 ? flags_first_error(&errors) : NULL;
      if (why)
        diag_error(s, v->offset, strlen(v->text) + 2,
                   "only what Clang knows can be tried in process; name another compiler "
                   "with compiler(…)",
                   "flags: %s", why);
    }
}
