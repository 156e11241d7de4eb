// SPDX-License-Identifier: Apache-2.0
// openmp.c: controls the program's OpenMP runtime, which this library is not linked to.
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "openmp.h"

enum { MOST_THREADS = 1 << 10 };

bool openmp_in_parallel(void) {
  int (*in_parallel)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_in_parallel");
  return in_parallel && in_parallel();
}

bool openmp_is_llvms(void) {
  return dlsym(RTLD_DEFAULT, "__kmpc_fork_call") != NULL;
}

unsigned openmp_team(bool *nests) {
  int (*level)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_get_level");
  int (*active)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_get_active_level");
  int (*most)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_get_max_active_levels");
  int (*size)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "omp_get_team_size");
  unsigned all = 1;
  *nests = false;
  if (!openmp_in_parallel())
    return 1;
  for (int i = level && size ? level() : 0; i > 0 && all < MOST_THREADS; i--)
    all *= size(i) > 1 ? (unsigned)size(i) : 1;
  *nests = active && most && most() > active();
  return all;
}

void openmp_alone(void) {
  void (*set)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
  if (set)
    set(0);
}

// omp_pause_resource_t, OpenMP 6.0 section 30.2.1
enum { PAUSE_SOFT = 1, PAUSE_HARD = 2 };

static void pause_threads(int how) {
  int (*pause)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "omp_pause_resource_all");
  if (pause && !openmp_in_parallel())
    pause(how);
}

void openmp_rest(void) {
  pause_threads(PAUSE_SOFT);
}

void openmp_before_fork(void) {
  // LLVM's runtime starts anew in a child by itself; libgomp's child would wait for its
  // threads.
  if (dlsym(RTLD_DEFAULT, "__kmpc_fork_call"))
    return;
  pause_threads(PAUSE_HARD);
}

void openmp_clean(pid_t pid) {
  char name[64]; // __kmp_reg_status_name in kmp_runtime.cpp
  snprintf(name, sizeof name, "/__KMP_REGISTERED_LIB_%d_%d", (int)pid, (int)getuid());
  shm_unlink(name);
}
