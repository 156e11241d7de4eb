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

// An entry: its hash (0: it is free), the arguments that it was made from, what was made.
struct gpu_cache {
  const struct autotune_kernel *kernel;
  const struct autotune_prepared *list;
  unsigned n;                            // prepared arguments
  size_t offsets[GPU_PREPARED];          // of each, in what was made
  unsigned reads[GPU_MAX_ARGS], n_reads; // arguments that they are made from
  size_t read_bytes, made_bytes;
  unsigned n_sets, next;
  atomic_flag busy; // held while the entries are used
  unsigned char entries[];
};

static size_t cache_stride(const struct gpu_cache *c) {
  return sizeof(uint64_t) + c->read_bytes + c->made_bytes;
}

// Sets which arguments the prepared ones are made from. False: they are too large.
static bool cache_layout(struct gpu_cache *c, const struct autotune_kernel *k) {
  bool used[GPU_MAX_ARGS] = { false };
  c->kernel = k;
  c->list = kernel_prepared(k, &c->n);
  if (c->n > GPU_PREPARED || k->n_args > GPU_MAX_ARGS)
    return false;
  for (unsigned i = 0; i < c->n; i++) {
    c->offsets[i] = c->made_bytes;
    c->made_bytes += (k->args[c->list[i].arg].size + GPU_MAP - 1) / GPU_MAP * GPU_MAP;
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

static bool cache_find(struct gpu_cache *c, uint64_t hash, const unsigned char *read,
                       unsigned char *made) {
  bool known = false;
  if (atomic_flag_test_and_set_explicit(&c->busy, memory_order_acquire))
    return false;
  const unsigned char *e = cache_entry(c, hash, read, &known);
  if (known)
    memcpy(made, e + sizeof hash + c->read_bytes, c->made_bytes);
  atomic_flag_clear_explicit(&c->busy, memory_order_release);
  return known;
}

static void cache_keep(struct gpu_cache *c, uint64_t hash, const unsigned char *read,
                       const unsigned char *made) {
  bool known;
  if (atomic_flag_test_and_set_explicit(&c->busy, memory_order_acquire))
    return;
  unsigned char *e = cache_entry(c, hash, read, &known);
  memcpy(e, &hash, sizeof hash);
  memcpy(e + sizeof hash, read, c->read_bytes);
  memcpy(e + sizeof hash + c->read_bytes, made, c->made_bytes);
  atomic_flag_clear_explicit(&c->busy, memory_order_release);
}

void gpu_cache_arguments(struct gpu_cache *c, const struct autotune_value *const *values,
                         void *const *args, const struct autotune_machine *machine,
                         void **list, unsigned char *room) {
  unsigned char read[GPU_ARGS];
  uint64_t hash = cache_read(c, args, read);
  memcpy(list, args, c->kernel->n_args * sizeof *list);
  for (unsigned i = 0; i < c->n; i++)
    list[c->list[i].arg] = room + c->offsets[i];
  if (cache_find(c, hash, read, room))
    return;
  for (unsigned i = 0; i < c->n; i++)
    c->list[i].make(values, args, machine, room + c->offsets[i]);
  cache_keep(c, hash, read, room);
}
