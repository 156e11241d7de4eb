// SPDX-License-Identifier: Apache-2.0
// openmp.c: controls the program's OpenMP runtime, which this library is not linked to.
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "base/base.h"
#include "openmp.h"

enum { MOST_THREADS = 1 << 10 };

// Functions of the runtime.
enum openmp_function {
  IN_PARALLEL,
  LEVEL,
  ACTIVE_LEVEL,
  MAX_ACTIVE_LEVELS,
  TEAM_SIZE,
  SET_MAX_ACTIVE_LEVELS,
  PAUSE_ALL,
  MAX_THREADS,
  SET_NUM_THREADS,
  DYNAMIC,
  SET_DYNAMIC,
  SCHEDULE,
  SET_SCHEDULE,
  LLVMS_REGION,
  GCCS_REGION,
  FUNCTIONS
};
static const char *const names[FUNCTIONS] = {
  [IN_PARALLEL] = "omp_in_parallel",
  [LEVEL] = "omp_get_level",
  [ACTIVE_LEVEL] = "omp_get_active_level",
  [MAX_ACTIVE_LEVELS] = "omp_get_max_active_levels",
  [TEAM_SIZE] = "omp_get_team_size",
  [SET_MAX_ACTIVE_LEVELS] = "omp_set_max_active_levels",
  [PAUSE_ALL] = "omp_pause_resource_all",
  [MAX_THREADS] = "omp_get_max_threads",
  [SET_NUM_THREADS] = "omp_set_num_threads",
  [DYNAMIC] = "omp_get_dynamic",
  [SET_DYNAMIC] = "omp_set_dynamic",
  [SCHEDULE] = "omp_get_schedule",
  [SET_SCHEDULE] = "omp_set_schedule",
  [LLVMS_REGION] = "__kmpc_fork_call",
  [GCCS_REGION] = "GOMP_parallel", // LLVM's runtime has it, too
};

