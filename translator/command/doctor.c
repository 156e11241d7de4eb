// SPDX-License-Identifier: Apache-2.0
// doctor.c: `autotune doctor` and `autotune --version`, over the runtime's own look at
// the machine.
#include <string.h>

#include "cc/cc.h"
#include "tools/doctor/doctor.h"
#include "base/base.h"
#include "front/front.h"

static const char usage[] =
    "usage: autotune doctor [--json]\n"
    "  what works on this machine, what is missing and how to get it\n"
    "  ok       it was tried and works\n"
    "  note     it works, but there is something to know\n"
    "  missing  not there, and not needed by all\n"
    "  failed   C kernels are not tuned, or not remembered\n"
    "Exits 1 where something failed.\n";

int command_doctor(int argc, char **argv) {
  static const char *const names[] = { "--json", "--help", NULL };
  struct doctor_options o = { .clang = cc_clang() };
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0)
      return fputs(usage, stdout), 0;
    if (strcmp(argv[i], "--json") != 0) {
      const char *near = value_nearest(argv[i], strlen(argv[i]), names);
      fprintf(stderr, "autotune doctor: %s: not understood%s%s%s\n%s", argv[i],
              near ? "; did you mean " : "", near ? near : "", near ? "?" : "", usage);
      return 2;
    }
    o.json = true;
  }
  return doctor_run(&o, stdout);
}

int command_version(int argc, char **argv) {
  (void)argc, (void)argv;
  puts("autotune " AUTOTUNE_VERSION);
  printf("  %-12s " AUTOTUNE_GRAMMAR_C "\n", "grammar C");
  printf("  %-12s " AUTOTUNE_GRAMMAR_CUDA "\n", "grammar CUDA");
  versions_print(stdout);
  return 0;
}
