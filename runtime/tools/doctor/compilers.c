// SPDX-License-Identifier: Apache-2.0
// compilers.c: what makes variants, what they run with, and what searches learn with.
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "compile/jit.h"
#include "base/run_program.h"
#include "doctor.h"
#include "tune/learn/learn.h"
#include "base/base.h"

// As a variant is: one function, whose address is autotune_entry.
static const char unit[] = "static int answer(void) { return 42; }\n"
                           "int (*const autotune_entry)(void) = answer;\n";

static bool compilers_runs(struct jit_code *code, const struct jit_api *jit) {
  int (**entry)(void) = jit->symbol(code, "autotune_entry");
  return entry && (*entry)() == 42;
}

void check_compiler(struct finding *f, const struct doctor_options *o) {
  (void)o;
  const char *const flags[] = { "-O2", NULL };
  char *message = NULL;
  void *object = NULL;
  size_t size = 0;
  double began = sys_now();
  const struct jit_api *jit = jit_open(&message);
  if (!jit) {
    finding_set(f, DOCTOR_FAILED, "%s",
                message ? message : "the compiler cannot be loaded");
    finding_advise(
        f,
        "install libautotune-jit.so beside libautotune.so (AUTOTUNE_JIT names it elsewhere), "
        "and the packages libllvm22 and libclang-cpp22");
    return;
  }
  double loaded = sys_now();
  struct jit_code *code = NULL;
  if (jit->compile(unit, flags, &object, &size, &message) == 0)
    code = jit->load(object, size, NULL, 0, &message);
  if (!code)
    finding_set(f, DOCTOR_FAILED, "%s: %s", jit->version(),
                message ? message : "no reason given");
  else if (!compilers_runs(code, jit))
    finding_set(f, DOCTOR_FAILED, "%s: a compiled function gave a wrong answer",
                jit->version());
  else
    finding_set(
        f, DOCTOR_OK,
        "%s, in process: opened in %.0f ms; a function compiled and run in %.0f ms",
        jit->version(), 1e3 * (loaded - began), 1e3 * (sys_now() - loaded));
}

void check_clang(struct finding *f, const struct doctor_options *o) {
  (void)o;
  const char *const args[] = { "--version", NULL };
  char text[512] = "";
  int status = run_program(options_get()->clang, args, NULL, text, sizeof text, 10);
  text[strcspn(text, "\n")] = '\0';
  if (status == 0) {
    finding_set(f, DOCTOR_OK, "%s (%s)", options_get()->clang, text);
    return;
  }
  finding_set(f, DOCTOR_FAILED, "%s: %s, so `autotune cc` cannot read kernels",
              options_get()->clang, status == RUN_FAILED ? "not found" : "does not run");
  finding_advise(f, "install clang-22, or name the program in AUTOTUNE_CLANG");
}

void check_host(struct finding *f, const struct doctor_options *o) {
  (void)o;
  static const char *const names[] = { "gcc", "cc", "clang", "clang-22" };
  const char *const args[] = { "--version", NULL };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[512] = "";
    if (run_program(names[i], args, NULL, text, sizeof text, 10) != 0)
      continue;
    text[strcspn(text, "\n")] = '\0';
    finding_set(f, DOCTOR_OK, "%s (%s)", names[i], text);
    return;
  }
  finding_set(f, DOCTOR_MISSING, "no gcc, cc or clang in PATH");
  finding_advise(
      f,
      "`autotune cc` stands in front of the compiler that builds the program: install gcc");
}

void check_openmp(struct finding *f, const struct doctor_options *o) {
  (void)o;
  char *message = NULL;
  if (openmp_open(&message) == 0) {
    finding_set(f, DOCTOR_OK, "LLVM's runtime can be loaded");
    return;
  }
  finding_set(f, DOCTOR_MISSING, "%s",
              message ? message : "LLVM's OpenMP runtime cannot be loaded");
  finding_advise(
      f,
      "kernels with OpenMP need it: install libomp-22-dev, or name the library in "
      "AUTOTUNE_OPENMP");
}

void check_xgboost(struct finding *f, const struct doctor_options *o) {
  (void)o;
  char text[160];
  if (boost_version(text, sizeof text)) {
    finding_set(f, DOCTOR_OK, "%s", text);
    return;
  }
  finding_set(f, DOCTOR_MISSING, "%s; search(model) learns with trees of its own instead",
              text);
  finding_advise(f, "install libxgboost0 to have it");
}
