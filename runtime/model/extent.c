// SPDX-License-Identifier: Apache-2.0
// extent.c: how much memory a call touches, and how many threads it asks for, as a hash.
// Where it stays the same while integers of the key change, these are no sizes, but
// counters, positions and the like (model/agree.h).
#include <stdlib.h>
#include <xxhash.h>

#include "base/base.h"
#include "kernel.h"

enum { EXTENT_FEW = 16 }; // sections that take no memory of the heap

static uint64_t extent_add(uint64_t hash, uint64_t number) {
  return XXH3_64bits_withSeed(&number, sizeof number, hash);
}

static uint64_t extent_of_threads(uint64_t hash, const struct autotune_launch *l) {
  hash = extent_add(hash, (uint64_t)l->grid.x * l->block.x);
  hash = extent_add(hash, (uint64_t)l->grid.y * l->block.y);
  return extent_add(hash, (uint64_t)l->grid.z * l->block.z);
}

static uint64_t extent_of_sections(uint64_t hash, const struct autotune_kernel *k,
                                   void *const *args) {
  struct autotune_span few[EXTENT_FEW] = { { NULL, 0 } }, *spans = few;
  if (k->n_sections > EXTENT_FEW && !(spans = sys_calloc(k->n_sections, sizeof *spans)))
    return 0;
  struct autotune_call call = { .spans = spans };
  k->describe(args, &call);
  for (unsigned i = 0; i < k->n_sections; i++)
    hash = extent_add(hash, spans[i].bytes);
  if (spans != few)
    free(spans);
  return hash | 1;
}

static uint64_t extent_of_pointers(uint64_t hash, const struct autotune_kernel *k,
                                   void *const *args, extent_bytes *bytes_at) {
  for (unsigned i = 0; i < k->n_args; i++)
    if (k->args[i].kind == AUTOTUNE_ARG_POINTER && k->args[i].size == sizeof(void *))
      hash = extent_add(hash, bytes_at(*(void *const *)args[i]));
  return hash | 1;
}

uint64_t kernel_extent(const struct autotune_kernel *k, const struct call *call,
                       extent_bytes *bytes_at) {
  uint64_t hash = call->launch ? extent_of_threads(1, call->launch) : 1;
  if (kernel_has_sections(k) && !kernel_rows(k))
    return extent_of_sections(hash, k, call->args);
  return bytes_at && !kernel_has_sections(k)
      ? extent_of_pointers(hash, k, call->args, bytes_at)
      : 0;
}
