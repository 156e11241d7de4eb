// SPDX-License-Identifier: Apache-2.0
// rounding.c: measures how far rounding moves the outputs of the default variant, for the
// tolerances of those that declare none. Workers of their own run the default with nudged
// inputs, and the kernel as written as the variants' compiler makes it. run/rounding.c
// makes tolerances of what they find.
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "unnamed.h"

struct measured_output {
  struct verify_noise noise;
  double scale; // of the reference
  double atols[VERIFY_SIZES];
};
// In shared memory, which only the zygote and the workers that measure can write.
struct rounding {
  size_t size;
  unsigned digits; // of the nudges
  bool scaled;     // the scales are known
  double data;     // the largest scale of all that the call reads and writes
  struct verify_counts counts;
  struct measured_output outputs[]; // as in struct outputs
};

static bool rounding_wanted(const struct image *m, const struct output *o) {
  return image_expected(m, o) &&
      verify_needs_scale(verify_allowed(m->kernel, o->element));
}

// Returns the bytes that have a bit for each number of O.
static size_t rounding_bits(const struct image *m, const struct output *o) {
  return rounding_wanted(m, o) ? (output_numbers(o, image_size(m, o)) + 7) / 8 : 0;
}

bool rounding_new(struct image *m) {
  unsigned n = m->outputs.n, digits = 0;
  size_t size = sizeof *m->rounding + n * sizeof m->rounding->outputs[0], bits = size;
  // Besides outputs there may be memory that no section names.
  if (!verify_needs_scale(verify_allowed(m->kernel, AUTOTUNE_F64)))
    return true;
  for (unsigned i = 0; i < n; i++) {
    unsigned own = verify_digits(m->outputs.list[i].element);
    digits = own && (!digits || own < digits) ? own : digits;
    size += rounding_bits(m, &m->outputs.list[i]);
  }
  m->rounding = sys_mmap(size, true);
  if (!m->rounding)
    return false;
  m->rounding->size = size;
  m->rounding->digits = digits;
  for (unsigned i = 0; i < n; i++) {
    m->rounding->outputs[i].noise.undetermined = (unsigned char *)m->rounding + bits;
    bits += rounding_bits(m, &m->outputs.list[i]);
  }
  return true;
}

void rounding_seal(const struct image *m, bool sealed) {
  if (m->rounding)
    mprotect(m->rounding, m->rounding->size, sealed ? PROT_READ : PROT_READ | PROT_WRITE);
}

bool rounding_nudge(const struct image *m, unsigned seed, bool apart) {
  const struct autotune_kernel *k = m->kernel;
  size_t changed = 0;
  for (unsigned i = 0; m->rounding && i < m->outputs.n; i++) {
    const struct output *o = &m->outputs.list[i];
    if (o->section == k->n_sections || image_size(m, o) == 0 ||
        !(k->sections[o->section].access & AUTOTUNE_IN) ||
        !segments_writable(m, o->section))
      continue; // constants cannot be written
    struct range r = image_memory(m, o);
    changed += output_nudge(o, r.base, r.size,
                            (struct nudge){ m->rounding->digits, seed, apart, 0 });
    image_put_back(m, o->section);
  }
  return changed > 0;
}

// True if numbers of section I may be nudged.
static bool rounding_may_nudge(const struct image *m, unsigned i) {
  return (m->kernel->sections[i].access & AUTOTUNE_IN) && m->memory.list[i].bytes > 0 &&
      segments_writable(m, i);
}

struct range rounding_keep(const struct image *m) {
  struct range kept = { 0 };
  for (unsigned i = 0; m->rounding && i < m->kernel->n_sections; i++)
    if (rounding_may_nudge(m, i))
      kept.size += m->memory.list[i].bytes;
  kept.base = kept.size ? sys_mmap(kept.size, true) : NULL;
  char *at = kept.base;
  for (unsigned i = 0; at && i < m->kernel->n_sections; i++)
    if (rounding_may_nudge(m, i)) {
      memory_read(&m->memory.list[i], at);
      at += m->memory.list[i].bytes;
    }
  return kept;
}

void rounding_put_back(const struct image *m, struct range kept) {
  const char *at = kept.base;
  for (unsigned i = 0; at && i < m->kernel->n_sections; i++)
    if (rounding_may_nudge(m, i)) {
      memory_write(&m->memory.list[i], at);
      at += m->memory.list[i].bytes;
    }
}

static double rounding_scale(const struct image *m, const struct output *o,
                             const void *data, size_t bytes, bool zeros) {
  m->rounding->counts = (struct verify_counts){ 0 };
  output_count(o, data, bytes, &m->rounding->counts);
  return verify_scale(&m->rounding->counts, zeros);
}

