// SPDX-License-Identifier: Apache-2.0
// api.c: opens the driver at run time, so that one build of libautotune serves machines
// with and without it. A program that was built by `autotune cc --emulate` brings its own
// driver.
//
// Facts of a device that were read before a fork are kept after it: the tuner may use
// them, although it may not call the driver.
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compile/cuda_library.h"
#include "compile/nvrtc.h"
#include "gpu.h"
#include "base/role.h"

enum { MOST_DEVICES = 64 };

// CUdevice_attribute, by their documented numbers.
enum {
  MAX_THREADS_PER_BLOCK = 1,
  SHARED_PER_BLOCK = 8,
  WARP_SIZE = 10,
  MULTIPROCESSORS = 16,
  COMPUTE_MODE = 20,
  L2_CACHE_SIZE = 38,
  CC_MAJOR = 75,
  CC_MINOR = 76,
  SHARED_PER_SM = 81,
  REGISTERS_PER_SM = 82,
  SHARED_PER_BLOCK_OPTIN = 97,
  MPS_ENABLED = 133 // processes share its contexts
};
enum { EXCLUSIVE_PROCESS = 3 }; // of COMPUTE_MODE

static struct {
  pthread_once_t once;
  struct gpu_api driver;
  char why[256]; // "": the driver was opened
  _Atomic(struct gpu_info *) devices[MOST_DEVICES];
} gpu = { .once = PTHREAD_ONCE_INIT };

// ---- the driver ---------------------------------------------------------------------

#define X(member, name, parameters) { name, offsetof(struct gpu_api, member) },
static const struct cuda_function driver_functions[] = { GPU_DRIVER(X) };
static const struct cuda_function optional_functions[] = { GPU_DRIVER_OPTIONAL(X) };
#undef X
static void open_driver(void) {
  void *library = cuda_emulator();
  gpu.driver.emulated = library != NULL;
  if (!library && !(library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL))) {
    snprintf(gpu.why, sizeof gpu.why, "there is no driver (libcuda.so.1)");
    return;
  }
  const char *missing = cuda_functions(library, driver_functions,
                                       sizeof driver_functions / sizeof *driver_functions,
                                       &gpu.driver);
  cuda_functions(library, optional_functions,
                 sizeof optional_functions / sizeof *optional_functions, &gpu.driver);
  if (missing)
    snprintf(gpu.why, sizeof gpu.why, "the driver is too old: it has no %s", missing);
}

const struct gpu_api *gpu_api_get(const char **why) {
  pthread_once(&gpu.once, open_driver);
  if (why)
    *why = gpu.why;
  return *gpu.why ? NULL : &gpu.driver;
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
  g->exclusive = api_attribute(api, COMPUTE_MODE, d) == EXCLUSIVE_PROCESS &&
      !api_attribute(api, MPS_ENABLED, d);
  g->l2 = (size_t)api_attribute(api, L2_CACHE_SIZE, d);
  m->l2 = (long long)g->l2; // the device's cache replaces the host's
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
    nvrtc_prefer(version / 1000);
  if (api->device_memory(&g->memory, d) != 0)
    g->memory = 0;
  read_numbers(api, d, g);
  // The driver compiles only code that is no cubin, so its version does not matter.
  snprintf(g->identity, sizeof g->identity, "sm_%d%s, %lld multiprocessors, %.0f GiB",
           g->cc, g->cc >= NVRTC_OWN_FEATURES ? "a" : "", g->numbers.sms,
           (double)g->memory / (double)(1u << 30));
  g->emulated = api->emulated;
  return g->cc > 0 && g->numbers.sms > 0;
}

const struct gpu_info *gpu_info_get(int ordinal) {
  if (ordinal < 0 || ordinal >= MOST_DEVICES)
    return NULL;
  struct gpu_info *known = atomic_load(&gpu.devices[ordinal]);
  const struct gpu_api *api = known || role_inside() ? NULL : gpu_api_get(NULL);
  struct gpu_info *g = api ? sys_calloc(1, sizeof *g) : NULL;
  if (!g)
    return known;
  if (!read_device(api, ordinal, g) ||
      !atomic_compare_exchange_strong(&gpu.devices[ordinal], &known, g)) {
    free(g);
    return known; // NULL, or another thread has read it meanwhile
  }
  return g;
}

// ---- as a target --------------------------------------------------------------------

static void api_set_identity(const struct gpu_info *g, struct target_identity *out) {
  const struct backend *nvrtc = backend_find("nvrtc");
  *out = (struct target_identity){ .cpu = g ? g->name : "no device",
                                   .device = g && g->emulated ? DEVICE_EMULATED
                                                              : DEVICE_CUDA,
                                   .isa = g ? g->identity : "",
                                   .toolchain = nvrtc ? nvrtc->version("nvrtc") : NULL };
}

void gpu_identify(const struct autotune_kernel *k, const long long *key,
                  struct target_identity *out) {
  api_set_identity(gpu_info_get(gpu_ordinal(k, key)), out);
}

// An emulated device is known only to processes that emulate it.
bool gpu_identify_like(const struct problem *p, struct target_identity *out) {
  const struct gpu_info *first = gpu_info_get(0), *same = NULL, *g;
  if (p->device == DEVICE_PROCESSOR)
    return false;
  if (p->device == DEVICE_EMULATED) {
    *out = (struct target_identity){ .cpu = p->cpu, .isa = p->isa, .device = p->device };
    return true;
  }
  for (int i = 0; !same && (g = gpu_info_get(i)); i++)
    if (strcmp(p->cpu, g->name) == 0 && strcmp(p->isa, g->identity) == 0)
      same = g;
  api_set_identity(same ? same : first, out);
  return true;
}

const struct autotune_machine *gpu_machine(const struct autotune_kernel *k,
                                           const long long *key) {
  const struct gpu_info *g = gpu_info_get(gpu_ordinal(k, key));
  return g ? &g->numbers : &machine_get()->numbers;
}

const char *gpu_lacks(const struct autotune_kernel *k, const long long *key) {
  const struct gpu_info *g = gpu_info_get(gpu_ordinal(k, key));
  const char *why;
  if (g && g->exclusive && !(k->gpu->flags & AUTOTUNE_GPU_NO_ISOLATE)) {
    log_once(
        AUTOTUNE_WARN, "cuda exclusive",
        "CUDA kernels are not tuned: %s admits one process only (EXCLUSIVE_PROCESS), "
        "and variants run in a helper process first",
        g->name);
    return "default: the device admits one process only (EXCLUSIVE_PROCESS), so that no "
           "helper process can try variants";
  }
  if (nvrtc_get(&why))
    return NULL;
  log_once(AUTOTUNE_WARN, "cuda", "CUDA kernels are not tuned: %s", why);
  return "default: there is no NVRTC to compile variants with";
}
