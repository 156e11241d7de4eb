// SPDX-License-Identifier: Apache-2.0
// cache.c: arguments that the host makes for the program's launches of one variant. A
// launch whose arguments were seen before compares and copies bytes; another one calls
// the user's functions. A thread that meets another one here calls them too, and waits
// for nobody.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "gpu.h"
#include "model/kernel.h"

enum { WAYS = 4, MOST_SETS = 32, ROOM = 256 << 10 /* bytes of all entries */ };

// An entry: its hash (0: it is free), the arguments that it was made from, what was made,
// and what the default's params give.
struct gpu_cache {
  const struct autotune_kernel *kernel;
  const struct autotune_prepared *list;
  unsigned n;                   // prepared arguments
  size_t offsets[GPU_PREPARED]; // of each, in what was made
  bool compares[GPU_PREPARED];  // the launch's own value must be that of the default's
                                // params
  unsigned reads[GPU_MAX_ARGS], n_reads; // arguments that they are made from
  size_t read_bytes, made_bytes;
  unsigned n_sets, next;
  atomic_flag busy; // held while the entries are used
  unsigned char entries[];
};

static size_t cache_stride(const struct gpu_cache *c) {
  return sizeof(uint64_t) + c->read_bytes + 2 * c->made_bytes;
}

// Sets which arguments the prepared ones are made from. False: they are too large.
static bool cache_layout(struct gpu_cache *c, const struct autotune_kernel *k) {
  bool used[GPU_MAX_ARGS] = { false };
  c->kernel = k;
  c->list = kernel_prepared(k, &c->n);
  if (c->n > GPU_PREPARED || k->n_args > GPU_MAX_ARGS)
    return false;
  for (unsigned i = 0; i < c->n; i++) {
    c->offsets[i] = gpu_prepared_place(&c->made_bytes, k->args[c->list[i].arg].size);
    c->compares[i] = gpu_prepared_compares(k, &c->list[i]);
    for (unsigned j = 0; j < c->list[i].n_args; j++)
      used[c->list[i].args[j]] = true;
  }
  for (unsigned i = 0; i < k->n_args; i++)
    if (used[i]) {
      c->reads[c->n_reads++] = i;
      c->read_bytes += k->args[i].size;
    }
  return c->made_bytes <= GPU_ARGS && c->read_bytes <= GPU_ARGS;
}

struct gpu_cache *gpu_cache_new(const struct autotune_kernel *k) {
  struct gpu_cache layout = { .n = 0 };
  if (!cache_layout(&layout, k))
    return NULL;
  size_t set = WAYS * cache_stride(&layout);
  layout.n_sets = set * MOST_SETS <= ROOM ? MOST_SETS : (unsigned)(ROOM / set);
  struct gpu_cache *c = sys_calloc(1, sizeof *c + layout.n_sets * set);
  if (c)
    memcpy(c, &layout, sizeof layout);
  return c;
}

void gpu_cache_free(struct gpu_cache *c) {
  free(c);
}

// Copies the arguments that C's are made from to OUT, and returns their hash.
static uint64_t cache_read(const struct gpu_cache *c, void *const *args,
                           unsigned char *out) {
  size_t at = 0;
  for (unsigned i = 0; i < c->n_reads; i++) {
    size_t size = c->kernel->args[c->reads[i]].size;
    memcpy(out + at, args[c->reads[i]], size);
    at += size;
  }
  uint64_t hash = XXH3_64bits(out, at);
  return hash + !hash;
}

// Returns the entry with HASH and READ, else the one to replace, with *KNOWN false.
static unsigned char *cache_entry(struct gpu_cache *c, uint64_t hash,
                                  const unsigned char *read, bool *known) {
  size_t stride = cache_stride(c);
  unsigned char *set = c->entries + hash % c->n_sets * WAYS * stride;
  uint64_t there;
  for (unsigned i = 0; i < WAYS; i++) {
    memcpy(&there, set + i * stride, sizeof there);
    *known = there == hash &&
        memcmp(set + i * stride + sizeof hash, read, c->read_bytes) == 0;
    if (*known || !there)
      return set + i * stride;
  }
  return set + c->next++ % WAYS * stride;
}

