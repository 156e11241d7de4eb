// SPDX-License-Identifier: Apache-2.0
// api.c: the driver and NVRTC, opened at run time, so that one build of libautotune
// serves machines with and without them. A program that was built by `autotune cc
// --emulate` brings its own.
//
// What was read of a device before a fork is there after it: the tuner may look at it,
// but not ask.
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "call/session/session.h"

enum { MOST_DEVICES = 64, NEWEST = 20, OLDEST = 11 /* NVRTC's major versions */ };

// CUdevice_attribute, by their documented numbers.
enum {
  MAX_THREADS_PER_BLOCK = 1,
  SHARED_PER_BLOCK = 8,
  WARP_SIZE = 10,
  MULTIPROCESSORS = 16,
  L2_CACHE_SIZE = 38,
  CC_MAJOR = 75,
  CC_MINOR = 76,
  SHARED_PER_SM = 81,
  REGISTERS_PER_SM = 82,
  SHARED_PER_BLOCK_OPTIN = 97
};

static struct {
  pthread_once_t driver_once, nvrtc_once;
  struct gpu_api driver;
  struct gpu_nvrtc nvrtc;
  char driver_why[256], nvrtc_why[256]; // "": it is there
  atomic_int version;                   // of the driver, 13000; 0: not asked yet
  _Atomic(struct gpu_info *) devices[MOST_DEVICES];
} gpu = { .driver_once = PTHREAD_ONCE_INIT, .nvrtc_once = PTHREAD_ONCE_INIT };

// ---- libraries ----------------------------------------------------------------------

// The emulator: what the program is linked to, or, in a helper, what its program was.
static void *api_emulator(void) {
  const char *path = options_get()->emulator;
  if (dlsym(RTLD_DEFAULT, "autotune_emulated"))
    return dlopen(NULL, RTLD_LAZY); // the program and what it is linked to
  void *library = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
  return library && dlsym(library, "autotune_emulated") ? library : NULL;
}

const char *gpu_emulator_path(void) {
  Dl_info info;
  void *mark = dlsym(RTLD_DEFAULT, "autotune_emulated");
  return mark && dladdr(mark, &info) ? info.dli_fname : options_get()->emulator;
}

// The members of a table of functions.
struct function {
  const char *name;
  size_t at;
};
#define X(member, name, parameters) { name, offsetof(struct gpu_api, member) },
static const struct function driver_functions[] = { GPU_DRIVER(X) };
#undef X
#define X(member, name, parameters) { name, offsetof(struct gpu_nvrtc, member) },
static const struct function nvrtc_functions[] = { GPU_NVRTC(X) };
#undef X

// Fills TABLE. The name of the first function that is missing; NULL: all are there.
static const char *take_all(void *library, const struct function *functions, size_t n,
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

static void open_driver(void) {
  void *library = api_emulator();
  gpu.driver.emulated = library != NULL;
  if (!library && !(library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL))) {
    snprintf(gpu.driver_why, sizeof gpu.driver_why, "there is no driver (libcuda.so.1)");
    return;
  }
  const char *missing = take_all(library, driver_functions,
                                 sizeof driver_functions / sizeof *driver_functions,
                                 &gpu.driver);
  if (missing)
    snprintf(gpu.driver_why, sizeof gpu.driver_why, "the driver is too old: it has no %s",
             missing);
}

const struct gpu_api *gpu_api_get(const char **why) {
  pthread_once(&gpu.driver_once, open_driver);
  if (why)
    *why = gpu.driver_why;
  return *gpu.driver_why ? NULL : &gpu.driver;
}

static void *api_open_in(const char *folder, int major) {
  char *path = sys_printf("%s%slibnvrtc.so.%d", folder, *folder ? "/lib64/" : "", major);
  void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  free(path);
  return library;
}

// The one that the loader finds, else that of the toolkit at CUDA_PATH or where it
// usually is.
static void *open_major(int major) {
  const char *home = secure_getenv("CUDA_PATH");
  void *library = api_open_in("", major);
  if (!library && home && *home)
    library = api_open_in(home, major);
  return library ? library : api_open_in("/usr/local/cuda", major);
}

// What a newer NVRTC makes an older driver need not load, so the driver's own version
// comes first.
static void *open_nvrtc_library(void) {
  const char *asked = options_get()->nvrtc;
  if (asked)
    return dlopen(asked, RTLD_NOW | RTLD_LOCAL);
  int own = atomic_load(&gpu.version) / 1000;
  void *library = own ? open_major(own) : NULL;
  for (int major = own ? own - 1 : NEWEST; !library && major >= OLDEST; major--)
    library = open_major(major);
  for (int major = own + 1; own && !library && major <= NEWEST; major++)
    library = open_major(major);
  return library;
}

