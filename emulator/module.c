/* SPDX-License-Identifier: Apache-2.0 */
/* module.c: loads the images that nvrtc.c makes: a head (image.h) and a shared object. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulator.h"
#include "image.h"

struct CUfunc_st {
  struct CUfunc_st *next;
  struct autotune_emulate_kernel kernel;
  size_t shared_static, shared_limit;
  char name[];
};
struct CUmod_st {
  void *library;
  int device;
  struct CUfunc_st *functions;
  const void *globals[64];
  unsigned n_globals; /* variables made known to memory.c */
};

uint64_t image_hash(const void *data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
  return hash;
}

/* Makes the emulator's functions visible to units, which look for them in all loaded
 * libraries. */
static void show_ourselves(void) {
  Dl_info info;
  if (dladdr((void *)(uintptr_t)&cuModuleLoadData, &info) && info.dli_fname)
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

/* Sets PATH to a name of FD that the loader has not seen. The loader compares names, and
 * descriptors are reused: so "/" and "/./" in the path spell a binary number that grows
 * with each call. */
static void path_name(char *path, size_t size, int fd) {
  static atomic_uint names;
  unsigned n = atomic_fetch_add(&names, 1);
  size_t at = (size_t)snprintf(path, size, "/proc/self/fd");
  for (unsigned bit = 0; bit < 32 && n >> bit; bit++)
    at += (size_t)snprintf(path + at, size - at, n >> bit & 1 ? "/./" : "/");
  snprintf(path + at, size - at, "/%d", fd);
}

static void *library_open(const void *data, size_t size) {
  char path[160];
  int fd = memfd_create("autotune-emulate-unit", MFD_CLOEXEC);
  if (fd < 0)
    return NULL;
  bool written = write(fd, data, size) == (ssize_t)size;
  path_name(path, sizeof path, fd);
  show_ourselves();
  void *library = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library && settings_get()->verbose)
    fprintf(stderr, "autotune-emulate: %s\n",
            written ? dlerror() : "no room for a module");
  close(fd);
  return library;
}

static CUresult image_check(const struct image *i) {
  if (memcmp(i->magic, IMAGE_MAGIC, sizeof i->magic) != 0 ||
      i->size < sizeof(Elf64_Ehdr) || i->size > 1u << 30 ||
      image_hash(i + 1, i->size) != i->hash)
    return CUDA_ERROR_INVALID_IMAGE;
  int cc = settings_get()->cc;
  return i->cc && (i->cc / 10 != (unsigned)cc / 10 || i->cc > (unsigned)cc)
      ? CUDA_ERROR_NO_BINARY_FOR_GPU
      : CUDA_SUCCESS;
}

