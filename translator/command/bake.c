// SPDX-License-Identifier: Apache-2.0
// bake.c: `autotune bake`: a file with its winners written in.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "front/lang/language.h"
#include "cc/cc.h"
#include "bake/bake.h"

static const char usage[] =
    "usage: autotune bake IN.c [--wisdom FILE] [-o OUT.c] [OPTIONS] [-- COMPILER ARGUMENTS]\n"
    "  IN.c as plain C with the winners written in, to compile without autotune\n"
    "  --wisdom FILE   winners from FILE (autotune db export), or a folder of results;\n"
    "                  default: the results of this user\n"
    "  -o OUT.c        default: standard output\n"
    "  --machine TEXT  only winners of processors with TEXT in their name\n"
    "  --threads N     only winners that were found with N threads\n"
    "  --exact         winners for tuned keys alone, the default for all others\n"
    "  --unchecked     also winners of another text of the kernel, or of other flags\n"
    "  COMPILER ARGUMENTS are those of the build: -O3, -march=native, -I, -D …\n";

struct given {
  struct bake bake;
  const char *in, *out;
  bool help;
};

// The number of words that are options of ours; -1: something is wrong, and was told.
static int read_options(int argc, char **argv, struct given *g) {
  int i = 1;
  for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
    bool more = i + 1 < argc;
    if (strcmp(argv[i], "--help") == 0)
      g->help = true;
    else if (strcmp(argv[i], "-o") == 0 && more)
      g->out = argv[++i];
    else if (strcmp(argv[i], "--wisdom") == 0 && more)
      g->bake.from = argv[++i];
    else if (strcmp(argv[i], "--machine") == 0 && more)
      g->bake.machine = argv[++i];
    else if (strcmp(argv[i], "--threads") == 0 && more && atoi(argv[i + 1]) > 0)
      g->bake.threads = (unsigned)atoi(argv[++i]);
    else if (strcmp(argv[i], "--exact") == 0)
      g->bake.exact = true;
    else if (strcmp(argv[i], "--unchecked") == 0)
      g->bake.unchecked = true;
    else if (argv[i][0] != '-' && !g->in)
      g->in = argv[i];
    else
      return fprintf(stderr, "autotune bake: unexpected %s\n%s", argv[i], usage), -1;
  }
  if (!g->in && !g->help)
    return fputs(usage, stderr), -1;
  return i;
}

static bool same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
      x.st_ino == y.st_ino;
}

int command_bake(int argc, char **argv) {
  struct given g = { .in = NULL };
  int own = read_options(argc, argv, &g);
  if (own < 0 || g.help)
    return own < 0 ? 2 : fputs(usage, stdout) < 0;
  char **args = argv + (own < argc ? own + 1 : argc);
  if (g.out && (same_file(g.in, g.out) || (g.bake.from && same_file(g.bake.from, g.out))))
    fatal("%s is what is baked, and would be overwritten: name another file behind -o",
          g.out);
  struct compile_options o;
  struct source *s = cc_read(g.in, args, &o);
  struct text out = { 0 };
  bake_into(&o, &g.bake);
  if (!translate_source(s, &o, &out))
    return 1;
  if (file_replace(g.out, &out) != 0)
    fatal("%s: %s", g.out ? g.out : "standard output", strerror(errno));
  return 0;
}
