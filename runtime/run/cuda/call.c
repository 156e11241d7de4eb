// SPDX-License-Identifier: Apache-2.0
// call.c: describes one call of a CUDA kernel as plain bytes. The kernel may write its
// sections; without sections, every allocation that its arguments reach, where scratch(…)
// says which part of it is a workspace. It may read
// every allocation that an argument points into, so a helper gets copies of these. The
// driver is asked about each word of structures that are passed by value, and of memory
// that an argument `float **` points to: such a word may be an address.
#include <stdlib.h>
#include <string.h>

#include "describe.h"

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
      return call_refuse_place(d, name, place);
    int to = call_add_allocation(d, &a, name);
    if (to < 0 || !note_pointer(d, (unsigned)index + 1, at + i * sizeof *words, to))
      return false;
    if ((element & AUTOTUNE_ADDRESSES) &&
        !call_add_whole(
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
  return call_add_region(d,
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
    return call_refuse_place(d, name, place);
  int index = call_add_allocation(d, &a, name);
  if (index < 0 || !note_pointer(d, 0, offset, index))
    return false;
  if (table)
    return add_table(d, p, index, element, name);
  return element < 0 || call_add_whole(d, index, (enum autotune_element)element, name);
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
    return call_refuse_place(d, name, place); // it may be written, and could not be saved
  if (place != PLACE_HERE)
    return true;
  *index = call_add_allocation(d, &a, name);
  return *index >= 0 && (d->named || call_add_whole(d, *index, AUTOTUNE_BYTES, name));
}

// Adds the memory of the address MAP, which is inside a tensor map at OFFSET of the
// call's bytes.
static bool call_add_map(struct description *d, gpu_pointer map, const char *name,
                         bool noted, size_t offset) {
  int index;
  if (!call_add_word(d, map, name, &index) ||
      (noted && !note_pointer(d, 0, offset, index)))
    return false;
  if (noted)
    d->call->pointers[d->call->n_pointers - 1].map = map;
  return true;
}

// Adds the memory that VALUE leads to: a structure or a number that is passed by value as
// argument ARG. NOTED: its addresses stand at OFFSET of the call's bytes. A type of the
// user's may hold a tensor map, or only be as large as one: then all its words count.
static bool call_add_value(struct description *d, unsigned arg,
                           const unsigned char *value, bool noted, size_t offset) {
  const char *name = d->kernel->args[arg].name;
  bool is_map = d->call->maps[arg] == GPU_IS_MAP && d->api->map_replace;
  size_t inside = SIZE_MAX; // where the map's address is
  gpu_pointer word = 0;
  int index;
  if (d->call->maps[arg] != GPU_NO_MAP && d->api->map_replace)
    word = gpu_map_address(d->api, value, call_holds, d, &inside);
  if (word && !call_add_map(d, word, name, noted, offset))
    return false;
  if (is_map)
    return word || gpu_map_is_empty(value) ||
        call_refuse(d, "the tensor map %s is not of memory of this device", name);
  for (unsigned at = 0; at + sizeof word <= d->call->sizes[arg]; at += sizeof word) {
    memcpy(&word, value + at, sizeof word);
    if (at != inside &&
        (!call_add_word(d, word, name, &index) ||
         (noted && index >= 0 && !note_pointer(d, 0, offset + at, index))))
      return false;
  }
  return true;
}

// Adds the memory of combination V of S, the values of argument ARG. Where it is refused,
// only the variants that would get this value are left out.
static void call_add_made(struct description *d, struct gpu_prepared_set *s, unsigned arg,
                          unsigned v) {
  struct gpu_call *c = d->call;
  unsigned n_allocations = c->n_allocations, n_regions = c->n_regions;
  if (call_add_value(d, arg, s->values + v * s->size, false, 0))
    return;
  c->n_allocations = n_allocations;
  c->n_regions = n_regions;
  gpu_prepared_drop(s, v, d->why);
}

// Says where variants get the arguments that the host makes, and adds their memory.
static bool call_add_prepared(struct description *d) {
  struct gpu_call *c = d->call;
  for (unsigned i = 0; d->prepared && i < d->prepared->n; i++) {
    struct gpu_prepared_set *s = &d->prepared->sets[i];
    unsigned arg = d->prepared->list[i].arg;
    c->prepared[i].arg = arg;
    c->prepared[i].offset = (unsigned)gpu_prepared_place(&c->prepared_bytes, s->size);
    c->n_prepared = i + 1;
    for (unsigned v = 0; v < s->n; v++)
      if (s->made[v])
        call_add_made(d, s, arg, v);
  }
  return c->prepared_bytes <= GPU_ARGS ||
      call_refuse(d, "its prepared arguments take more than %d bytes", GPU_ARGS);
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
    c->maps[i] = size != GPU_MAP                     ? GPU_NO_MAP
        : k->args[i].kind == AUTOTUNE_ARG_TENSOR_MAP ? GPU_IS_MAP
                                                     : GPU_MAY_BE_MAP;
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
        !call_add_region(d,
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
                      const struct autotune_launch *asked, struct gpu_prepared *prepared,
                      struct gpu_call *out, char *why, size_t size) {
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
      call_add_sections(&d, args) && call_add_symbols(&d) && call_cut_scratch(&d);
  if (!good)
    return -1;
  call_merge(&d);
  return 0;
}
