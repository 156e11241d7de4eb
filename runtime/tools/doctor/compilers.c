// SPDX-License-Identifier: Apache-2.0
// compilers.c: checks the compilers and OpenMP's runtime.
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "compile/jit.h"
#include "base/run_program.h"
#include "doctor.h"
#include "base/base.h"

const char doctor_unit[] = "static int answer(void) { return 42; }\n"
                           "int (*const autotune_entry)(void) = answer;\n";

static bool compilers_runs(struct jit_code *code, const struct jit_api *jit) {
  int (**entry)(void) = jit->symbol(code, "autotune_entry");
  return entry && (*entry)() == 42;
}

bool check_compiler(struct finding *f) {
  const char *const flags[] = { "-O2", NULL };
  char *message = NULL;
  void *object = NULL;
  size_t size = 0;
  double began = sys_now();
  const struct jit_api *jit = jit_open(&message);
  if (!jit)
    return finding_say(f, false, "%s",
                       message ? message : "the compiler cannot be loaded");
  double loaded = sys_now();
  struct jit_code *code = NULL;
  if (jit->compile(doctor_unit, flags, &object, &size, &message) == 0)
    code = jit->load(object, size, NULL, 0, &message);
  if (!code)
    return finding_say(f, false, "%s: %s", jit->version(),
                       message ? message : "no reason given");
  if (!compilers_runs(code, jit))
    return finding_say(f, false, "%s: a compiled function gave a wrong answer",
                       jit->version());
  return finding_say(
      f, true,
      "%s, in process: opened in %.0f ms; a function compiled and run in %.0f ms",
      jit->version(), 1e3 * (loaded - began), 1e3 * (sys_now() - loaded));
}

// Writes the first line of PROGRAM's --version to TEXT. Returns the status of
// run_program.
static int compilers_version(const char *program, char *text, size_t size) {
  const char *const args[] = { "--version", NULL };
  *text = '\0';
  int status = run_program(program, args, NULL, text, size, 10);
  text[strcspn(text, "\n")] = '\0';
  return status;
}

bool check_clang(struct finding *f) {
  const char *clang = options_get()->clang;
  char text[512];
  int status = compilers_version(clang, text, sizeof text);
  if (status == 0)
    return finding_say(f, true, "%s (%s)", clang, text);
  return finding_say(f, false, "%s: %s, so `autotune cc` cannot read kernels", clang,
                     status == RUN_FAILED ? "not found" : "does not run");
}

bool check_host(struct finding *f) {
  static const char *const names[] = { "gcc", "cc", "clang", "clang-22" };
  char text[512];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (compilers_version(names[i], text, sizeof text) == 0)
      return finding_say(f, true, "%s (%s)", names[i], text);
  return finding_say(f, false, "no gcc, cc or clang in PATH");
}

bool check_openmp(struct finding *f) {
  char *message = NULL;
  if (openmp_open(&message) == 0)
    return finding_say(f, true, "LLVM's runtime can be loaded");
  return finding_say(f, false, "%s",
                     message ? message : "LLVM's OpenMP runtime cannot be loaded");
}
