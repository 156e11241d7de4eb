// SPDX-License-Identifier: Apache-2.0
// launch.c: loads variants in the program, for the device of a key, and launches them
// with their own grid and block.
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu.h"
#include "model/identity.h"

// CUresult, CUfunction_attribute, CUstreamCaptureMode and CUstream_flags, by their
// documented numbers.
enum {
  INVALID_VALUE = 1,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
  OUT_OF_RESOURCES = 701,
  CONTEXT_DESTROYED = 709
};
enum { FUNCTION_SHARED = 1, FUNCTION_MAX_DYNAMIC = 8 };
enum { CAPTURE_RELAXED = 2, NON_BLOCKING = 1 };

struct target_code {
  const struct gpu_api *api;
  const struct autotune_kernel *kernel;
  const struct autotune_machine *machine;
  __typeof__(((struct autotune_gpu *)NULL)->geometry) geometry; // the kernel's
  gpu_context context; // the device's primary one
  gpu_device device;
  gpu_module module;
  gpu_function function;
  struct gpu_cache *prepared; // NULL: nothing is
  atomic_bool gone;           // its context is gone, so there is nothing to unload
  _Atomic(gpu_result) error;  // why it cannot be launched any more
  const struct autotune_value *values[]; // of each parameter
};

// ---- contexts -----------------------------------------------------------------------

// Makes the primary context of device ORDINAL current. The caller restores *BEFORE.
// Returns the driver's result.
static gpu_result launch_enter(const struct gpu_api *api, int ordinal, gpu_device *d,
                               gpu_context *own, gpu_context *before) {
  gpu_result e = api->context_get(before);
  if (e == 0)
    e = api->device_get(d, ordinal);
  if (e == 0)
    e = api->primary_retain(own, *d);
  if (e == 0 && (e = api->context_set(*own)) != 0)
    api->primary_release(*d);
  return e;
}

// True if this thread uses the device's primary context. A thread that has not called the
// runtime yet has no context, and gets that one.
static bool bind_thread(const struct gpu_api *api, int ordinal) {
  gpu_context now, own;
  gpu_device d;
  if (api->context_get(&now) != 0 || api->device_get(&d, ordinal) != 0 ||
      api->primary_retain(&own, d) != 0)
    return false;
  if (!now) // keep the context alive, since the program may not hold it yet
    return api->context_set(own) == 0;
  api->primary_release(d);
  return now == own;
}

// ---- code ---------------------------------------------------------------------------

// Stores the addresses of the program's variables in the variant.
static gpu_result bind_symbols(const struct gpu_api *api, const struct target_code *c) {
  const struct autotune_gpu *g = c->kernel->gpu;
  gpu_stream s;
  gpu_result e = g->n_symbols ? api->stream_create(&s, NON_BLOCKING) : 0;
  if (e != 0 || g->n_symbols == 0)
    return e;
  for (unsigned i = 0; e == 0 && i < g->n_symbols; i++) {
    char *name = sys_printf("autotune_symbol_%s", g->symbols[i].name);
    gpu_pointer at;
    size_t bytes;
    void *address;
    if (!name || g->symbols[i].locate(&address, &bytes) != 0)
      e = INVALID_VALUE;
    else if (api->module_global(&at, &bytes, c->module, name) ==
             0) // otherwise the variant does not use it
      e = api->copy_from_host(at, &address, sizeof address, s);
    if (e == 0)
      e = api->stream_synchronize(s);
    free(name);
  }
  api->stream_destroy(s);
  return e;
}

// Permits the largest amount of dynamic shared memory. Without it 48 KiB are the limit;
// the permission costs nothing.
static void allow_shared(const struct target_code *c) {
  int fixed = 0;
  if (c->api->function_attribute(&fixed, FUNCTION_SHARED, c->function) == 0 &&
      c->machine->smem_per_block > fixed)
    c->api->function_set(c->function, FUNCTION_MAX_DYNAMIC,
                         (int)(c->machine->smem_per_block - fixed));
}

static gpu_result launch_load(struct target_code *c, const void *cubin) {
  gpu_result e = c->api->module_load(&c->module, cubin);
  if (e != 0)
    return e;
  e = c->api->module_function(&c->function, c->module, "autotune_entry");
  if (e == 0)
    e = bind_symbols(c->api, c);
  if (e != 0)
    c->api->module_unload(c->module);
  else
    allow_shared(c);
  return e;
}

static struct target_code *launch_code_new(const struct autotune_kernel *k, int ordinal,
                                           const char *values) {
  const struct gpu_api *api = gpu_api_get(NULL);
  const struct gpu_info *info = gpu_info_get(ordinal);
  choice point[MAX_PARAMS];
  if (!api || !info || k->n_params > MAX_PARAMS || !identity_point(k, values, point))
    return NULL;
  struct target_code *c = sys_calloc(1, sizeof *c + k->n_params * sizeof *c->values);
  if (!c)
    return NULL;
  c->api = api;
  c->kernel = k;
  c->machine = &info->numbers;
  c->geometry = k->gpu->geometry;
  unsigned n_prepared;
  if (kernel_prepared(k, &n_prepared) && !(c->prepared = gpu_cache_new(k))) {
    free(c);
    return NULL;
  }
  for (unsigned p = 0; p < k->n_params; p++)
    c->values[p] = &k->params[p].values[point[p]];
  return c;
}

static void launch_code_free(struct target_code *c) {
  if (c)
    gpu_cache_free(c->prepared);
  free(c);
}

// Maps the file PATH; NULL: it cannot be mapped. The driver reads only as far as the
// image's own header says.
static void *map_file(const char *path, size_t *size) {
  int fd = sys_open(path, O_RDONLY, 0);
  struct stat st;
  void *data = MAP_FAILED;
  if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
    *size = (size_t)st.st_size;
    data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  if (fd >= 0)
    close(fd);
  return data == MAP_FAILED ? NULL : data;
}

