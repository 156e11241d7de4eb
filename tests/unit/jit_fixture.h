/* SPDX-License-Identifier: Apache-2.0 */
/* jit_fixture.h: objects to load and link, and children to do it in. */
#ifndef JIT_FIXTURE_H
#define JIT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "compile/compile.h"
#include "compile/jit.h"
#include "base/base.h"

static inline const struct jit_api *fixture_jit(void) {
  char *message;
  const struct jit_api *jit = jit_open(&message);
  if (!jit)
    fail_msg("%s", message);
  return jit;
}

/* Returns an object of TEXT by COMPILER with FLAGS, separated by blanks. The test fails
 * if it does not compile. */
static inline struct object fixture_compile(const char *compiler, const char *text,
                                            const char *flags) {
  char words[512];
  const char *list[32];
  size_t n = 0;
  char *rest = NULL;
  snprintf(words, sizeof words, "%s", flags);
  for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
    list[n++] = w;
  list[n] = NULL;
  struct object o;
  if (backend_find(compiler)->compile(compiler, text, list, &o) != 0)
    fail_msg("%s %s: %s", compiler, flags, o.message);
  return o;
}

static inline bool fixture_have(const char *compiler) {
  return backend_find(compiler)->version(compiler) != NULL;
}

/* Loads O and frees it. The test fails if it cannot be loaded. */
static inline struct jit_code *fixture_load(struct object o,
                                            const struct autotune_symbol *symbols,
                                            size_t n) {
  char *message = NULL;
  struct jit_code *code = fixture_jit()->load(o.data, o.size, symbols, n, &message);
  if (!code)
    fail_msg("%s", message);
  object_free(&o);
  return code;
}

static inline autotune_fn fixture_entry(struct jit_code *code) {
  const autotune_fn *entry = fixture_jit()->symbol(code, "autotune_entry");
  assert_non_null(entry);
  return *entry;
}

/* The standard output of a child of this process, and how it ended. */
struct said {
  char text[4096];
  int status;
};
static inline struct said fixture_child(void (*body)(void)) {
  struct said said = { "", 0 };
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    alarm(60);
    body();
    fflush(NULL);
    _exit(0);
  }
  close(ends[1]);
  size_t n = 0;
  for (ssize_t got; (got = read(ends[0], said.text + n, sizeof said.text - 1 - n)) > 0;)
    n += (size_t)got;
  close(ends[0]);
  waitpid(pid, &said.status, 0);
  return said;
}

#endif
