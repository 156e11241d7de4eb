// SPDX-License-Identifier: Apache-2.0
// depend.c: has the user's compiler write dependency files from the user's file, so
// that they name the same files as without `autotune cc`. Only the name of the dependency
// file and of its target are derived here, by the rules of gcc 11 and later and of clang,
// which differ in few cases.
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bake/bake.h"
#include "cc.h"

static struct slice stem_of(const char *path) {
  const char *name = path_name(path), *dot = strrchr(name, '.');
  return (struct slice){ path, dot && dot > name ? (size_t)(dot - path) : strlen(path) };
}

static const char *depend_file_name(const struct cc_command *c,
                                    const struct cc_source *s) {
  struct slice stem = c->output ? stem_of(c->output) : stem_of(path_name(s->input->path));
  if (c->depend_file)
    return c->depend_file;
  if (!c->output && !c->clang && c->mode == CC_MODE_LINK && c->n_sources > 1)
    return arena_printf("a-%.*s.d", (int)stem.size, stem.data);
  return arena_printf("%.*s.d", (int)stem.size, stem.data);
}

// Returns the target to name in the rule. NULL: the compiler's default, the source's base
// name with .o.
static const char *target_name(const struct cc_command *c) {
  if (!c->clang && (c->mode == CC_MODE_PREPROCESS || c->depend_raw))
    return NULL;
  return c->output;
}

// Adds a rule: the same target also depends on WISDOM. Adds none if WISDOM is a folder or
// a name that make requires to be escaped.
static void add_wisdom(const char *path, const char *wisdom) {
  struct stat st, folder;
  if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || strpbrk(wisdom, " \t$#\\:") ||
      stat(wisdom, &folder) != 0 || !S_ISREG(folder.st_mode))
    return;
  const struct source *s = source_read(path);
  const char *colon = s ? memmem(s->text, s->size, ": ", 2) : NULL;
  if (!colon)
    return;
  struct text t = { 0 };
  text_add(&t, s->text, s->size);
  text_printf(&t, "%.*s: %s\n", (int)(colon - s->text), s->text, wisdom);
  file_write(path, t.data, t.size);
}

int cc_depend_write(const struct cc_command *c, const struct cc_source *s) {
  struct words w = { 0 };
  for (unsigned i = 0; i < c->compiler.n; i++)
    words_add(&w, c->compiler.list[i]);
  for (unsigned i = 0; i < c->n_args; i++)
    switch (c->args[i].class) {
    case CC_OTHER:
    case CC_PREPROCESS:
    case CC_CODE:
    case CC_OPENMP:
    case CC_TARGET:
      if (i != c->dashes)
        words_add_arg(&w, &c->args[i]);
      break;
    default:
      break;
    }
  const char *target = target_name(c);
  if (target && !c->target) {
    words_add(&w, c->nvcc ? "-MT" : "-MQ");
    words_add(&w, target);
  }
  words_add(&w, c->depend_user ? "-MM" : "-M");
  words_add(&w, "-MF");
  words_add(&w, depend_file_name(c, s));
  words_add(&w, "-w");
  if (c->clang)
    words_add(&w, "-Qunused-arguments");
  if (s->input->language || !c->nvcc) {
    words_add(&w, "-x");
    words_add(&w, s->input->language ? s->input->language : "none");
  }
  words_add(&w, s->input->path);
  if (strcmp(s->input->path, "-") == 0)
    lseek(0, 0, SEEK_SET); // source.c replaced it by a file
  int status = cc_run(c, &w);
  if (status == 0 && c->bake)
    add_wisdom(depend_file_name(c, s), c->bake->from);
  return status;
}
