/* SPDX-License-Identifier: Apache-2.0 */
/* device.c: devices and their contexts. A context that a kernel has broken stays broken
 * until the process ends, as with CUDA. The driver also stays unusable in a process
 * forked from one that uses it. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/file.h>

#include "emulator.h"

enum { EXCLUSIVE_PROCESS = 3 };

EXPORT extern const int autotune_emulated;
const int autotune_emulated =
    1; /* libautotune looks for this symbol to learn that there is no GPU */

static struct {
  pthread_mutex_t lock;
  pthread_once_t once;
  atomic_bool ready, forked;
  bool locked; /* this process may have a context */
  struct CUctx_st contexts[MAX_DEVICES];
} d = { .lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT };

static _Thread_local struct CUctx_st *current;

static void device_in_child(void) {
  if (atomic_load(&d.ready))
    atomic_store(&d.forked, true);
}
static void watch_forks(void) {
  pthread_atfork(NULL, NULL, device_in_child);
  for (int i = 0; i < MAX_DEVICES; i++)
    d.contexts[i].device = i;
}

CUresult driver_initialise(void) {
  pthread_once(&d.once, watch_forks);
  if (atomic_load(&d.forked))
    return CUDA_ERROR_NOT_INITIALIZED;
  if (fault_due(FAULT_INIT) || settings_get()->devices == 0)
    return CUDA_ERROR_NO_DEVICE;
  atomic_store(&d.ready, true);
  return CUDA_SUCCESS;
}

CUresult driver_ready(void) {
  return atomic_load(&d.ready) && !atomic_load(&d.forked) ? CUDA_SUCCESS
                                                          : CUDA_ERROR_NOT_INITIALIZED;
}

struct CUctx_st *context_of(int device) {
  return device >= 0 && device < settings_get()->devices ? &d.contexts[device] : NULL;
}

CUresult context_current(struct CUctx_st **c) {
  CUresult e = driver_ready();
  if (e != CUDA_SUCCESS)
    return e;
  if (!current || !__atomic_load_n(&current->retained, __ATOMIC_ACQUIRE))
    return CUDA_ERROR_INVALID_CONTEXT;
  *c = current;
  return (CUresult)__atomic_load_n(&current->lost, __ATOMIC_ACQUIRE);
}

void context_use(struct CUctx_st *c) {
  current = c;
}

