// SPDX-License-Identifier: Apache-2.0
// translate.c: `autotune translate`.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/lang/language.h"
#include "cc/cc.h"

static const char usage[] =
    "usage: autotune translate IN.c [-o OUT.c] [-- COMPILER ARGUMENTS]\n"
    "Writes IN.c as the compiler gets it from `autotune cc`, to OUT.c or standard output.\n";

int command_translate(int argc, char **argv) {
  const char *in = NULL, *path = NULL;
  int i = 1;
  for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--help") == 0)
      return fputs(usage, stdout) < 0;
    if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
      path = argv[++i];
    else if (argv[i][0] != '-' && !in)
      in = argv[i];
    else
      return fprintf(stderr, "autotune translate: unexpected %s\n%s", argv[i], usage), 2;
  }
  if (!in)
    return fputs(usage, stderr), 2;
  struct compile_options o;
  struct source *s = cc_read(in, argv + (i < argc ? i + 1 : argc), &o);
  struct text out = { 0 };
  if (!translate_source(s, &o, &out))
    return 1;
  if (file_replace(path, &out) != 0)
    fatal("%s: %s", path ? path : "standard output", strerror(errno));
  return 0;
}
