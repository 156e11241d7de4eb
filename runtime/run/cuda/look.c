// SPDX-License-Identifier: Apache-2.0
// look.c: looks at a call's data, on the device, for whether they say little.
#include <stdlib.h>
#include <string.h>

#include "run.h"

static const struct tolerance same_bits = { .exact = true };

// Copies the first element of B to FIRST.
static gpu_result look_first(struct gpu_run *r, enum autotune_element e,
                             const struct gpu_buffer *b, char *first) {
  size_t each = verify_element_size(e);
  if (b->host) {
    memcpy(first, (const char *)(uintptr_t)b->at, each);
    return 0;
  }
  gpu_result error = r->api->copy_to_host(first, b->at, each, r->stream);
  return error ? error : gpu_await(r, 0);
}

gpu_result gpu_look_at(struct gpu_run *r, enum autotune_element e,
                       const struct gpu_buffer *b, enum weak *out) {
  static const char zero[16];
  size_t each = verify_element_size(e);
  struct gpu_buffer front = *b;
  char first[16], what[160];
  bool equal = true;
  *out = WEAK_NOT;
  if (b->bytes < 2 * each)
    return 0;
  front.bytes = b->bytes / each * each - each;
  gpu_result error = 0;
  if (b->host)
    equal = memcmp((const char *)(uintptr_t)b->at,
                   (const char *)(uintptr_t)(b->at + each), front.bytes) == 0;
  else
    error = gpu_compare(r, e, same_bits, NULL, &front, b->at + each, &equal, NULL, what,
                        sizeof what);
  if (error || !equal)
    return error;
  error = look_first(r, e, b, first);
  *out = memcmp(first, zero, each) == 0 ? WEAK_ZERO : WEAK_EQUAL;
  return error;
}

// *SAME: the output of P is what was there before. Either may have been kept on the host.
static gpu_result look_compare(struct gpu_run *r, const struct piece *p, bool *same) {
  const struct gpu_buffer *on_host = p->saved.host ? &p->saved : &p->expected;
  const struct gpu_buffer *other = p->saved.host ? &p->expected : &p->saved;
  char what[160];
  if (!other->host)
    return gpu_compare(r, p->region->element, same_bits, NULL, on_host, other->at, same,
                       NULL, what, sizeof what);
  *same = memcmp((const char *)(uintptr_t)on_host->at, (const char *)(uintptr_t)other->at,
                 p->expected.bytes) == 0;
  return 0;
}

static gpu_result look_output(struct gpu_run *r, const struct piece *p, enum weak *out) {
  bool same = false;
  gpu_result error = gpu_look_at(r, p->region->element, &p->expected, out);
  if (error || *out != WEAK_NOT || p->region->access != AUTOTUNE_INOUT)
    return error;
  error = look_compare(r, p, &same);
  *out = same ? WEAK_SAME : WEAK_NOT;
  return error;
}

bool gpu_look(struct gpu_run *r, struct gpu_answer *a) {
  struct weak_look looks[GPU_REGIONS];
  gpu_result e = 0;
  bool inputs = true, outputs = true; // all until now say little
  for (unsigned i = 0; i < r->call.n_regions && e == 0; i++) {
    const struct piece *p = &r->pieces[i];
    const struct gpu_region *x = p->region;
    const struct gpu_buffer b = { .at = x->base, .bytes = x->bytes };
    looks[i] = (struct weak_look){ .name = x->name,
                                   .reads = x->access == AUTOTUNE_IN &&
                                       verify_digits(x->element) > 0 &&
                                       x->bytes > verify_element_size(x->element),
                                   .writes = p->expected.bytes > 0,
                                   .input = WEAK_NOT,
                                   .output = WEAK_NOT };
    if (looks[i].reads && inputs)
      e = gpu_look_at(r, x->element, &b, &looks[i].input);
    if (looks[i].writes && outputs && e == 0)
      e = look_output(r, p, &looks[i].output);
    inputs &= !looks[i].reads || looks[i].input != WEAK_NOT;
    outputs &= !looks[i].writes || looks[i].output != WEAK_NOT;
  }
  if (e == 0)
    weak_tell(looks, r->call.n_regions, a->weak, sizeof a->weak);
  return gpu_good(r, e, "looking at the data", a);
}
