/* SPDX-License-Identifier: Apache-2.0 */
/* jit_open.c: the libraries that are opened only when something must be compiled or needs
 * OpenMP. */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"
#include "jit.h"
#include "base/base.h"

static struct {
  pthread_mutex_t lock;
  const struct jit_api *api; /* once opened it stays */
} opened = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Stores the folder, with its last '/', of libautotune.so or of the program that contains
 * it. */
static bool own_folder(char *folder, size_t size) {
  Dl_info info;
  char program[PATH_MAX];
  if (!dladdr((void *)(uintptr_t)&jit_open, &info) || !info.dli_fname)
    return false;
  const char *file = info.dli_fname, *slash = strrchr(file, '/');
  if (!slash) { /* for a program found in PATH, dladdr returns the name as it was typed */
    ssize_t got = readlink("/proc/self/exe", program, sizeof program - 1);
    program[got > 0 ? got : 0] = 0;
    slash = strrchr(file = program, '/');
  }
  size_t n = slash ? (size_t)(slash - file) + 1 : 0;
  if (n >= size)
    return false;
  memcpy(folder, file, n);
  folder[n] = 0;
  return n > 0;
}

static void *jit_open_open_library(char **message) {
  const char *asked = options_get()->jit;
  if (asked)
    return dlopen(asked, RTLD_NOW | RTLD_LOCAL);
  char folder[PATH_MAX];
  if (own_folder(folder, sizeof folder)) {
    static const char *const places[] = { "", "../lib/", "../" AUTOTUNE_LIBDIR "/" };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
      char *path = sys_printf("%s%slibautotune-jit.so", folder, places[i]);
      void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
      /* A library that exists but lacks LLVM has a more useful message than one that does
       * not exist. */
      const char *error = library ? NULL : dlerror();
      if (error && !strstr(error, path ? path : "") && !*message)
        *message = sys_strdup(error);
      free(path);
      if (library)
        return library;
    }
  }
  return dlopen("libautotune-jit.so", RTLD_NOW | RTLD_LOCAL);
}

static const struct jit_api *open_api(char **message) {
  char *missing = NULL;
  void *library = sys_fails(SYS_JIT) ? NULL : jit_open_open_library(&missing);
  if (!library) {
    const char *error = missing ? missing : dlerror();
    *message = sys_printf("the compiler cannot be loaded: %s",
                          error ? error : "injected failure");
    free(missing);
    return NULL;
  }
  free(missing);
  const struct jit_api *(*entry)(void) = NULL;
  *(void **)&entry = dlsym(library, JIT_ENTRY);
  const struct jit_api *api = entry ? entry() : NULL;
  if (api && api->abi == JIT_ABI)
    return api;
  *message = sys_strdup("libautotune-jit.so belongs to another version of autotune");
  dlclose(library);
  return NULL;
}

const struct jit_api *jit_open(char **message) {
  *message = NULL;
  pthread_mutex_lock(&opened.lock);
  if (!opened.api)
    opened.api = open_api(message);
  const struct jit_api *api = opened.api;
  pthread_mutex_unlock(&opened.lock);
  return api;
}

static bool have_openmp(void) {
  void *program = dlopen(NULL, RTLD_LAZY);
  return program && dlsym(program, "__kmpc_fork_call");
}

/* Warns if gcc's OpenMP runtime is loaded together with LLVM's: with two pools of
 * threads, timings of OpenMP kernels cannot be trusted. (LLVM also ships its runtime
 * under the name of gcc's.) */
static void warn_of_libgomp(void) {
  void *gomp = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (gomp && !dlsym(gomp, "__kmpc_fork_call"))
    log_once(
        AUTOTUNE_WARN, "libgomp",
        "this program uses gcc's OpenMP runtime and its variants LLVM's: link it with "
        "`autotune cc`, or with -lomp in place of -lgomp");
  if (gomp)
    dlclose(gomp);
}

/* Threads of variants that find nothing to do for so many milliseconds sleep. LLVM's
 * runtime lets them spin for 200 by default. So they take processors from other programs,
 * and from this one where others use them. A call that has to wake a thread took 80 us
 * more (1500 calls of SUNDIALS: 0.45 s where they sleep at once, else 0.335 s), which is
 * less than 2 % of this time. */
enum { OPENMP_SPINS = 5 };

/* The program has no OpenMP of its own: sets that for the calling thread, unless the user
 * has chosen. */
static void openmp_doze(void) {
  static const char *const chosen[] = { "KMP_BLOCKTIME", "KMP_LIBRARY",
                                        "OMP_WAIT_POLICY" };
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
    if (getenv(chosen[i]))
      return;
  void *program = dlopen(NULL, RTLD_LAZY);
  void (*set)(int) = program ? (void (*)(int))dlsym(program, "kmp_set_blocktime") : NULL;
  if (set)
    set(OPENMP_SPINS);
}

int openmp_open(char **message) {
  *message = NULL;
  if (have_openmp())
    return 0;
  warn_of_libgomp();
  const char *asked = options_get()->openmp;
  const char *const paths[] = { asked ? asked : AUTOTUNE_LIBOMP,
                                asked ? NULL : "libomp.so.5" };
  for (size_t i = 0; i < sizeof paths / sizeof *paths && paths[i]; i++)
    if (dlopen(paths[i], RTLD_NOW | RTLD_GLOBAL) && have_openmp()) {
      openmp_doze();
      return 0;
    }
  const char *error = dlerror();
  *message = sys_printf("LLVM's OpenMP runtime cannot be loaded: %s",
                        error ? error : "it has no __kmpc_fork_call");
  return -1;
}