bool gpu_code_load(const struct autotune_kernel *k, const long long *key,
                   const char *path, const char *values, struct variant_code *out,
                   char **message) {
  int ordinal = gpu_ordinal(k, key);
  size_t size = 0;
  void *cubin = map_file(path, &size);
  struct target_code *c = cubin ? launch_code_new(k, ordinal, values) : NULL;
  gpu_context before;
  gpu_result e = -1;
  char text[256];
  *message = NULL;
  if (c && (e = launch_enter(c->api, ordinal, &c->device, &c->context, &before)) == 0) {
    e = launch_load(c, cubin);
    c->api->context_set(before);
    if (e != 0)
      c->api->primary_release(c->device);
  }
  if (e != 0)
    *message = sys_strdup(!cubin   ? "its file cannot be read"
                              : !c ? "no memory"
                                   : gpu_error(c->api, e, text, sizeof text));
  if (cubin)
    munmap(cubin, size);
  if (e != 0) {
    launch_code_free(c);
    return false;
  }
  *out = (struct variant_code){ .function = k->original, .loaded = c };
  return true;
}

void gpu_code_unload(struct target_code *c) {
  gpu_context before;
  if (!atomic_load(&c->gone) && c->api->context_get(&before) == 0 &&
      c->api->context_set(c->context) == 0) {
    c->api->module_unload(c->module);
    c->api->context_set(before);
    c->api->primary_release(c->device);
  }
  launch_code_free(c);
}

// ---- launching ----------------------------------------------------------------------

// (An impossible grid or block is the program's error, and the default reports it.)
static bool launch_is_lost(gpu_result e) {
  return e == INVALID_CONTEXT || e == INVALID_HANDLE || e == OUT_OF_RESOURCES ||
      e == CONTEXT_DESTROYED;
}

static inline gpu_result launch_once(const struct target_code *c,
                                     const struct autotune_launch *l,
                                     const struct call *call) {
  return c->api->launch(c->function, l->grid.x, l->grid.y, l->grid.z, l->block.x,
                        l->block.y, l->block.z, (unsigned)l->shared, call->launch->stream,
                        (void **)(uintptr_t)call->args, NULL);
}

// Handles the result R of a launch that failed.
__attribute__((noinline)) static int launch_failed(struct target_code *c,
                                                   const struct autotune_launch *l,
                                                   const struct call *call,
                                                   gpu_result r) {
  if (r == INVALID_CONTEXT && bind_thread(c->api, gpu_ordinal(c->kernel, call->key)) &&
      (r = launch_once(c, l, call)) == 0)
    return 0;
  if (!launch_is_lost(r))
    return AUTOTUNE_LAUNCH_DEFAULT;
  // The context was reset, or the launch needs too many resources.
  atomic_store(&c->gone, r != OUT_OF_RESOURCES);
  atomic_store(&c->error, r);
  return TARGET_LOST;
}

// Launches C with what the host makes for it.
__attribute__((noinline)) static int launch_prepared(struct target_code *c,
                                                     const struct autotune_launch *l,
                                                     const struct call *call) {
  _Alignas(GPU_MAP) unsigned char room[GPU_ARGS];
  void *list[GPU_MAX_ARGS];
  const struct call made = { list, call->launch, call->key };
  if (!gpu_cache_arguments(c->prepared, c->values, call->args, c->machine, list, room))
    return AUTOTUNE_LAUNCH_DEFAULT;
  gpu_result r = launch_once(c, l, &made);
  return __builtin_expect(r == 0, 1) ? 0 : launch_failed(c, l, &made, r);
}

int gpu_code_launch(struct target_code *c, const struct call *call) {
  struct autotune_launch l;
  if (!c->geometry(c->values, call->args, c->machine, call->launch, &l))
    return AUTOTUNE_LAUNCH_DEFAULT;
  if (__builtin_expect(c->prepared != NULL, 0))
    return launch_prepared(c, &l, call);
  gpu_result r = launch_once(c, &l, call);
  return __builtin_expect(r == 0, 1) ? 0 : launch_failed(c, &l, call, r);
}

void gpu_code_lost(const struct target_code *c, char *why, size_t size) {
  gpu_error(c->api, atomic_load(&c->error), why, size);
}

const char *gpu_obstacle(const struct autotune_kernel *k, const long long *key) {
  const char *why;
  const struct gpu_api *api = gpu_api_get(&why);
  if (!api)
    return why;
  if (api->emulated)
    log_once(AUTOTUNE_INFO, "emulated",
             "CUDA is emulated on the CPU: times say nothing of a GPU's");
  if (k->n_args > GPU_MAX_ARGS)
    return "it has too many arguments";
  if (!gpu_info_get(gpu_ordinal(k, key)))
    return "the device cannot be asked what it is";
  return bind_thread(api, gpu_ordinal(k, key))
      ? NULL
      : "another context than the device's primary one is current";
}

// (Also true while a stream is recorded for which the stream of CALL would wait.)
bool gpu_records(const struct call *call) {
  const struct gpu_api *api = gpu_api_get(NULL);
  int status = 0;
  return api &&
      (api->stream_capturing(call->launch->stream, &status) != 0 || status != 0);
}

// Lets other threads record their streams meanwhile.
int gpu_pause(void) {
  const struct gpu_api *api = gpu_api_get(NULL);
  int mode = CAPTURE_RELAXED;
  return api && api->capture_mode(&mode) == 0 ? mode : -1;
}

void gpu_resume(int before) {
  const struct gpu_api *api = gpu_api_get(NULL);
  if (api && before >= 0)
    api->capture_mode(&before);
}