// Keeps the library that FUNCTION is in from being unloaded. False: it cannot be kept.
static bool openmp_keep(void *function) {
  Dl_info in;
  return dladdr(function, &in) && in.dli_fname &&
      dlopen(in.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

// Returns the address of a function; NULL: there is none, as yet. dlsym takes a lock, for
// which all threads of a region would wait, so what it finds is kept.
static void *openmp_find(enum openmp_function function) {
  static _Atomic(void *) known[FUNCTIONS];
  void *found = atomic_load_explicit(&known[function], memory_order_acquire);
  if (!found && (found = dlsym(RTLD_DEFAULT, names[function])) && openmp_keep(found))
    atomic_store_explicit(&known[function], found, memory_order_release);
  return found;
}

// A process that has one thread is in no region of several. To ask the runtime would
// begin it, which takes LLVM's half a millisecond.
bool openmp_in_parallel(void) {
  if (__libc_single_threaded)
    return false;
  int (*in_parallel)(void) = (int (*)(void))openmp_find(IN_PARALLEL);
  return in_parallel && in_parallel();
}

bool openmp_is_llvms(void) {
  return openmp_find(LLVMS_REGION) != NULL;
}

const void *openmp_llvms_region(void) {
  return openmp_find(LLVMS_REGION);
}

bool openmp_has_regions(void) {
  return openmp_find(GCCS_REGION) != NULL;
}

void openmp_run(void (*work)(void *), void *data, unsigned threads) {
  void (*run)(void (*)(void *), void *, unsigned, unsigned) =
      (void (*)(void (*)(void *), void *, unsigned, unsigned))openmp_find(GCCS_REGION);
  if (run)
    run(work, data, threads, 0);
}

unsigned openmp_team(bool *nests) {
  unsigned all = 1;
  *nests = false;
  if (!openmp_in_parallel())
    return 1;
  int (*level)(void) = (int (*)(void))openmp_find(LEVEL);
  int (*active)(void) = (int (*)(void))openmp_find(ACTIVE_LEVEL);
  int (*most)(void) = (int (*)(void))openmp_find(MAX_ACTIVE_LEVELS);
  int (*size)(int) = (int (*)(int))openmp_find(TEAM_SIZE);
  for (int i = level && size ? level() : 0; i > 0 && all < MOST_THREADS; i--)
    all *= size(i) > 1 ? (unsigned)size(i) : 1;
  *nests = active && most && most() > active();
  return all;
}

static int openmp_ask(enum openmp_function function) {
  int (*get)(void) = (int (*)(void))openmp_find(function);
  return get ? get() : 0;
}

static void openmp_tell(enum openmp_function function, int value) {
  void (*set)(int) = (void (*)(int))openmp_find(function);
  if (set)
    set(value);
}

unsigned openmp_threads(void) {
  int threads = openmp_ask(MAX_THREADS);
  return threads > 0 ? (unsigned)threads : 0;
}

void openmp_alone(void) {
  openmp_tell(SET_MAX_ACTIVE_LEVELS, 0);
}

// omp_pause_resource_t, OpenMP 6.0 section 30.2.1
enum { PAUSE_SOFT = 1, PAUSE_HARD = 2 };

static void pause_threads(int how) {
  int (*pause)(int) = (int (*)(int))openmp_find(PAUSE_ALL);
  if (pause && !openmp_in_parallel())
    pause(how);
}

void openmp_rest(void) {
  pause_threads(PAUSE_SOFT);
}

// What the calling thread has set. LLVM's runtime starts anew in a child, with what the
// environment says.
static struct {
  bool known;
  int threads, dynamic, levels, schedule, chunk;
} openmp_set;

static void openmp_note(void) {
  void (*schedule)(int *, int *) = (void (*)(int *, int *))openmp_find(SCHEDULE);
  openmp_set.threads = openmp_ask(MAX_THREADS);
  openmp_set.dynamic = openmp_ask(DYNAMIC);
  openmp_set.levels = openmp_ask(MAX_ACTIVE_LEVELS);
  if (schedule)
    schedule(&openmp_set.schedule, &openmp_set.chunk);
  openmp_set.known = schedule && openmp_set.threads > 0;
}

void openmp_resume(void) {
  void (*schedule)(int, int) = (void (*)(int, int))openmp_find(SET_SCHEDULE);
  if (!openmp_set.known)
    return;
  openmp_tell(SET_NUM_THREADS, openmp_set.threads);
  openmp_tell(SET_DYNAMIC, openmp_set.dynamic);
  openmp_tell(SET_MAX_ACTIVE_LEVELS, openmp_set.levels);
  if (schedule)
    schedule(openmp_set.schedule, openmp_set.chunk);
}

void openmp_before_fork(void) {
  // libgomp's child would wait for its threads.
  openmp_set.known = false;
  if (openmp_is_llvms())
    openmp_note();
  else
    pause_threads(PAUSE_HARD);
}

void openmp_clean(pid_t pid) {
  char name[64]; // __kmp_reg_status_name in kmp_runtime.cpp
  snprintf(name, sizeof name, "/__KMP_REGISTERED_LIB_%d_%d", (int)pid, (int)getuid());
  shm_unlink(name);
}

// ---- the environment ----------------------------------------------------------------

// True if TEXT is what OMP_NUM_THREADS may be: positive numbers with commas between them.
static bool openmp_is_list(const char *text) {
  do {
    text += strspn(text, " \t");
    size_t digits = strspn(text, "0123456789"), zeros = strspn(text, "0");
    if (digits == zeros || digits > 9)
      return false;
    text += digits;
    text += strspn(text, " \t");
  } while (*text++ == ',');
  return text[-1] == '\0';
}

static char *openmp_refused; // what OMP_NUM_THREADS was

// gcc's runtime ignores a number of threads that it cannot read; LLVM's ends the program
// (kmp_settings.cpp, LLVM 22). So such a number is removed before LLVM's reads it. Runs
// before main, in one thread.
__attribute__((constructor)) static void openmp_read_environment(void) {
  const char *threads = getenv("OMP_NUM_THREADS");
  if (!threads || openmp_is_list(threads))
    return;
  openmp_refused = sys_strdup(threads);
  unsetenv("OMP_NUM_THREADS");
}

void openmp_begin(void) {
  if (openmp_refused)
    log_message(
        AUTOTUNE_WARN,
        "OMP_NUM_THREADS is '%.40s', which is not a number of threads: it is ignored",
        openmp_refused);
}
