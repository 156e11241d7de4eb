/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.c: finds the program's kernels by address, for runtime calls that have only the
 * address. */
#include <pthread.h>
#include <stdlib.h>

#include "emulator.h"

enum { BUCKETS = 256 };
struct known {
  struct known *next;
  struct registered r;
};
static struct {
  pthread_mutex_t lock;
  struct known *buckets[BUCKETS];
} k = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct known **bucket_of(const void *fn) {
  return &k.buckets[((uintptr_t)fn >> 4) % BUCKETS];
}

struct registered *kernel_find(const void *fn) {
  pthread_mutex_lock(&k.lock);
  struct known *one = *bucket_of(fn);
  while (one && one->r.kernel.fn != fn)
    one = one->next;
  pthread_mutex_unlock(&k.lock);
  return one ? &one->r : NULL;
}

EXPORT void autotune_emulate_register(const struct autotune_emulate_kernel *kernel) {
  struct registered *old = kernel_find(kernel->fn);
  if (old) { /* an unloaded library may have had a kernel at the same address */
    old->kernel = *kernel;
    return;
  }
  struct known *one = calloc(1, sizeof *one);
  if (!one)
    return;
  one->r.kernel = *kernel;
  one->r.shared_limit = SHARED_STATIC;
  pthread_mutex_lock(&k.lock);
  one->next = *bucket_of(kernel->fn);
  *bucket_of(kernel->fn) = one;
  pthread_mutex_unlock(&k.lock);
}
