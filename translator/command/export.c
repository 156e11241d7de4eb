// SPDX-License-Identifier: Apache-2.0
// export.c: `autotune export` and `autotune why`, over the runtime's readers of results.
#include <string.h>

#include "tools/export/export.h"
#include "keep/store/store.h"
#include "front/front.h"

static const char export_usage[] =
    "usage: autotune export --t4 [KERNEL] [--key n=512] [-o FILE] [--cache DIR]\n"
    "       autotune export --t1 [KERNEL] [--key n=512] [-o FILE] [--cache DIR]\n"
    "  --t4  all variants that were tried, as FAIR T4 results\n"
    "  --t1  what there is to tune, as FAIR T1 input\n";

static const char why_usage[] =
    "usage: autotune why KERNEL [--key n=512] [--cache DIR]\n"
    "  what would run here and now for each key that is known, and why\n";

// The option NAME or, unless it is NULL, SHORT at argv[*i], with its value in *VALUE. 1;
// 0: it is another; -1: the value is missing.
static int export_option(const char *name, const char *brief, int argc, char **argv,
                         int *i, const char **value) {
  size_t n = strlen(name);
  if (strncmp(argv[*i], name, n) == 0 && argv[*i][n] == '=') {
    *value = argv[*i] + n + 1;
    return 1;
  }
  if (strcmp(argv[*i], name) != 0 && !(brief && strcmp(argv[*i], brief) == 0))
    return 0;
  if (*i + 1 == argc)
    return -1;
  *value = argv[++*i];
  return 1;
}

// The options that both have, and the kernel. False: refused.
static bool read_common(const char *command, int argc, char **argv, int *i,
                        struct export_options *o) {
  int got = export_option("--key", NULL, argc, argv, i, &o->key);
  got = got ? got : export_option("--cache", NULL, argc, argv, i, &o->folder);
  if (got == 0 && argv[*i][0] != '-' && !o->kernel) {
    o->kernel = argv[*i];
    got = 1;
  }
  if (got < 0)
    fprintf(stderr, "autotune %s: %s: its value is missing\n", command, argv[*i]);
  else if (got == 0)
    fprintf(stderr, "autotune %s: %s: not understood\n", command, argv[*i]);
  return got > 0;
}

int command_export(int argc, char **argv) {
  struct export_options o = { 0 };
  bool t4 = false, good = true;
  for (int i = 1; i < argc && good; i++) {
    int output = export_option("--output", "-o", argc, argv, &i, &o.output);
    if (output > 0)
      continue;
    if (strcmp(argv[i], "--t4") == 0)
      t4 = true;
    else if (strcmp(argv[i], "--t1") == 0)
      o.t1 = true;
    else if (strcmp(argv[i], "--help") == 0)
      return fputs(export_usage, stdout), 0;
    else
      good = output == 0 && read_common("export", argc, argv, &i, &o);
  }
  if (!good || t4 == o.t1)
    return fputs(export_usage, stderr), 2;
  return export_run(&o, stdout);
}

int command_why(int argc, char **argv) {
  struct export_options o = { 0 };
  bool good = true;
  for (int i = 1; i < argc && good; i++) {
    if (strcmp(argv[i], "--help") == 0)
      return fputs(why_usage, stdout), 0;
    good = read_common("why", argc, argv, &i, &o);
  }
  if (!good || !o.kernel)
    return fputs(why_usage, stderr), 2;
  const struct machine *m = machine_identity();
  return why_print(&(struct why_options){ .folder = o.folder,
                                          .kernel = o.kernel,
                                          .key = o.key,
                                          .cpu = m->cpu,
                                          .isa = m->isa,
                                          .threads = (unsigned)m->numbers.threads,
                                          .toolchain = identity_toolchain() },
                   stdout);
}
