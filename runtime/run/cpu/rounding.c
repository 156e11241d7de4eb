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
  struct measured_output outputs[]; // one for each section, and one for the result
};

static enum autotune_element rounding_element(const struct image *m, unsigned i) {
  const struct autotune_kernel *k = m->kernel;
  return i < k->n_sections ? k->sections[i].element : k->ret_element;
}

// Returns what the default wrote as output I; NULL: I is no output.
static const char *rounding_reference(const struct image *m, unsigned i) {
  const struct autotune_kernel *k = m->kernel;
  return i < k->n_sections ? m->references[i] : k->ret_size ? m->ret_reference : NULL;
}

// Returns the memory of output I, where runs write.
static struct range rounding_memory(const struct image *m, unsigned i) {
  const struct autotune_kernel *k = m->kernel;
  return i < k->n_sections ? (struct range){ m->spans[i].base, m->spans[i].bytes }
                           : (struct range){ m->ret, k->ret_size };
}

static bool rounding_wanted(const struct image *m, unsigned i) {
  return rounding_reference(m, i) &&
      verify_needs_scale(verify_allowed(m->kernel, rounding_element(m, i)));
}

bool rounding_new(struct image *m) {
  unsigned n = m->kernel->n_sections + 1, digits = 0;
  size_t size = sizeof *m->rounding + n * sizeof m->rounding->outputs[0];
  bool wanted = false;
  for (unsigned i = 0; i < n; i++) {
    unsigned own = verify_digits(rounding_element(m, i));
    wanted |= rounding_wanted(m, i);
    digits = own && (!digits || own < digits) ? own : digits;
  }
  if (!wanted)
    return true;
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
  for (unsigned i = 0; m->rounding && i < k->n_sections; i++)
    if (m->spans[i].base && (k->sections[i].access & AUTOTUNE_IN) &&
        rounding_writable(m->spans[i].base, m->spans[i].bytes))
      changed += verify_nudge(k->sections[i].element, m->spans[i].base, m->spans[i].bytes,
                              m->rounding->digits, seed);
  return changed > 0;
}

void rounding_learn(const struct image *m, bool nudged) {
  rounding_seal(m, false);
  for (unsigned i = 0; i <= m->kernel->n_sections; i++) {
    struct verify_noise *n = &m->rounding->outputs[i].noise;
    struct range r = rounding_memory(m, i);
    n->step = verify_step(m->rounding->digits);
    if (rounding_wanted(m, i))
      verify_move(rounding_element(m, i), rounding_reference(m, i), r.base, r.size,
                  nudged ? &n->nudged : &n->written);
  }
  rounding_seal(m, true);
}

static double rounding_scale(const struct image *m, enum autotune_element e,
                             const void *data, size_t bytes, bool zeros) {
  m->rounding->counts = (struct verify_counts){ 0 };
  verify_count(e, data, bytes, &m->rounding->counts);
  return verify_scale(&m->rounding->counts, zeros);
}

// Finds the scales of what the call reads and writes.
static void rounding_measure(const struct image *m) {
  struct rounding *r = m->rounding;
  for (unsigned i = 0; i <= m->kernel->n_sections; i++) {
    enum autotune_element e = rounding_element(m, i);
    struct range at = rounding_memory(m, i);
    bool read = i < m->kernel->n_sections && at.base &&
        (m->kernel->sections[i].access & AUTOTUNE_IN);
    double before = read ? rounding_scale(m, e, at.base, at.size, true) : 0;
    if (rounding_wanted(m, i))
      r->outputs[i].scale =
          rounding_scale(m, e, rounding_reference(m, i), at.size, false);
    r->data = fmax(r->data, fmax(before, r->outputs[i].scale));
  }
  r->scaled = true;
}

void rounding_settle(const struct image *m, struct tolerance *tolerances) {
  struct rounding *r = m->rounding; // NULL: no output is wanted
  if (r && !r->scaled)
    rounding_measure(m);
  for (unsigned i = 0; i <= m->kernel->n_sections; i++) {
    struct measured_output *o = r ? &r->outputs[i] : NULL;
    tolerances[i] = verify_allowed(m->kernel, rounding_element(m, i));
    if (!rounding_wanted(m, i))
      continue;
    tolerances[i] = verify_scaled(tolerances[i], o->scale);
    tolerances[i].atols = o->atols;
    verify_settle(&o->noise, tolerances[i].rtol, o->scale, r->data, o->atols);
  }
}