static void open_nvrtc(void) {
  void *library = options_get()->nvrtc ? NULL : api_emulator();
  gpu.nvrtc.emulated = library != NULL;
  if (!library && !(library = open_nvrtc_library())) {
    snprintf(gpu.nvrtc_why, sizeof gpu.nvrtc_why, "there is no NVRTC (libnvrtc.so)");
    return;
  }
  const char *missing = take_all(library, nvrtc_functions,
                                 sizeof nvrtc_functions / sizeof *nvrtc_functions,
                                 &gpu.nvrtc);
  if (missing)
    snprintf(gpu.nvrtc_why, sizeof gpu.nvrtc_why, "NVRTC is too old: it has no %s",
             missing);
}

const struct gpu_nvrtc *gpu_nvrtc_get(const char **why) {
  pthread_once(&gpu.nvrtc_once, open_nvrtc);
  if (why)
    *why = gpu.nvrtc_why;
  return *gpu.nvrtc_why ? NULL : &gpu.nvrtc;
}

const char *gpu_error(const struct gpu_api *api, gpu_result e, char *text, size_t size) {
  const char *name = NULL, *about = NULL;
  if (api->error_name(e, &name) != 0 || !name)
    snprintf(text, size, "CUDA's error %d", e);
  else if (api->error_string(e, &about) != 0 || !about)
    snprintf(text, size, "%s", name);
  else
    snprintf(text, size, "%s (%s)", name, about);
  return text;
}

// ---- devices ------------------------------------------------------------------------

static long long api_attribute(const struct gpu_api *api, int what, gpu_device d) {
  int value = 0;
  return api->device_attribute(&value, what, d) == 0 && value > 0 ? value : 0;
}

static void read_numbers(const struct gpu_api *api, gpu_device d, struct gpu_info *g) {
  struct autotune_machine *m = &g->numbers;
  long long plain = api_attribute(api, SHARED_PER_BLOCK, d);
  *m = machine_identity()->numbers;
  g->cc = (int)(10 * api_attribute(api, CC_MAJOR, d) + api_attribute(api, CC_MINOR, d));
  g->l2 = (size_t)api_attribute(api, L2_CACHE_SIZE, d);
  m->l2 = (long long)g->l2; // the host's caches are not what the kernel works in
  m->cc = g->cc;
  m->smem_per_block = api_attribute(api, SHARED_PER_BLOCK_OPTIN, d);
  if (m->smem_per_block < plain)
    m->smem_per_block = plain;
  m->smem_per_sm = api_attribute(api, SHARED_PER_SM, d);
  m->registers = api_attribute(api, REGISTERS_PER_SM, d);
  m->sms = api_attribute(api, MULTIPROCESSORS, d);
  m->warp = api_attribute(api, WARP_SIZE, d);
  m->max_threads = api_attribute(api, MAX_THREADS_PER_BLOCK, d);
}

static bool read_device(const struct gpu_api *api, int ordinal, struct gpu_info *g) {
  gpu_device d;
  int version = 0;
  if (api->init(0) != 0 || api->device_get(&d, ordinal) != 0 ||
      api->device_name(g->name, sizeof g->name, d) != 0)
    return false;
  g->name[sizeof g->name - 1] = '\0';
  if (api->driver_version(&version) == 0)
    atomic_store(&gpu.version, version);
  if (api->device_memory(&g->memory, d) != 0)
    g->memory = 0;
  read_numbers(api, d, g);
  // The driver finishes what NVRTC begins only for other code than CUBIN, so its version
  // does not count.
  snprintf(g->identity, sizeof g->identity, "sm_%d, %lld multiprocessors, %.0f GiB",
           g->cc, g->numbers.sms, (double)g->memory / (double)(1u << 30));
  return g->cc > 0 && g->numbers.sms > 0;
}

const struct gpu_info *gpu_info_get(int ordinal) {
  if (ordinal < 0 || ordinal >= MOST_DEVICES)
    return NULL;
  struct gpu_info *known = atomic_load(&gpu.devices[ordinal]);
  const struct gpu_api *api = known || session_inside() ? NULL : gpu_api_get(NULL);
  struct gpu_info *g = api ? sys_calloc(1, sizeof *g) : NULL;
  if (!g)
    return known;
  if (!read_device(api, ordinal, g) ||
      !atomic_compare_exchange_strong(&gpu.devices[ordinal], &known, g)) {
    free(g);
    return known; // NULL, or what another thread was faster with
  }
  return g;
}