// Finds the scales of what the call reads and writes.
static void rounding_measure(const struct image *m) {
  const struct autotune_kernel *k = m->kernel;
  struct rounding *r = m->rounding;
  for (unsigned i = 0; i < m->outputs.n; i++) {
    const struct output *o = &m->outputs.list[i];
    struct range at = image_memory(m, o);
    bool read = o->section < k->n_sections && at.base &&
        (k->sections[o->section].access & AUTOTUNE_IN);
    double before = read ? rounding_scale(m, o, at.base, at.size, true) : 0;
    if (rounding_wanted(m, o))
      r->outputs[i].scale = rounding_scale(m, o, image_expected(m, o), at.size, false);
    r->data = fmax(r->data, fmax(before, r->outputs[i].scale));
  }
  r->scaled = true;
}

void rounding_prepare(const struct image *m) {
  struct rounding *r = m->rounding;
  if (!r->scaled)
    rounding_measure(m);
}

void rounding_learn(const struct image *m, bool nudged, bool apart) {
  if (memories_returned(&m->memory, m->ret))
    return;
  rounding_seal(m, false);
  for (unsigned i = 0; i < m->outputs.n; i++) {
    const struct output *o = &m->outputs.list[i];
    struct measured_output *own = &m->rounding->outputs[i];
    struct verify_noise *n = &own->noise;
    struct range r = image_memory(m, o);
    const char *expected = image_expected(m, o);
    double rtol = verify_allowed(m->kernel, o->element).rtol;
    if (!rounding_wanted(m, o) || memcmp(expected, r.base, r.size) == 0)
      continue;
    n->step = verify_step(m->rounding->digits);
    n->apart = apart;
    n->small = VERIFY_LEFT * n->step * m->rounding->data;
    n->wide = verify_limit(rtol, m->rounding->data);
    n->limit = fmax(
        n->limit,
        output_limit(o, expected, r.base, r.size, rtol, own->scale, m->rounding->data));
    output_move(o, expected, r.base, r.size, n, nudged ? &n->nudged : &n->written);
  }
  rounding_seal(m, true);
}

void rounding_learn_up(const struct image *m) {
  if (!m->rounding || memories_returned(&m->memory, m->ret))
    return;
  rounding_seal(m, false);
  for (unsigned i = 0; i < m->outputs.n; i++) {
    const struct output *o = &m->outputs.list[i];
    struct verify_noise *n = &m->rounding->outputs[i].noise;
    struct range r = image_memory(m, o);
    const double limit = n->limit;
    if (!rounding_wanted(m, o))
      continue;
    n->step = verify_step(m->rounding->digits);
    n->rounded = true;
    n->limit = INFINITY; // no element is left out
    output_move(o, image_expected(m, o), r.base, r.size, n, &n->up);
    n->limit = limit;
  }
  rounding_seal(m, true);
}

bool rounding_stays(const struct image *m) {
  size_t moved = 0, all = 0;
  for (unsigned i = 0; i < m->outputs.n; i++) {
    const struct output *o = &m->outputs.list[i];
    const struct verify_noise *n = &m->rounding->outputs[i].noise;
    all += rounding_wanted(m, o) ? output_numbers(o, image_size(m, o)) : 0;
    moved += n->n_undetermined;
    for (unsigned size = 0; size < VERIFY_SIZES; size++)
      moved += n->nudged.n[size];
  }
  return moved < all - all / VERIFY_DETERMINED;
}

// True if so few elements are undetermined that a comparison of the others means
// anything.
static bool rounding_is_determined(const struct image *m) {
  size_t undetermined = 0, all = 0;
  for (unsigned i = 0; i < m->outputs.n; i++) {
    const struct output *o = &m->outputs.list[i];
    undetermined += m->rounding->outputs[i].noise.n_undetermined;
    all += rounding_wanted(m, o) ? output_numbers(o, image_size(m, o)) : 0;
  }
  return undetermined < all - all / VERIFY_DETERMINED;
}

void rounding_settle(const struct image *m, bool deferred, struct tolerance *tolerances) {
  struct rounding *r = m->rounding; // NULL: no output is wanted
  if (r)
    rounding_prepare(m);
  for (unsigned i = 0; r && i < m->outputs.n; i++)
    if (rounding_wanted(m, &m->outputs.list[i]))
      verify_exclude(&r->outputs[i].noise,
                     verify_allowed(m->kernel, m->outputs.list[i].element).rtol, r->data);
  bool determined = r && rounding_is_determined(m);
  for (unsigned i = 0; i < m->outputs.n; i++) {
    const struct output *o = &m->outputs.list[i];
    struct measured_output *own = r ? &r->outputs[i] : NULL;
    struct tolerance *t = &tolerances[i];
    *t = verify_allowed(m->kernel, o->element);
    if (!own || !rounding_wanted(m, o))
      continue;
    *t = verify_scaled(*t, own->scale);
    t->atols = own->atols;
    t->undetermined = determined && own->noise.n_undetermined ? own->noise.undetermined
                                                              : NULL;
    t->furthest = VERIFY_WILD * own->noise.furthest;
    if (deferred)
      memset(own->atols, 0, sizeof own->atols);
    else
      verify_settle(&own->noise, t->rtol, own->scale, r->data, own->atols);
  }
}

void rounding_known(const struct image *m, double *step, double *data) {
  *step = m->rounding ? verify_step(m->rounding->digits) : 0;
  *data = m->rounding ? m->rounding->data : 0;
}
