/* SPDX-License-Identifier: Apache-2.0 */
/* resolve.c: names to addresses. */
#include <dlfcn.h>
#include <string.h>

#include "resolve.h"

const void *resolve_site(const struct autotune_symbol *symbols, size_t n,
                         const char *name) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(symbols[i].name, name) == 0)
      return symbols[i].address;
  return NULL;
}

void *resolve_process(const char *name) {
  /* Not RTLD_DEFAULT, which would also look into what this library itself is linked with.
   * The library handles are kept for ever: variants point into them. */
  static const char *const libraries[] = { NULL, "libm.so.6", "libmvec.so.1",
                                           "libgcc_s.so.1", "libatomic.so.1" };
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    void *handle = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
    void *address = handle ? dlsym(handle, name) : NULL;
    if (address)
      return address;
  }
  return NULL;
}

// Functions that never allocate: those that move bytes, those that end the process (a
// variant that calls one is no candidate), and numbers and times.
static bool resolve_is_listed(const char *name) {
  static const char *const names[] = { "memcpy",
                                       "memmove",
                                       "memset",
                                       "memcmp",
                                       "memchr",
                                       "mempcpy",
                                       "bcmp",
                                       "bcopy",
                                       "bzero",
                                       "__memcpy_chk",
                                       "__memmove_chk",
                                       "__memset_chk",
                                       "strlen",
                                       "strnlen",
                                       "strcmp",
                                       "strncmp",
                                       "strcpy",
                                       "strncpy",
                                       "strchr",
                                       "strrchr",
                                       "stpcpy",
                                       "_GLOBAL_OFFSET_TABLE_",
                                       "__stack_chk_fail",
                                       "__chk_fail",
                                       "__fortify_fail",
                                       "__assert_fail",
                                       "__assert_perror_fail",
                                       "__assert",
                                       "abort",
                                       "exit",
                                       "_exit",
                                       "_Exit",
                                       "rand",
                                       "rand_r",
                                       "random",
                                       "drand48",
                                       "erand48",
                                       "lrand48",
                                       "abs",
                                       "labs",
                                       "llabs",
                                       "div",
                                       "ldiv",
                                       "time",
                                       "clock",
                                       "clock_gettime",
                                       "gettimeofday",
                                       "sched_yield",
                                       "__errno_location" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

// True if NAME is no function of OpenMP that gives memory to the kernel. What the runtime
// allocates for itself is apart from the program's (run/cpu/openmp_memory.c).
static bool resolve_is_openmp(const char *name) {
  return strncmp(name, "__kmpc_", 7) == 0 || strncmp(name, "GOMP_", 5) == 0 ||
      (strncmp(name, "omp_", 4) == 0 && !strstr(name, "alloc") && !strstr(name, "free"));
}

bool resolve_is_harmless(const char *name, bool openmp) {
  Dl_info info;
  void *address = resolve_process(name);
  const char *file = address && dladdr(address, &info) ? info.dli_fname : "";
  const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
  return resolve_is_listed(name) || strncmp(base, "libm.", 5) == 0 ||
      strncmp(base, "libm-", 5) == 0 || strncmp(base, "libmvec", 7) == 0 ||
      strncmp(base, "libgcc_s", 8) == 0 || strncmp(base, "libatomic", 9) == 0 ||
      (!openmp && (strncmp(base, "libomp", 6) == 0 || strncmp(base, "libiomp", 7) == 0) &&
       resolve_is_openmp(name));
}