void context_lose(int device, CUresult error) {
  CUresult none = CUDA_SUCCESS;
  __atomic_compare_exchange_n(&d.contexts[device].lost, &none, error, false,
                              __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* ---- the driver's functions ------------------------------------------------------ */

EXPORT CUresult cuInit(unsigned flags) {
  return flags ? CUDA_ERROR_INVALID_VALUE : driver_initialise();
}

EXPORT CUresult cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

const struct error_words *error_words(int number) {
  static const struct error_words all[] = {
#define X(number, driver, runtime, words) \
  { number, "CUDA_" #driver, "cuda" #runtime, words },
    AUTOTUNE_EMULATE_ERRORS(X)
#undef X
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].number == number)
      return &all[i];
  return NULL;
}

EXPORT CUresult cuGetErrorName(CUresult e, const char **text) {
  const struct error_words *w = error_words((int)e);
  *text = w ? w->driver : NULL;
  return w ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGetErrorString(CUresult e, const char **text) {
  const struct error_words *w = error_words((int)e);
  *text = w ? w->words : NULL;
  return w ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Returns the error that makes DEVICE or OUT unusable, or 0. */
static CUresult device_usable(const void *out, CUdevice device) {
  CUresult e = driver_ready();
  if (e == CUDA_SUCCESS && !out)
    e = CUDA_ERROR_INVALID_VALUE;
  return e == CUDA_SUCCESS && !context_of(device) ? CUDA_ERROR_INVALID_DEVICE : e;
}

EXPORT CUresult cuDeviceGetCount(int *n) {
  CUresult e = device_usable(n, 0);
  if (e == CUDA_SUCCESS)
    *n = settings_get()->devices;
  return e;
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  CUresult e = device_usable(device, ordinal);
  if (e == CUDA_SUCCESS)
    *device = ordinal;
  return e;
}

EXPORT CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  CUresult e = size > 0 ? device_usable(name, device) : CUDA_ERROR_INVALID_VALUE;
  if (e == CUDA_SUCCESS)
    snprintf(name, (size_t)size, "emulated GPU (CPU)");
  return e;
}

EXPORT CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  CUresult e = device_usable(uuid, device);
  if (e == CUDA_SUCCESS)
    *uuid = (CUuuid){ { 'a', 'u', 't', 'o', 't', 'u', 'n', 'e', '-', 'e', 'm', 'u', 0, 0,
                        0, (char)('0' + device) } };
  return e;
}
EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  return cuDeviceGetUuid(uuid, device);
}

EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                                     CUdevice device) {
  CUresult e = device_usable(value, device);
  if (e != CUDA_SUCCESS)
    return e;
  switch ((int)attribute) {
#define X(number, driver, runtime, number_or_so) \
  case number:                                   \
    *value = number_or_so;                       \
    break;
    AUTOTUNE_EMULATE_ATTRIBUTES(X)
#undef X
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
    *value = settings_get()->cc / 10;
  if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
    *value = settings_get()->cc % 10;
  if (attribute == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)
    *value = limits_get()->threads_sm;
  if (attribute == CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)
    *value = limits_get()->blocks_sm;
  if (attribute == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
    *value = limits_get()->shared_sm;
  if (attribute == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
    *value = limits_get()->shared_block;
  if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_MODE && settings_get()->exclusive)
    *value = EXCLUSIVE_PROCESS;
  if (attribute == CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)
    *value = device;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  CUresult e = device_usable(bytes, device);
  if (e == CUDA_SUCCESS)
    *bytes = settings_get()->memory;
  return e;
}

/* Opens and locks the file of an exclusive device; a process keeps it to its end. */
static void device_lock(void) {
  const char *path = settings_get()->exclusive;
  int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  d.locked = !path || (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0);
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice device) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  CUresult e = device_usable(c, device);
  pthread_once(&once, device_lock);
  if (e == CUDA_SUCCESS && !d.locked)
    e = CUDA_ERROR_DEVICE_UNAVAILABLE;
  if (e != CUDA_SUCCESS)
    return e;
  *c = context_of(device);
  __atomic_add_fetch(&(*c)->retained, 1, __ATOMIC_ACQ_REL);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  CUresult e = device_usable(&device, device);
  if (e != CUDA_SUCCESS)
    return e;
  struct CUctx_st *c = context_of(device);
  if (!__atomic_load_n(&c->retained, __ATOMIC_ACQUIRE))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (__atomic_load_n(&c->retained, __ATOMIC_ACQUIRE) == 1) {
    if (!c->lost)
      queue_wait(c, NULL);
    memory_reset(device);
  }
  __atomic_sub_fetch(&c->retained, 1, __ATOMIC_ACQ_REL);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *c) {
  CUresult e = driver_ready();
  if (e == CUDA_SUCCESS)
    *c = current;
  return e;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext c) {
  CUresult e = driver_ready();
  if (e == CUDA_SUCCESS)
    context_use(c);
  return e;
}

EXPORT CUresult cuCtxGetDevice(CUdevice *device) {
  CUresult e = driver_ready();
  if (e != CUDA_SUCCESS)
    return e;
  if (!current)
    return CUDA_ERROR_INVALID_CONTEXT;
  *device = current->device;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSynchronize(void) {
  struct CUctx_st *c;
  CUresult e = context_current(&c);
  if (e == CUDA_SUCCESS)
    e = capture_forbids();
  if (e == CUDA_SUCCESS && fault_due(FAULT_SYNC))
    e = CUDA_ERROR_UNKNOWN;
  return e == CUDA_SUCCESS ? queue_wait(c, NULL) : e;
}
