// SPDX-License-Identifier: Apache-2.0
// A libautotune-jit.so whose compiler never returns. If JIT_CRASHES names a file, it
// notes "PID HASH" there, of the process and the text, and crashes. If JIT_LISTS names
// the real libautotune-jit.so, all is as there, but listing code crashes.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/jit.h"

static const char *version(void) {
  return "clang that hangs";
}

static unsigned long long hash(unsigned long long h, const char *s) {
  for (; *s; s++)
    h = (h ^ (unsigned char)*s) * 0x100000001b3u;
  return h;
}

static void crash(const char *path, const char *text, const char *const *flags) {
  char line[64];
  unsigned long long h = hash(0xcbf29ce484222325u, text);
  for (; *flags; flags++)
    h = hash(h, *flags);
  int n = snprintf(line, sizeof line, "%d %llx\n", (int)getpid(), h);
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (fd >= 0 && write(fd, line, (size_t)n) == n)
    raise(SIGSEGV);
}

static int compile(const char *text, const char *const *flags, void **object,
                   size_t *size, char **message) {
  const char *crashes = getenv("JIT_CRASHES");
  (void)object, (void)size, (void)message;
  if (crashes)
    crash(crashes, text, flags);
  while (pause() != 0) // it only ever returns -1
    ;
  return -1;
}

static int list(const void *file, size_t size, uint64_t address,
                struct jit_instruction **code, struct jit_line **lines, size_t *n,
                char **message) {
  (void)file, (void)size, (void)address, (void)code, (void)lines, (void)n, (void)message;
  signal(SIGSEGV, SIG_DFL); // LLVM has a handler
  return raise(SIGSEGV);
}

// Copies the functions of the library at PATH to API.
static void take_over(const char *path, struct jit_api *api) {
  const struct jit_api *(*real)(void) = NULL;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, JIT_ENTRY) : NULL;
  memcpy(&real, &symbol, sizeof real);
  if (real)
    *api = *real();
}

const struct jit_api *autotune_jit(void);
__attribute__((visibility("default"))) const struct jit_api *autotune_jit(void) {
  static struct jit_api api = { .abi = JIT_ABI, .version = version, .compile = compile };
  const char *lists = getenv("JIT_LISTS");
  if (lists) {
    take_over(lists, &api);
    api.list = list;
  }
  return &api;
}