EXPORT CUresult cuModuleLoadData(CUmodule *m, const void *image) {
  struct CUctx_st *c;
  struct image i;
  CUresult e = context_current(&c);
  if (e == CUDA_SUCCESS)
    e = m && image ? capture_forbids() : CUDA_ERROR_INVALID_VALUE;
  if (e == CUDA_SUCCESS && fault_due(FAULT_LOAD))
    e = CUDA_ERROR_INVALID_IMAGE;
  if (e != CUDA_SUCCESS)
    return e;
  memcpy(&i, image, sizeof i);
  if ((e = image_check(image)) != CUDA_SUCCESS)
    return e;
  struct CUmod_st *module = calloc(1, sizeof *module);
  if (!module)
    return CUDA_ERROR_OUT_OF_MEMORY;
  module->device = c->device;
  module->library = library_open((const char *)image + sizeof i, i.size);
  if (!module->library) {
    free(module);
    return CUDA_ERROR_INVALID_IMAGE;
  }
  *m = module;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuModuleUnload(CUmodule m) {
  struct CUctx_st *c;
  CUresult e = context_current(&c);
  if (e != CUDA_SUCCESS)
    return e;
  if (!m)
    return CUDA_ERROR_INVALID_HANDLE;
  queue_wait(c, NULL);
  for (unsigned i = 0; i < m->n_globals; i++)
    memory_forget(m->globals[i]);
  for (struct CUfunc_st *f = m->functions, *next; f; f = next) {
    next = f->next;
    free(f);
  }
  dlclose(m->library);
  free(m);
  return CUDA_SUCCESS;
}

static void *module_symbol(CUmodule m, const char *prefix, const char *name) {
  char *full;
  if (asprintf(&full, "%s%s", prefix, name) < 0)
    return NULL;
  void *at = dlsym(m->library, full);
  free(full);
  return at;
}

EXPORT CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name) {
  struct CUctx_st *c;
  CUresult e = context_current(&c);
  if (e != CUDA_SUCCESS)
    return e;
  if (!f || !m || !name)
    return CUDA_ERROR_INVALID_VALUE;
  for (*f = m->functions; *f; *f = (*f)->next)
    if (!strcmp((*f)->name, name))
      return CUDA_SUCCESS;
  const struct autotune_emulate_kernel *const *kernel =
      module_symbol(m, "autotune_emulate_kernel_", name);
  if (!kernel)
    return CUDA_ERROR_NOT_FOUND;
  struct CUfunc_st *new = calloc(1, sizeof *new + strlen(name) + 1);
  if (!new)
    return CUDA_ERROR_OUT_OF_MEMORY;
  const unsigned long *own = dlsym(m->library, "autotune_emulate_shared_static");
  strcpy(new->name, name);
  new->kernel = **kernel;
  new->kernel.name = new->name;
  new->shared_static = own ? *own : 0;
  new->shared_limit =
      new->shared_static < SHARED_STATIC ? SHARED_STATIC - new->shared_static : 0;
  new->next = m->functions;
  *f = m->functions = new;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuModuleGetGlobal(CUdeviceptr *p, size_t *bytes, CUmodule m,
                                  const char *name) {
  struct CUctx_st *c;
  Dl_info info;
  ElfW(Sym) *entry = NULL;
  CUresult e = context_current(&c);
  if (e != CUDA_SUCCESS)
    return e;
  if (!m || !name)
    return CUDA_ERROR_INVALID_VALUE;
  void *at = dlsym(m->library, name);
  if (!at || !dladdr1(at, &info, (void **)&entry, RTLD_DL_SYMENT) || !entry)
    return CUDA_ERROR_NOT_FOUND;
  if (p)
    *p = (uintptr_t)at;
  if (bytes)
    *bytes = entry->st_size;
  if (m->n_globals < sizeof m->globals / sizeof *m->globals) {
    memory_symbol(at, entry->st_size, m->device);
    m->globals[m->n_globals++] = at;
  }
  return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                                   CUfunction f) {
  struct CUctx_st *c;
  CUresult e = context_current(&c);
  if (e != CUDA_SUCCESS)
    return e;
  if (!value || !f)
    return CUDA_ERROR_INVALID_VALUE;
  switch ((int)attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = MAX_THREADS;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = (int)f->shared_static;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = 0;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = REGISTERS_THREAD;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = settings_get()->cc;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    *value = 0;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = (int)f->shared_limit;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *value = -1;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute,
                                   int value) {
  struct CUctx_st *c;
  CUresult e = context_current(&c);
  if (e != CUDA_SUCCESS)
    return e;
  if (!f)
    return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
    return CUDA_SUCCESS;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
      (size_t)value + f->shared_static > (size_t)limits_get()->shared_block)
    return CUDA_ERROR_INVALID_VALUE;
  f->shared_limit = (size_t)value;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f,
                                                            int threads, size_t shared) {
  struct CUctx_st *c;
  CUresult e = context_current(&c);
  if (e != CUDA_SUCCESS)
    return e;
  if (!blocks || !f || threads <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  *blocks = launch_occupancy(f->shared_static + shared, threads);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                               unsigned bx, unsigned by, unsigned bz, unsigned shared,
                               CUstream s, void **args, void **extra) {
  struct CUctx_st *c;
  if (settings_get()->idle)
    return CUDA_SUCCESS;
  CUresult e = context_current(&c);
  if (e != CUDA_SUCCESS)
    return e;
  if (!f || extra)
    return f ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_HANDLE;
  struct launch l = { .kernel = &f->kernel,
                      .grid = { gx, gy, gz },
                      .block = { bx, by, bz },
                      .shared = shared,
                      .shared_static = f->shared_static,
                      .shared_limit = f->shared_limit };
  return launch_queue(c, &l, s, args);
}
