// SPDX-License-Identifier: Apache-2.0
// cuda_library.c: what the driver and NVRTC have in common as libraries.
#include <dlfcn.h>
#include <string.h>

#include "cuda_library.h"

void *cuda_emulator(void) {
  const char *path = options_get()->emulator;
  if (dlsym(RTLD_DEFAULT, "autotune_emulated"))
    return dlopen(NULL, RTLD_LAZY); // the program and what it is linked to
  void *library = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
  return library && dlsym(library, "autotune_emulated") ? library : NULL;
}

const char *cuda_emulator_path(void) {
  Dl_info info;
  void *mark = dlsym(RTLD_DEFAULT, "autotune_emulated");
  return mark && dladdr(mark, &info) ? info.dli_fname : options_get()->emulator;
}

const char *cuda_functions(void *library, const struct cuda_function *functions, size_t n,
                           void *table) {
  const char *missing = NULL;
  for (size_t i = 0; i < n; i++) {
    void *found = dlsym(library, functions[i].name);
    memcpy((char *)table + functions[i].at, &found, sizeof found);
    if (!found && !missing)
      missing = functions[i].name;
  }
  return missing;
}
