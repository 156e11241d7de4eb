// SPDX-License-Identifier: Apache-2.0
// call.c: describes one call of a CUDA kernel as plain bytes. The kernel may write its
// sections; without sections, every allocation that its arguments reach, where scratch(…)
// says which part of it is a workspace. It may read
// every allocation that an argument points into, so a helper gets copies of these. The
// driver is asked about each word of structures that are passed by value, and of memory
// that an argument `float **` points to: such a word may be an address.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"

struct description {
  const struct autotune_kernel *kernel;
  const struct gpu_api *api;
  struct gpu_call *call;
  bool named;                          // the kernel has sections besides workspaces
  const struct gpu_prepared *prepared; // NULL: nothing is
  char *why;
  size_t size;
};

static bool call_refuse(struct description *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool call_refuse(struct description *d, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(d->why, d->size, format, args);
  va_end(args);
  return false;
}

// ---- memory ------------------------------------------------------------------------

static enum place call_place_of(const struct description *d, gpu_pointer p,
                                struct gpu_allocation *out) {
  return gpu_place_of(d->api, d->call->device, p, out);
}

static bool refuse_place(struct description *d, const char *name, enum place place) {
  if (place == PLACE_HOST)
    return call_refuse(d, "%s points to memory of the host, which is not saved", name);
  if (place == PLACE_ELSEWHERE)
    return call_refuse(d, "%s points to memory of another device", name);
  return call_refuse(d, "%s points to no memory of this device", name);
}

// Adds A if it is new. Returns its index; -1: there are too many.
static int add_allocation(struct description *d, const struct gpu_allocation *a,
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

static bool add_region(struct description *d, struct gpu_region r, const char *name) {
  struct gpu_call *c = d->call;
  if (c->n_regions == GPU_REGIONS)
    return call_refuse(d, "it writes more than %d pieces of memory", GPU_REGIONS);
  r.name = name;
  c->regions[c->n_regions++] = r;
  return true;
}

static bool whole_allocation(struct description *d, int index,
                             enum autotune_element element, const char *name) {
  const struct gpu_allocation *a = &d->call->allocations[index];
  return add_region(d,
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
    return refuse_place(d, s->name, place);
  if (span->bytes > a.bytes - (base - a.base))
    return call_refuse(d, "%s goes %llu bytes beyond the memory it lies in", s->name,
                       (unsigned long long)(span->bytes - (a.bytes - (base - a.base))));
  int index = add_allocation(d, &a, s->name);
  return index >= 0 &&
      add_region(d,
                 (struct gpu_region){ .base = base,
                                      .bytes = span->bytes,
                                      .access = s->access,
                                      .element = s->element,
                                      .parent = (unsigned)index },
                 s->name);
}

static bool add_sections(struct description *d, void *const *args) {
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
  return add_region(d, after, after.name);
}

// Takes the workspaces out of whole allocations. False: one overlaps a section.
static bool call_cut_scratch(struct description *d) {
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

static void merge_regions(struct description *d) {
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

// ---- arguments ----------------------------------------------------------------------

// Returns the element type that argument I points to; -1: I is no pointer to data that
// is not const.
static int written_element(const struct autotune_gpu *g, unsigned arg) {
  for (unsigned i = 0; i < g->n_written; i++)
    if (g->written[i] == arg)
      return g->elements ? (int)g->elements[i] : AUTOTUNE_BYTES;
  return -1;
}

// Notes an address into ALLOCATION. It stands at OFFSET of the arguments' bytes (IN 0),
// or of allocation IN - 1.
static bool note_pointer(struct description *d, unsigned in, size_t offset,
                         int allocation) {
  struct gpu_call *c = d->call;
  if (c->n_pointers == GPU_POINTERS)
    return call_refuse(d, "it is given more than %d addresses", GPU_POINTERS);
  c->pointers[c->n_pointers].in = in;
  c->pointers[c->n_pointers].offset = offset;
  c->pointers[c->n_pointers++].allocation = (unsigned)allocation;
  return true;
}

static gpu_pointer word_at(const struct gpu_call *c, unsigned offset) {
  gpu_pointer p;
  memcpy(&p, c->bytes + offset, sizeof p);
  return p;
}

// ---- addresses in memory ------------------------------------------------------------

enum { TABLE = 4096 }; // words

// Reads the WORDS at P, after all work that the launch waits for.
static bool read_table(struct description *d, gpu_pointer p, gpu_pointer *words, size_t n,
                       const char *name) {
  const struct gpu_api *api = d->api;
  gpu_stream stream = d->call->asked.stream;
  char error[160];
  gpu_result e = api->copy_to_host(words, p, n * sizeof *words, stream);
  if (e == 0)
    e = api->stream_synchronize(stream);
  return e == 0 ||
      call_refuse(d, "the addresses that %s points to cannot be read: %s", name,
                  gpu_error(api, e, error, sizeof error));
}

// Adds the memory that the WORDS at byte AT of allocation INDEX point to; ignores words
// that are no address.
static bool call_follow(struct description *d, int index, size_t at,
                        const gpu_pointer *words, size_t n, int element,
                        const char *name) {
  for (size_t i = 0; i < n; i++) {
    struct gpu_allocation a = { 0 };
    enum place place = call_place_of(d, words[i], &a);
    if (place == PLACE_UNKNOWN)
      continue;
    if (place != PLACE_HERE)
      return refuse_place(d, name, place);
    int to = add_allocation(d, &a, name);
    if (to < 0 || !note_pointer(d, (unsigned)index + 1, at + i * sizeof *words, to))
      return false;
    if ((element & AUTOTUNE_ADDRESSES) &&
        !whole_allocation(
            d, to, (enum autotune_element)(element & (AUTOTUNE_ADDRESSES - 1)), name))
      return false;
  }
  return true;
}

// Adds the table of addresses at P, to which argument NAME points, in allocation INDEX.
// All words up to the end of the allocation are taken, because it is not known which of
// them the kernel reads.
static bool add_table(struct description *d, gpu_pointer p, int index, int element,
                      const char *name) {
  const struct gpu_allocation *a = &d->call->allocations[index];
  size_t at = (size_t)(p - a->base), n = (a->bytes - at) / sizeof p;
  if (element & AUTOTUNE_DEEP_ADDRESSES)
    return call_refuse(d, "%s points to addresses of addresses, which are not followed",
                       name);
  if (n > TABLE)
    return call_refuse(d, "%s points to addresses in memory of more than %d words", name,
                       TABLE);
  gpu_pointer *words = sys_calloc(n + 1, sizeof *words);
  if (!words)
    return call_refuse(d, "no memory");
  bool good = read_table(d, p, words, n, name) &&
      call_follow(d, index, at, words, n, element, name);
  free(words);
  if (!good || d->named)
    return good;
  return add_region(d,
                    (struct gpu_region){ .base = a->base,
                                         .bytes = a->bytes,
                                         .access = AUTOTUNE_INOUT,
                                         .addresses = true,
                                         .parent = (unsigned)index },
                    name);
}

enum {
  ANY_ADDRESSES = AUTOTUNE_ADDRESSES | AUTOTUNE_CONST_ADDRESSES | AUTOTUNE_DEEP_ADDRESSES
};

static bool add_pointer(struct description *d, unsigned arg) {
  struct gpu_allocation a = { 0 };
  const char *name = d->kernel->args[arg].name;
  unsigned offset = d->call->offsets[arg];
  gpu_pointer p = word_at(d->call, offset);
  int element = written_element(d->kernel->gpu, arg);
  bool table = element >= 0 && (element & ANY_ADDRESSES);
  if (d->named && !table)
    element = -1;
  enum place place = call_place_of(d, p, &a);
  if (p == 0 || (place <= PLACE_BOUNDLESS && element < 0))
    return true; // the kernel cannot use it
  if (place != PLACE_HERE)
    return refuse_place(d, name, place);
  int index = add_allocation(d, &a, name);
  if (index < 0 || !note_pointer(d, 0, offset, index))
    return false;
  if (table)
    return add_table(d, p, index, element, name);
  return element < 0 || whole_allocation(d, index, (enum autotune_element)element, name);
}

static bool call_holds(void *data, gpu_pointer p) {
  struct gpu_allocation a;
  return call_place_of(data, p, &a) == PLACE_HERE;
}

// Adds the memory that the word P of the argument NAME points to, if it is an address. It
// is not known whether that memory is written. *INDEX: its allocation, or -1.
static bool call_add_word(struct description *d, gpu_pointer p, const char *name,
                          int *index) {
  struct gpu_allocation a = { 0 };
  enum place place = call_place_of(d, p, &a);
  *index = -1;
  if (place != PLACE_HERE && place != PLACE_UNKNOWN && !d->named)
    return refuse_place(d, name, place); // it may be written, and could not be saved
  if (place != PLACE_HERE)
    return true;
  *index = add_allocation(d, &a, name);
  return *index >= 0 && (d->named || whole_allocation(d, *index, AUTOTUNE_BYTES, name));
}

// True if VALUE, of argument ARG, is a tensor map. *ADDRESS: what it holds; it lies in
// memory of the device. (The type may be one of the user's.)
static bool call_is_map(struct description *d, unsigned arg, const unsigned char *value,
                        gpu_pointer *address) {
  *address = 0;
  if (d->call->maps[arg] && d->api->map_replace)
    *address = gpu_map_address(d->api, value, call_holds, d);
  return *address != 0;
}

// Adds the memory that VALUE leads to: a structure or a number that is passed by value as
// argument ARG. NOTED: its addresses stand at OFFSET of the call's bytes.
static bool call_add_value(struct description *d, unsigned arg,
                           const unsigned char *value, bool noted, size_t offset) {
  const char *name = d->kernel->args[arg].name;
  gpu_pointer word;
  int index;
  if (call_is_map(d, arg, value, &word)) {
    if (!call_add_word(d, word, name, &index) ||
        (noted && !note_pointer(d, 0, offset, index)))
      return false;
    if (noted)
      d->call->pointers[d->call->n_pointers - 1].map = word;
    return true;
  }
  for (unsigned at = 0; at + sizeof word <= d->call->sizes[arg]; at += sizeof word) {
    memcpy(&word, value + at, sizeof word);
    if (!call_add_word(d, word, name, &index) ||
        (noted && index >= 0 && !note_pointer(d, 0, offset + at, index)))
      return false;
  }
  return d->kernel->args[arg].kind != AUTOTUNE_ARG_TENSOR_MAP || !d->api->map_replace ||
      (*value == 0 && memcmp(value, value + 1, d->call->sizes[arg] - 1) == 0) ||
      call_refuse(d, "the tensor map %s is not of memory of this device", name);
}

// Says where variants get the arguments that the host makes, and adds their memory.
static bool call_add_prepared(struct description *d) {
  struct gpu_call *c = d->call;
  for (unsigned i = 0; d->prepared && i < d->prepared->n; i++) {
    const struct gpu_prepared_set *s = &d->prepared->sets[i];
    unsigned arg = d->prepared->list[i].arg;
    c->prepared[i].arg = arg;
    c->prepared[i].offset = (unsigned)c->prepared_bytes;
    c->prepared_bytes += (s->size + 15) & ~(size_t)15;
    c->n_prepared = i + 1;
    for (unsigned v = 0; v < s->n; v++)
      if (s->made[v] && !call_add_value(d, arg, s->values + v * s->size, false, 0))
        return false;
  }
  return true;
}

static bool add_args(struct description *d, void *const *args) {
  const struct autotune_kernel *k = d->kernel;
  struct gpu_call *c = d->call;
  size_t at = 0;
  if (k->n_args > GPU_MAX_ARGS)
    return call_refuse(d, "it has more than %d arguments", GPU_MAX_ARGS);
  c->n_args = k->n_args;
  for (unsigned i = 0; i < k->n_args; i++) {
    size_t size = k->args[i].size;
    at = (at + 15) & ~(size_t)15;
    if (size > sizeof c->bytes - at)
      return call_refuse(d, "its arguments take more than %d bytes", GPU_ARGS);
    c->offsets[i] = (unsigned)at;
    c->sizes[i] = (unsigned)size;
    c->maps[i] = size == GPU_MAP;
    memcpy(c->bytes + at, args[i], size);
    at += size;
    if (!(k->args[i].kind == AUTOTUNE_ARG_POINTER && size == sizeof(gpu_pointer)
              ? add_pointer(d, i)
              : call_add_value(d, i, c->bytes + c->offsets[i], true, c->offsets[i])))
      return false;
  }
  return true;
}

static bool call_add_symbols(struct description *d) {
  const struct autotune_gpu *g = d->kernel->gpu;
  struct gpu_call *c = d->call;
  if (g->n_symbols > GPU_SYMBOLS)
    return call_refuse(d, "it uses more than %d variables of the device", GPU_SYMBOLS);
  for (unsigned i = 0; i < g->n_symbols; i++) {
    const struct autotune_gpu_symbol *s = &g->symbols[i];
    void *address = NULL;
    size_t bytes = 0;
    char error[160];
    int e = s->locate(&address, &bytes);
    if (e != 0)
      return call_refuse(d, "its variable %s cannot be found: %s", s->name,
                         gpu_error(d->api, e, error, sizeof error));
    c->symbols[i].name = s->name;
    c->symbols[i].address = (gpu_pointer)(uintptr_t)address;
    c->symbols[i].bytes = bytes;
    c->symbols[i].written = s->written;
    c->n_symbols = i + 1;
    if (s->written && bytes > 0 &&
        !add_region(d,
                    (struct gpu_region){ .base = c->symbols[i].address,
                                         .bytes = bytes,
                                         .access = AUTOTUNE_INOUT,
                                         .element = AUTOTUNE_BYTES,
                                         .parent = GPU_SYMBOL + i },
                    s->name))
      return false;
  }
  return true;
}

// Notes the call's device. False: the program uses another context than the device's
// primary one, whose streams and memory variants could not use.
static bool call_find_device(struct description *d) {
  gpu_context current = NULL, primary = NULL;
  gpu_device device = 0;
  if (d->api->context_get(&current) != 0)
    return call_refuse(d, "CUDA has no current context");
  if (current && d->api->context_device(&device) != 0)
    return call_refuse(d, "CUDA has no current device");
  d->call->device = device;
  if (!current)
    return true; // the runtime will create that of device 0
  if (d->api->primary_retain(&primary, device) != 0)
    return call_refuse(d, "the device has no primary context");
  d->api->primary_release(device);
  return primary == current ||
      call_refuse(d, "its context is not the device's primary one");
}

int gpu_call_describe(const struct autotune_kernel *k, void *const *args,
                      const struct autotune_launch *asked,
                      const struct gpu_prepared *prepared, struct gpu_call *out,
                      char *why, size_t size) {
  const char *missing = "";
  struct description d = { .kernel = k,
                           .api = gpu_api_get(&missing),
                           .call = out,
                           .named = kernel_has_sections(k),
                           .prepared = prepared,
                           .why = why,
                           .size = size };
  memset(out, 0, sizeof *out); // also the padding
  out->asked = *asked;
  out->flags = k->gpu->flags;
  bool good = d.api || call_refuse(&d, "%s", missing);
  good = good && call_find_device(&d) && add_args(&d, args) && call_add_prepared(&d) &&
      add_sections(&d, args) && call_add_symbols(&d) && call_cut_scratch(&d);
  if (!good)
    return -1;
  merge_regions(&d);
  return 0;
}
