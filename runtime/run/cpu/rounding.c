// SPDX-License-Identifier: Apache-2.0
// rounding.c: measures how far rounding moves the outputs of the default variant, for the
// tolerances of those that declare none. Workers of their own run the default with nudged
// inputs, and the kernel as written as the variants' compiler makes it. run/rounding.c
// makes tolerances of what they find.
#include <math.h>
#include <sys/mman.h>

#include "sandbox.h"

enum { NUDGES = 2 };
static const double quick = 0.02; // seconds: a run of less is repeated

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

bool rounding_new(struct image *m) {
  unsigned n = m->outputs.n, digits = 0;
  size_t size = sizeof *m->rounding + n * sizeof m->rounding->outputs[0];
  if (!outputs_need_scale(m->kernel))
    return true;
  for (unsigned i = 0; i < n; i++) {
    unsigned own = verify_digits(m->outputs.list[i].element);
    digits = own && (!digits || own < digits) ? own : digits;
  }
  m->rounding = sys_mmap(size, true);
  if (!m->rounding)
    return false;
  m->rounding->size = size;
  m->rounding->digits = digits;
  return true;
}

void rounding_seal(const struct image *m, bool sealed) {
  if (m->rounding)
    mprotect(m->rounding, m->rounding->size, sealed ? PROT_READ : PROT_READ | PROT_WRITE);
}

unsigned rounding_nudges(double seconds) {
  return seconds < quick ? NUDGES : 1;
}

// True if all SIZE bytes from BASE on can be written; else they are constants.
static bool rounding_writable(const char *base, size_t size) {
  const char *at = base;
  bool heap;
  for (struct range r = { NULL, 1 }; r.size > 0 && at < base + size;) {
    r = sandbox_mapping(at, &heap);
    at = r.size > 0 ? r.base + r.size : at;
  }
  return at >= base + size;
}

bool rounding_nudge(const struct image *m, unsigned seed) {
  const struct autotune_kernel *k = m->kernel;
  size_t changed = 0;
  for (unsigned i = 0; m->rounding && i < m->outputs.n; i++) {
    const struct output *o = &m->outputs.list[i];
    struct range r = image_memory(m, o);
    if (r.base && o->section < k->n_sections &&
        (k->sections[o->section].access & AUTOTUNE_IN) &&
        rounding_writable(r.base, r.size))
      changed += output_nudge(o, r.base, r.size, m->rounding->digits, seed);
  }
  return changed > 0;
}

void rounding_learn(const struct image *m, bool nudged) {
  rounding_seal(m, false);
  for (unsigned i = 0; i < m->outputs.n; i++) {
    const struct output *o = &m->outputs.list[i];
    struct verify_noise *n = &m->rounding->outputs[i].noise;
    struct range r = image_memory(m, o);
    n->step = verify_step(m->rounding->digits);
    if (rounding_wanted(m, o))
      output_move(o, image_expected(m, o), r.base, r.size,
                  nudged ? &n->nudged : &n->written);
  }
  rounding_seal(m, true);
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

void rounding_settle(const struct image *m, struct tolerance *tolerances) {
  struct rounding *r = m->rounding; // NULL: no output is wanted
  if (r && !r->scaled)
    rounding_measure(m);
  for (unsigned i = 0; i < m->outputs.n; i++) {
    const struct output *o = &m->outputs.list[i];
    struct measured_output *own = r ? &r->outputs[i] : NULL;
    tolerances[i] = verify_allowed(m->kernel, o->element);
    if (!own || !rounding_wanted(m, o))
      continue;
    tolerances[i] = verify_scaled(tolerances[i], own->scale);
    tolerances[i].atols = own->atols;
    verify_settle(&own->noise, tolerances[i].rtol, own->scale, r->data, own->atols);
  }
}
