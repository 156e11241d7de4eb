// SPDX-License-Identifier: Apache-2.0
// names.c: the program under the names of compilers, for builds that take one word:
// `autotune-gcc` is `autotune cc gcc`. `autotune auto` makes a folder in which the
// compilers' own names are links to the program, and adds it to PATH before all others.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc.h"
#include "commands.h"

static const char prefix[] = "autotune-";

const char *cc_name(const char *program) {
  static const char *const names[] = { "gcc", "cc",      "c99",  "clang", "g++",
                                       "c++", "clang++", "nvcc", NULL };
  const char *name = path_name(program);
  size_t n = sizeof prefix - 1;
  name += strncmp(name, prefix, n) == 0 ? n : 0;
  return slice_in(slice_of(name), names) ? name : NULL;
}

int cc_run_as(const char *compiler, int argc, char **argv) {
  char **words = arena_alloc(((size_t)argc + 2) * sizeof *words);
  words[0] = arena_printf("cc");
  words[1] = arena_printf("%s", compiler);
  for (int i = 1; i < argc; i++)
    words[i + 1] = argv[i];
  return command_run(&command_cc, argc + 1, words);
}

void cc_names_hide(void) {
  const char *path = getenv("PATH"), *folder = cc_names_folder();
  struct text rest = { 0 };
  bool hidden = false;
  while (path && folder) {
    size_t n = strcspn(path, ":");
    const char *one = arena_copy(path, n);
    if (n && path_same(one, folder))
      hidden = true;
    else
      text_printf(&rest, "%s:", one);
    path = path[n] ? path + n + 1 : NULL;
  }
  if (!hidden)
    return;
  if (rest.size)
    rest.data[rest.size - 1] = '\0';
  setenv("PATH", rest.data ? rest.data : "", 1);
}

struct auto_given {
  bool fast_math, exact;
};

// What the build's compilers are told: an option wins over the variable.
static const char *auto_value(const struct auto_given *g) {
  enum automatic_option by_variable = options_get()->automatic;
  bool fast_math = g->fast_math || by_variable == AUTO_FAST_MATH;
  bool exact = g->exact || (!g->fast_math && by_variable == AUTO_EXACT);
  return exact ? "exact" : fast_math ? "fast-math" : "1";
}

static int auto_run(const struct arguments *a) {
  const struct auto_given *g = a->options;
  const char *folder = cc_names_folder(), *path = getenv("PATH");
  if (!*a->rest || (g->fast_math && g->exact))
    return command_misused(a->command);
  if (!folder)
    fatal("the folder of compilers' names is missing (AUTOTUNE_HOME says where autotune "
          "is installed)");
  cc_names_hide();
  path = getenv("PATH");
  setenv("PATH", path && *path ? arena_printf("%s:%s", folder, path) : folder, 1);
  setenv("AUTOTUNE_AUTO", auto_value(g), 1);
  execvp(*a->rest, a->rest);
  int error = errno;
  fprintf(stderr, "autotune auto: %s: %s\n", *a->rest, strerror(error));
  return error == ENOENT ? 127 : 126;
}

static const struct setting auto_table[] = {
  { "--fast-math", SETTING_SWITCH, NULL,
    "variants may reorder sums of floating-point numbers",
    .at = offsetof(struct auto_given, fast_math) },
  { "--exact", SETTING_SWITCH, NULL, "variants may not change a bit of a result",
    .at = offsetof(struct auto_given, exact) },
  { .name = NULL },
};

const struct command command_auto = {
  "auto",
  "[--fast-math | --exact] -- COMMAND …",
  "run a build that makes hot loops tunable by itself",
  .details = "  as COMMAND …, but gcc, clang and cc are `autotune cc --auto` there\n",
  .notes = "Compilers that the build calls by a path or another name are not reached.\n",
  .options = auto_table,
  .size = sizeof(struct auto_given),
  .rest = REST_FROM_WORD,
  .run = auto_run,
};
