// SPDX-License-Identifier: Apache-2.0
// regions.c: the memory that a call reads and may write: allocations, and the regions in
// them that are saved and compared.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"

bool call_refuse(struct description *d, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(d->why, d->size, format, args);
  va_end(args);
  return false;
}

// ---- memory ------------------------------------------------------------------------

enum place call_place_of(const struct description *d, gpu_pointer p,
                         struct gpu_allocation *out) {
  return gpu_place_of(d->api, d->call->device, p, out);
}

bool call_refuse_place(struct description *d, const char *name, enum place place) {
  if (place == PLACE_HOST)
    return call_refuse(d, "%s points to memory of the host, which is not saved", name);
  if (place == PLACE_ELSEWHERE)
    return call_refuse(d, "%s points to memory of another device", name);
  return call_refuse(d, "%s points to no memory of this device", name);
}

int call_add_allocation(struct description *d, const struct gpu_allocation *a,
                        const char *name) {
  struct gpu_call *c = d->call;
  for (unsigned i = 0; i < c->n_allocations; i++)
    if (c->allocations[i].base == a->base)
      return (int)i;
  if (c->n_allocations == GPU_REGIONS) {
    call_refuse(d, "it is given more than %d pieces of memory", GPU_REGIONS);
    return -1;
  }
  c->allocations[c->n_allocations] = *a;
  c->allocations[c->n_allocations].name = name;
  return (int)c->n_allocations++;
}

// ---- regions ------------------------------------------------------------------------

bool call_add_region(struct description *d, struct gpu_region r, const char *name) {
  struct gpu_call *c = d->call;
  if (c->n_regions == GPU_REGIONS)
    return call_refuse(d, "it writes more than %d pieces of memory", GPU_REGIONS);
  r.name = name;
  c->regions[c->n_regions++] = r;
  return true;
}

bool call_add_whole(struct description *d, int index, enum autotune_element element,
                    const char *name) {
  const struct gpu_allocation *a = &d->call->allocations[index];
  for (unsigned i = 0; i < d->call->n_regions; i++) {
    struct gpu_region *r = &d->call->regions[i];
    if (!r->whole || r->base != a->base)
      continue;
    r->element = r->element == element ? element : AUTOTUNE_BYTES;
    return true;
  }
  return call_add_region(d,
                         (struct gpu_region){ .base = a->base,
                                              .bytes = a->bytes,
                                              .access = AUTOTUNE_INOUT,
                                              .element = element,
                                              .whole = true,
                                              .parent = (unsigned)index },
                         name);
}

static bool add_section(struct description *d, const struct autotune_section *s,
                        const struct autotune_span *span) {
  struct gpu_allocation a = { 0 };
  gpu_pointer base = (gpu_pointer)(uintptr_t)span->base;
  if (!base || span->bytes == 0)
    return true;
  enum place place = call_place_of(d, base, &a);
  if (place != PLACE_HERE)
    return call_refuse_place(d, s->name, place);
  if (span->bytes > a.bytes - (base - a.base))
    return call_refuse(d, "%s goes %llu bytes beyond the memory it lies in", s->name,
                       (unsigned long long)(span->bytes - (a.bytes - (base - a.base))));
  int index = call_add_allocation(d, &a, s->name);
  return index >= 0 &&
      call_add_region(d,
                      (struct gpu_region){ .base = base,
                                           .bytes = span->bytes,
                                           .access = s->access,
                                           .element = s->element,
                                           .parent = (unsigned)index },
                      s->name);
}

bool call_add_sections(struct description *d, void *const *args) {
  const struct autotune_kernel *k = d->kernel;
  struct autotune_span *spans = sys_calloc(k->n_sections + 1, sizeof *spans);
  struct autotune_call call = { .spans = spans };
  bool good = spans || call_refuse(d, "no memory");
  if (good)
    k->describe(args, &call);
  for (unsigned i = 0; good && i < k->n_sections; i++)
    good = add_section(d, &k->sections[i], &spans[i]);
  free(spans);
  return good;
}

static bool call_overlap(const struct gpu_region *a, const struct gpu_region *b) {
  return a->base < b->base + b->bytes && b->base < a->base + a->bytes;
}

// Takes workspace S out of region I, which overlaps it. What lies after S becomes a
// region of its own.
static bool call_cut(struct description *d, const struct gpu_region *s, unsigned i) {
  struct gpu_region *r = &d->call->regions[i], after = *r;
  gpu_pointer end = r->base + r->bytes;
  if (!r->whole)
    return call_refuse(d, "the section %s is scratch, and overlaps %s", s->name, r->name);
  after.base = s->base + s->bytes;
  r->bytes = s->base > r->base ? s->base - r->base : 0;
  if (end <= after.base)
    return true;
  after.bytes = end - after.base;
  return call_add_region(d, after, after.name);
}

bool call_cut_scratch(struct description *d) {
  struct gpu_call *c = d->call;
  for (unsigned i = 0; i < c->n_regions; i++) {
    const struct gpu_region s = c->regions[i];
    for (unsigned j = 0; s.access == AUTOTUNE_SCRATCH && j < c->n_regions; j++)
      if (c->regions[j].access != AUTOTUNE_SCRATCH && call_overlap(&s, &c->regions[j]) &&
          !call_cut(d, &s, j))
        return false;
  }
  return true;
}

static int by_base(const void *a, const void *b) {
  const struct gpu_region *x = a, *y = b;
  return (x->base > y->base) - (x->base < y->base);
}

// Returns how bytes shared by two regions are compared: by the type written there, if
// both agree on it.
static enum autotune_element common_element(const struct gpu_region *a,
                                            const struct gpu_region *b) {
  bool a_out = a->access & AUTOTUNE_OUT, b_out = b->access & AUTOTUNE_OUT;
  enum autotune_element e = a->element == b->element || (a_out && !b_out) ? a->element
      : b_out && !a_out                                                   ? b->element
                        : AUTOTUNE_BYTES;
  return (b->base - a->base) % verify_element_size(e) == 0 ? e : AUTOTUNE_BYTES;
}

void call_merge(struct description *d) {
  struct gpu_call *c = d->call;
  unsigned n = 0;
  qsort(c->regions, c->n_regions, sizeof *c->regions, by_base);
  for (unsigned i = 0; i < c->n_regions; i++) {
    struct gpu_region *r = &c->regions[i], *last = n ? &c->regions[n - 1] : NULL;
    if (r->bytes == 0) // all of it is a workspace
      continue;
    if (!last || last->base + last->bytes <= r->base) {
      c->regions[n++] = *r;
      continue;
    }
    gpu_pointer end = r->base + r->bytes;
    last->element = common_element(last, r);
    last->access |= r->access;
    last->addresses |= r->addresses;
    if (end > last->base + last->bytes)
      last->bytes = end - last->base;
  }
  c->n_regions = n;
  for (unsigned i = 0; i < n; i++) {
    struct gpu_region *r = &c->regions[i];
    if (r->element > AUTOTUNE_F64 || r->base % verify_element_size(r->element) != 0)
      r->element = AUTOTUNE_BYTES; // no number that the device knows, or not aligned
    r->tolerance = verify_allowed(d->kernel, r->element);
    r->compared = !r->tolerance.off && (r->access & AUTOTUNE_OUT) && !r->addresses;
  }
}
