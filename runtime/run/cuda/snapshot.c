// SPDX-License-Identifier: Apache-2.0
// snapshot.c: saves a call's memory before anything runs: copies of the memory that the
// kernel may write, hashes of memory that it only reads, and the memory next to the
// sections (fences) and further away (rests).
#include "run.h"

enum { FENCE = 64 << 10 };

bool gpu_piece_make(struct gpu_run *r, unsigned i, char *why, size_t size) {
  struct piece *p = &r->pieces[i];
  const struct gpu_region *region = &r->call.regions[i];
  p->region = region;
  p->tolerance = region->tolerance;
  r->restores |= region->access == AUTOTUNE_INOUT;
  if (region->access == AUTOTUNE_IN)
    return gpu_tell(r, gpu_hash(r, region->base, region->bytes, &p->hash), region->name,
                    why, size);
  // In a helper outputs that are only written need not be restored, nor workspaces.
  size_t saved = !r->copied || region->access == AUTOTUNE_INOUT ? region->bytes : 0;
  size_t expected = region->compared ? region->bytes : 0;
  if (!gpu_buffer_make(r->api, &p->saved, saved, false, why, size) ||
      !gpu_buffer_make(r->api, &p->expected, expected, false, why, size))
    return false;
  gpu_result e = gpu_buffer_save(r->api, &p->saved, region->base, r->stream);
  return gpu_tell(r, e, region->name, why, size);
}

// Makes a fence of [LOW, HIGH), which lies next to the region BY, without other regions.
static bool make_fence(struct gpu_run *r, const struct gpu_region *by, gpu_pointer low,
                       gpu_pointer high, char *why, size_t size) {
  for (unsigned i = 0; i < r->call.n_regions; i++) {
    const struct gpu_region *x = &r->call.regions[i];
    gpu_pointer end = x->base + x->bytes;
    if (end <= low || x->base >= high)
      continue;
    if (high == by->base)
      low = end;
    else
      high = x->base;
  }
  if (low >= high || r->n_fences == FENCES)
    return true;
  struct fence *f = &r->fences[r->n_fences++];
  *f = (struct fence){ .base = low, .bytes = high - low, .name = by->name };
  return gpu_buffer_make(r->api, &f->saved, f->bytes, false, why, size) &&
      gpu_tell(r, gpu_buffer_save(r->api, &f->saved, f->base, r->stream), f->name, why,
               size);
}

static bool make_fences(struct gpu_run *r, char *why, size_t size) {
  for (unsigned i = 0; i < r->call.n_regions; i++) {
    const struct gpu_region *x = &r->call.regions[i];
    if (x->parent >= GPU_SYMBOL)
      continue;
    gpu_pointer base = r->call.allocations[x->parent].base;
    gpu_pointer top = base + r->call.allocations[x->parent].bytes,
                end = x->base + x->bytes;
    gpu_pointer low = x->base - base > FENCE ? x->base - FENCE : base;
    gpu_pointer high = top - end > FENCE ? end + FENCE : top;
    if (!make_fence(r, x, low, x->base, why, size) ||
        !make_fence(r, x, end, high, why, size))
      return false;
  }
  return true;
}

static void add_rest(struct gpu_run *r, gpu_pointer low, gpu_pointer high,
                     const char *name) {
  if (low < high && r->n_rests < RESTS)
    r->rests[r->n_rests++] =
        (struct rest){ .base = low, .bytes = high - low, .name = name };
}

// Makes the fences and rests. Regions are sorted by address.
static void make_rests(struct gpu_run *r) {
  for (unsigned i = 0; i < r->call.n_allocations; i++) {
    const struct gpu_allocation *a = &r->call.allocations[i];
    gpu_pointer low = a->base;
    for (unsigned k = 0; k < r->call.n_regions; k++) {
      const struct gpu_region *x = &r->call.regions[k];
      if (x->parent != i)
        continue;
      if (x->base - low > FENCE)
        add_rest(r, low, x->base - FENCE, a->name);
      low = x->base + x->bytes + FENCE;
    }
    add_rest(r, low, a->base + a->bytes, a->name);
  }
}

bool gpu_run_prepare(struct gpu_run *r, char *why, size_t size) {
  for (unsigned i = 0; i < r->call.n_args; i++)
    r->args[i] = r->call.bytes + r->call.offsets[i];
  r->compare = gpu_compare_new(r);
  for (unsigned i = 0; i < r->call.n_regions; i++)
    if (!gpu_piece_make(r, i, why, size))
      return false;
  make_rests(r);
  return make_fences(r, why, size) && gpu_run_wait(r, why, size);
}