// Returns the index of the first prepared argument of which the launch's own value, in
// ARGS, is not OWN's; -1: none.
static int cache_differs(const struct gpu_cache *c, void *const *args,
                         const unsigned char *own) {
  for (unsigned i = 0; i < c->n; i++) {
    unsigned arg = c->list[i].arg;
    if (c->compares[i] &&
        memcmp(own + c->offsets[i], args[arg], c->kernel->args[arg].size) != 0)
      return (int)i;
  }
  return -1;
}

// *DIFFERS: as cache_differs.
static bool cache_find(struct gpu_cache *c, uint64_t hash, const unsigned char *read,
                       void *const *args, unsigned char *made, int *differs) {
  bool known = false;
  if (atomic_flag_test_and_set_explicit(&c->busy, memory_order_acquire))
    return false;
  const unsigned char *e = cache_entry(c, hash, read, &known);
  const unsigned char *kept = e + sizeof hash + c->read_bytes;
  if (known) {
    memcpy(made, kept, c->made_bytes);
    *differs = cache_differs(c, args, kept + c->made_bytes);
  }
  atomic_flag_clear_explicit(&c->busy, memory_order_release);
  return known;
}

static void cache_keep(struct gpu_cache *c, uint64_t hash, const unsigned char *read,
                       const unsigned char *made, const unsigned char *own) {
  bool known;
  if (atomic_flag_test_and_set_explicit(&c->busy, memory_order_acquire))
    return;
  unsigned char *e = cache_entry(c, hash, read, &known);
  memcpy(e, &hash, sizeof hash);
  memcpy(e + sizeof hash, read, c->read_bytes);
  memcpy(e + sizeof hash + c->read_bytes, made, c->made_bytes);
  memcpy(e + sizeof hash + c->read_bytes + c->made_bytes, own, c->made_bytes);
  atomic_flag_clear_explicit(&c->busy, memory_order_release);
}

static void cache_warn(const struct gpu_cache *c, const char *why) {
  log_once_of(AUTOTUNE_WARN, c->kernel->name, why,
              "%s: %s: such launches run the default", c->kernel->name, why);
}

// Makes everything for READ, with that HASH, and keeps it. False, after a message: a
// tensor map was not made.
__attribute__((noinline)) static bool cache_make(
    struct gpu_cache *c, const struct autotune_value *const *values, void *const *args,
    const struct autotune_machine *machine, uint64_t hash, const unsigned char *read,
    unsigned char *made, int *differs) {
  unsigned char own[GPU_ARGS];
  char why[200];
  memset(own, 0, c->made_bytes);
  for (unsigned i = 0; i < c->n; i++) {
    const struct autotune_prepared *p = &c->list[i];
    p->make(values, args, machine, made + c->offsets[i]);
    if (gpu_prepared_failed(c->kernel, p, args, made + c->offsets[i], why, sizeof why)) {
      cache_warn(c, why);
      return false;
    }
    if (c->compares[i])
      gpu_prepared_default(c->kernel, p, args, machine, own + c->offsets[i]);
  }
  cache_keep(c, hash, read, made, own);
  *differs = cache_differs(c, args, own);
  return true;
}

bool gpu_cache_arguments(struct gpu_cache *c, const struct autotune_value *const *values,
                         void *const *args, const struct autotune_machine *machine,
                         void **list, unsigned char *room) {
  unsigned char read[GPU_ARGS];
  uint64_t hash = cache_read(c, args, read);
  int differs = -1;
  memcpy(list, args, c->kernel->n_args * sizeof *list);
  for (unsigned i = 0; i < c->n; i++)
    list[c->list[i].arg] = room + c->offsets[i];
  if (!cache_find(c, hash, read, args, room, &differs) &&
      !cache_make(c, values, args, machine, hash, read, room, &differs))
    return false;
  if (__builtin_expect(differs >= 0, 0)) {
    char why[200];
    gpu_prepared_differs(c->kernel, &c->list[differs], why, sizeof why);
    cache_warn(c, why);
  }
  return differs < 0;
}
