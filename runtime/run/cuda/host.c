// SPDX-License-Identifier: Apache-2.0
// host.c: compares, counts, nudges and hashes on the host, where there is no kernel that
// does so on the device. Memory is copied to the host in chunks.
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "host.h"

enum { CHUNK = 4 << 20 };

struct chunks {
  struct gpu_run *r;
  char *memory; // two chunks
};

static bool chunks_begin(struct chunks *c, struct gpu_run *r) {
  *c = (struct chunks){ .r = r, .memory = sys_malloc(2 * CHUNK) };
  return c->memory != NULL;
}

// Copies BYTES at FROM, which may be on the host, to a half of the chunks.
static gpu_result chunks_fetch(const struct chunks *c, unsigned half, gpu_pointer from,
                               size_t bytes) {
  gpu_result e =
      c->r->api->copy_to_host(c->memory + half * CHUNK, from, bytes, c->r->stream);
  return e ? e : gpu_await(c->r, 0);
}

static gpu_result chunks_fetch_half(const struct chunks *c, unsigned half,
                                    const struct gpu_buffer *b, size_t at, size_t bytes) {
  if (!b->host)
    return chunks_fetch(c, half, b->at + at, bytes);
  memcpy(c->memory + half * CHUNK, (const char *)(uintptr_t)b->at + at, bytes);
  return 0;
}

gpu_result host_compare(struct gpu_run *r, enum autotune_element e, struct tolerance t,
                        const struct gpu_buffer *expected, gpu_pointer got,
                        struct finding *out, struct deviation *most) {
  size_t each = verify_element_size(e), size;
  struct chunks c;
  gpu_result error = 0;
  *out = (struct finding){ .first = ~0ull };
  if (!chunks_begin(&c, r))
    return GPU_OUT_OF_MEMORY;
  for (size_t at = 0; at < expected->bytes && error == 0 && out->first == ~0ull;
       at += size) {
    size = expected->bytes - at < CHUNK ? expected->bytes - at : CHUNK;
    error = chunks_fetch_half(&c, 0, expected, at, size);
    if (error == 0)
      error = chunks_fetch(&c, 1, got + at, size);
    size_t i = error ? SIZE_MAX
                     : verify_difference(e, t, c.memory, c.memory + CHUNK,
                                         size / each * each, at / each, most);
    if (i != SIZE_MAX)
      *out = (struct finding){ .first = at / each + i };
  }
  free(c.memory);
  return error;
}

// Sets the elements of GOT that equal those of BEFORE to NaN, so that they do not count.
static void host_drop_unchanged(char *got, const char *before, size_t each,
                                size_t bytes) {
  for (size_t at = 0; at + each <= bytes; at += each)
    if (memcmp(got + at, before + at, each) == 0)
      memset(got + at, 0xff, each);
}

gpu_result host_count(struct gpu_run *r, enum autotune_element e,
                      const struct gpu_buffer *b, const struct gpu_buffer *before,
                      struct verify_counts *out) {
  struct chunks c;
  gpu_result error = 0;
  size_t size;
  if (!chunks_begin(&c, r))
    return GPU_OUT_OF_MEMORY;
  for (size_t at = 0; at < b->bytes && error == 0; at += size) {
    size = b->bytes - at < CHUNK ? b->bytes - at : CHUNK;
    error = chunks_fetch_half(&c, 0, b, at, size);
    if (error == 0 && before && (error = chunks_fetch_half(&c, 1, before, at, size)) == 0)
      host_drop_unchanged(c.memory, c.memory + CHUNK, verify_element_size(e), size);
    if (error == 0)
      verify_count(e, c.memory, size, out);
  }
  free(c.memory);
  return error;
}

gpu_result host_hash(struct gpu_run *r, gpu_pointer p, size_t bytes,
                     struct finding *out) {
  struct chunks c;
  gpu_result error = 0;
  size_t size;
  *out = (struct finding){ 0 };
  if (!chunks_begin(&c, r))
    return GPU_OUT_OF_MEMORY;
  for (size_t at = 0; at < bytes && error == 0; at += size) {
    size = bytes - at < CHUNK ? bytes - at : CHUNK;
    error = chunks_fetch(&c, 0, p + at, size);
    out->hash = error ? 0 : XXH3_64bits_withSeed(c.memory, size, out->hash);
  }
  free(c.memory);
  return error;
}

gpu_result host_nudge(struct gpu_run *r, enum autotune_element e, gpu_pointer p,
                      size_t bytes, unsigned digits, unsigned seed, struct finding *out) {
  const struct nudge nudge = { .digits = digits, .seed = seed };
  struct chunks c;
  gpu_result error = 0;
  size_t size;
  *out = (struct finding){ 0 };
  if (!chunks_begin(&c, r))
    return GPU_OUT_OF_MEMORY;
  for (size_t at = 0; at < bytes && error == 0; at += size) {
    size = bytes - at < CHUNK ? bytes - at : CHUNK;
    error = chunks_fetch(&c, 0, p + at, size);
    if (error == 0)
      out->count += verify_nudge(e, c.memory, size, nudge);
    if (error == 0)
      error = r->api->copy_from_host(p + at, c.memory, size, r->stream);
    if (error == 0)
      error = gpu_await(r, 0);
  }
  free(c.memory);
  return error;
}

// Calls EACH with DATA for all chunks of REFERENCE and OTHER.
static gpu_result host_pairs(struct gpu_run *r, const struct gpu_buffer *reference,
                             gpu_pointer other,
                             void (*each)(void *data, const char *a, const char *b,
                                          size_t at, size_t size),
                             void *data) {
  struct chunks c;
  gpu_result error = 0;
  size_t size;
  if (!chunks_begin(&c, r))
    return GPU_OUT_OF_MEMORY;
  for (size_t at = 0; at < reference->bytes && error == 0; at += size) {
    size = reference->bytes - at < CHUNK ? reference->bytes - at : CHUNK;
    error = chunks_fetch_half(&c, 0, reference, at, size);
    if (error == 0)
      error = chunks_fetch(&c, 1, other + at, size);
    if (error == 0)
      each(data, c.memory, c.memory + CHUNK, at, size);
  }
  free(c.memory);
  return error;
}

struct host_moves {
  enum autotune_element element;
  double limit;
  size_t moved, far;
  struct verify_noise *noise;
  struct verify_moves *moves;
};

static void host_see_far(void *data, const char *a, const char *b, size_t at,
                         size_t size) {
  struct host_moves *h = data;
  (void)at;
  verify_far(h->element, a, b, size, h->limit, &h->moved, &h->far);
}

static void host_see_move(void *data, const char *a, const char *b, size_t at,
                          size_t size) {
  const struct host_moves *h = data;
  verify_move(h->element, a, b, size, at / verify_element_size(h->element), h->noise,
              h->moves);
}

gpu_result host_far(struct gpu_run *r, enum autotune_element e,
                    const struct gpu_buffer *reference, gpu_pointer other, double limit,
                    struct finding *out) {
  struct host_moves h = { .element = e, .limit = limit };
  gpu_result error = host_pairs(r, reference, other, host_see_far, &h);
  *out = (struct finding){ .count = h.moved, .far = h.far };
  return error;
}

gpu_result host_move(struct gpu_run *r, enum autotune_element e,
                     const struct gpu_buffer *reference, gpu_pointer other,
                     struct verify_noise *n, struct verify_moves *m) {
  struct host_moves h = { .element = e, .noise = n, .moves = m };
  return host_pairs(r, reference, other, host_see_move, &h);
}
