// SPDX-License-Identifier: Apache-2.0
// rounding.c: measures, in a helper, how far rounding moves the outputs of the kernel as
// written, for the tolerances of those that declare none. The code is what NVRTC makes of
// the kernel as written: the default itself runs in the program alone, whose inputs stay
// as they are. What is found goes to the program and to later helpers as a file: a struct
// gpu_noise for each region, then bits. run/rounding.c has the rule.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "run/measure.h"

enum { WORD = 4 }; // bytes in which the device sets bits

// What is measured of a region.
struct noisy {
  struct gpu_buffer plain; // what the kernel as written leaves there; if wanted
  struct gpu_buffer input; // what is only read there
  struct gpu_buffer bits;  // of undetermined elements
  struct verify_noise noise;
};
struct rounding {
  struct gpu_run *r;
  struct noisy *of; // of each region
  unsigned digits;  // of the nudges
  double data;      // the largest scale of all that the call reads and writes
};

static bool rounding_wanted(const struct piece *p) {
  return p->expected.bytes > 0 && verify_needs_scale(p->region->tolerance);
}

// True if X holds numbers that the call reads.
static bool rounding_reads(const struct gpu_region *x) {
  return (x->access & AUTOTUNE_IN) && verify_digits(x->element) > 0 && !x->addresses;
}

static size_t rounding_numbers(const struct gpu_region *x) {
  return x->bytes / verify_element_size(x->element);
}

// Returns the bytes of a bit for each element of X.
static size_t rounding_bits(const struct gpu_region *x) {
  return (rounding_numbers(x) + 8 * WORD - 1) / (8 * WORD) * WORD;
}

// ---- memory -------------------------------------------------------------------------

static void rounding_end(struct rounding *m) {
  for (unsigned i = 0; m->of && i < m->r->call.n_regions; i++) {
    struct noisy *n = &m->of[i];
    if (!m->r->stuck) {
      gpu_buffer_free(m->r->api, &n->plain);
      gpu_buffer_free(m->r->api, &n->input);
      gpu_buffer_free(m->r->api, &n->bits);
    }
    free(n->noise.undetermined);
  }
  free(m->of);
}

// Makes the memory for what is measured of region I, and saves what is read there.
static bool rounding_make(struct rounding *m, unsigned i, struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  const struct piece *p = &r->pieces[i];
  const struct gpu_region *x = p->region;
  struct noisy *n = &m->of[i];
  bool wanted = rounding_wanted(p), saved = rounding_reads(x) && x->access == AUTOTUNE_IN;
  size_t bits = wanted ? rounding_bits(x) : 0;
  gpu_result e = 0;
  a->status = STATUS_LOAD;
  if (!gpu_buffer_make(r->api, &n->plain, wanted ? x->bytes : 0, false, a->message,
                       sizeof a->message) ||
      !gpu_buffer_make(r->api, &n->input, saved ? x->bytes : 0, false, a->message,
                       sizeof a->message) ||
      !gpu_buffer_make(r->api, &n->bits, r->compare ? bits : 0, true, a->message,
                       sizeof a->message))
    return false;
  n->noise.undetermined = sys_calloc(bits + WORD, 1);
  if (!n->noise.undetermined) {
    snprintf(a->message, sizeof a->message, "no memory");
    return false;
  }
  a->status = STATUS_OK;
  n->noise.step = verify_step(m->digits);
  if (n->bits.bytes > 0)
    e = r->api->set_bytes(n->bits.at, 0, n->bits.bytes, r->stream);
  if (e == 0)
    e = gpu_buffer_save(r->api, &n->input, x->base, r->stream);
  return gpu_good(r, e, "saving", a);
}

// Adds the scale of what the call reads in region I to the data's.
static bool rounding_scale(struct rounding *m, unsigned i, struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  const struct piece *p = &r->pieces[i];
  const struct gpu_buffer *before = p->region->access == AUTOTUNE_IN ? &m->of[i].input
                                                                     : &p->saved;
  unsigned long long count;
  double scale = 0;
  if (rounding_reads(p->region) &&
      !gpu_good(r, gpu_scale(r, p->region->element, before, NULL, true, &scale, &count),
                "measuring", a))
    return false;
  m->data = fmax(m->data, fmax(scale, rounding_wanted(p) ? p->scale : 0));
  return true;
}

static bool rounding_begin(struct rounding *m, struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  m->of = sys_calloc(r->call.n_regions + 1, sizeof *m->of);
  for (unsigned i = 0; i < r->call.n_regions; i++) {
    unsigned own = verify_digits(r->call.regions[i].element);
    m->digits = own && (!m->digits || own < m->digits) ? own : m->digits;
  }
  if (!m->of) {
    a->status = STATUS_LOAD;
    snprintf(a->message, sizeof a->message, "no memory");
    return false;
  }
  for (unsigned i = 0; i < r->call.n_regions; i++)
    if (!rounding_make(m, i, a) || !rounding_scale(m, i, a))
      return false;
  return true;
}

// ---- runs ---------------------------------------------------------------------------

// Puts back what the call reads, and nudges it unless SEED is negative. *CHANGED: how
// many numbers were.
static bool rounding_ready(struct rounding *m, int seed, size_t *changed,
                           struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  gpu_result e = gpu_make_ready(r, false);
  *changed = 0;
  for (unsigned i = 0; i < r->call.n_regions && e == 0; i++) {
    const struct gpu_region *x = &r->call.regions[i];
    e = gpu_buffer_load(r->api, &m->of[i].input, x->base, r->stream);
    if (e == 0 && seed >= 0 && rounding_reads(x))
      e = gpu_nudge(r, x->element, x->base, x->bytes, m->digits, (unsigned)seed, changed);
  }
  return gpu_good(r, e, "restoring", a);
}

// Notes how far the outputs are from what the kernel as written left: with nudged inputs,
// or, NUDGED false, how far that is from the default's outputs.
static bool rounding_learn(struct rounding *m, bool nudged, struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  gpu_result e = 0;
  for (unsigned i = 0; i < r->call.n_regions && e == 0; i++) {
    const struct piece *p = &r->pieces[i];
    struct noisy *n = &m->of[i];
    const struct gpu_buffer *from = nudged ? &n->plain : &p->expected;
    const gpu_pointer to = nudged ? p->region->base : n->plain.at;
    enum autotune_element e_of = p->region->element;
    double rtol = p->region->tolerance.rtol, own = verify_limit(rtol, p->scale);
    size_t moved = 0, far = 0;
    if (!rounding_wanted(p))
      continue;
    e = gpu_far(r, e_of, from, to, own, &moved, &far);
    if (moved > 0)
      n->noise.limit =
          fmax(n->noise.limit,
               verify_is_residual(moved, far) ? verify_limit(rtol, m->data) : own);
    if (e == 0 && n->noise.limit > 0)
      e = gpu_move(r, e_of, from, to, &n->bits, &n->noise,
                   nudged ? &n->noise.nudged : &n->noise.written);
  }
  return gpu_good(r, e, "comparing", a);
}

// Runs the kernel as written, L: plainly, and then with nudged inputs.
static bool rounding_run(struct rounding *m, const struct loaded *l,
                         const struct trial_plan *plan, struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  struct sample run;
  size_t changed;
  gpu_result e = 0;
  if (!rounding_ready(m, -1, &changed, a) || !gpu_once(r, l, 1, plan, &run, a))
    return false;
  for (unsigned i = 0; i < r->call.n_regions && e == 0; i++)
    e = gpu_buffer_save(r->api, &m->of[i].plain, r->call.regions[i].base, r->stream);
  if (!gpu_good(r, e ? e : gpu_await(r, 0), "keeping outputs", a))
    return false;
  double start = measure_clock();
  for (unsigned i = 0;
       i == 0 || verify_nudges_again(i, run.seconds, measure_clock() - start); i++) {
    if (!rounding_ready(m, (int)i, &changed, a))
      return false;
    if (changed == 0)
      break;
    if (!gpu_once(r, l, 1, plan, &run, a) || !rounding_learn(m, true, a))
      return false;
  }
  return rounding_learn(m, false, a);
}

// ---- what was found -----------------------------------------------------------------

// Copies the bits from the device.
static bool rounding_fetch(struct rounding *m, struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  gpu_result e = 0;
  for (unsigned i = 0; i < r->call.n_regions && e == 0; i++)
    if (m->of[i].bits.bytes > 0)
      e = r->api->copy_to_host(m->of[i].noise.undetermined, m->of[i].bits.at,
                               m->of[i].bits.bytes, r->stream);
  return gpu_good(r, e ? e : gpu_await(r, 0), "keeping bits", a);
}

// True if so few elements are undetermined that a comparison of the others means
// anything.
static bool rounding_is_determined(const struct rounding *m) {
  size_t undetermined = 0, all = 0;
  for (unsigned i = 0; i < m->r->call.n_regions; i++) {
    undetermined += m->of[i].noise.n_undetermined;
    all += rounding_wanted(&m->r->pieces[i]) ? rounding_numbers(&m->r->call.regions[i])
                                             : 0;
  }
  return undetermined < all - all / VERIFY_DETERMINED;
}

// Returns what was found as the contents of a file; NULL: no memory.
static char *rounding_write(const struct rounding *m, size_t *bytes) {
  const struct gpu_run *r = m->r;
  bool determined = rounding_is_determined(m);
  size_t at = *bytes = r->call.n_regions * sizeof(struct gpu_noise);
  for (unsigned i = 0; i < r->call.n_regions; i++)
    *bytes += determined && m->of[i].noise.n_undetermined
        ? rounding_bits(&r->call.regions[i])
        : 0;
  char *file = sys_calloc(*bytes + 1, 1);
  struct gpu_noise *list = (struct gpu_noise *)(void *)file;
  for (unsigned i = 0; file && i < r->call.n_regions; i++) {
    const struct piece *p = &r->pieces[i];
    const struct verify_noise *n = &m->of[i].noise;
    list[i].known = rounding_wanted(p);
    if (!list[i].known)
      continue;
    list[i].furthest = VERIFY_WILD * n->furthest;
    verify_settle(n, p->region->tolerance.rtol, p->scale, m->data, list[i].atols);
    if (!determined || n->n_undetermined == 0)
      continue;
    list[i].bits = at;
    memcpy(file + at, n->undetermined, rounding_bits(p->region));
    at += rounding_bits(p->region);
  }
  return file;
}

// Writes into A how the kernel as written differs from the default, if it does.
static bool rounding_tell(struct rounding *m, struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  for (unsigned i = 0; i < r->call.n_regions; i++) {
    const struct piece *p = &r->pieces[i];
    char what[160] = "";
    bool same = true;
    gpu_result e = rounding_wanted(p)
        ? gpu_compare(r, p->region->element, p->tolerance, NULL, &p->expected,
                      m->of[i].plain.at, &same, NULL, what, sizeof what)
        : 0;
    if (!gpu_good(r, e, "comparing", a))
      return false;
    if (!same && !a->message[0])
      snprintf(a->message, sizeof a->message, "%.60s: %s", p->region->name, what);
  }
  return true;
}

static bool rounding_measure(struct rounding *m, const struct gpu_variant *v,
                             const struct trial_plan *plan, struct gpu_answer *a,
                             char **found, size_t *bytes) {
  struct loaded *l = gpu_load(m->r, v, a);
  size_t changed;
  if (!l)
    return false;
  bool good = rounding_begin(m, a) && rounding_run(m, l, plan, a) &&
      rounding_fetch(m, a) && rounding_tell(m, a) && rounding_ready(m, -1, &changed, a);
  gpu_unload(m->r, l);
  *found = good ? rounding_write(m, bytes) : NULL;
  return *found != NULL;
}

void gpu_run_written(struct gpu_run *r, const struct gpu_variant *v,
                     const struct trial_plan *plan, struct gpu_answer *out, char **found,
                     size_t *bytes) {
  struct rounding m = { .r = r };
  struct gpu_scope scope;
  *found = NULL;
  *bytes = 0;
  if (!gpu_run_started(r, out))
    return;
  gpu_enter(r, &scope);
  if (!rounding_measure(&m, v, plan, out, found, bytes) && out->status == STATUS_OK)
    out->status = STATUS_LOAD;
  rounding_end(&m);
  gpu_run_finished(r, &scope, out);
}

// ---- using it -----------------------------------------------------------------------

static void rounding_drop(struct gpu_run *r, struct piece *p) {
  if (!r->stuck)
    gpu_buffer_free(r->api, &p->measured_there);
  free(p->measured);
  p->measured = NULL;
  p->tolerance.atols = NULL;
  p->tolerance.undetermined = NULL;
}

void gpu_run_forget(struct gpu_run *r) {
  for (unsigned i = 0; i < r->call.n_regions; i++)
    rounding_drop(r, &r->pieces[i]);
}

// True if N, of region X, can be meant: a file comes from a process in which a kernel has
// run.
static bool rounding_is_sane(const struct gpu_region *x, const struct gpu_noise *n,
                             size_t bytes) {
  size_t bits = rounding_bits(x);
  bool sane = isfinite(n->furthest) && n->furthest >= 0 && n->bits <= bytes &&
      (n->bits == 0 || bits <= bytes - n->bits);
  for (unsigned i = 0; sane && i < VERIFY_SIZES; i++)
    sane = isfinite(n->atols[i]) && n->atols[i] >= 0;
  return sane;
}

static bool rounding_take(struct gpu_run *r, struct piece *p, const struct gpu_noise *n,
                          const char *file) {
  const size_t atols = sizeof n->atols, bits = n->bits ? rounding_bits(p->region) : 0;
  struct tolerance *t = &p->tolerance;
  char why[128];
  rounding_drop(r, p);
  p->measured = sys_malloc(atols + bits);
  if (!p->measured)
    return false;
  memcpy(p->measured, n->atols, atols);
  if (bits)
    memcpy(p->measured + atols, file + n->bits, bits);
  const struct gpu_buffer here = { .at = (gpu_pointer)(uintptr_t)p->measured,
                                   .bytes = atols + bits,
                                   .host = true };
  if (r->compare &&
      (!gpu_buffer_make(r->api, &p->measured_there, here.bytes, true, why, sizeof why) ||
       gpu_buffer_load(r->api, &here, p->measured_there.at, r->stream) != 0))
    return false;
  t->atols = (const double *)(const void *)p->measured;
  t->undetermined = bits ? (const unsigned char *)p->measured + atols : NULL;
  t->furthest = n->furthest;
  return true;
}

bool gpu_run_tolerate(struct gpu_run *r, const void *file, size_t bytes) {
  const struct gpu_noise *list = file;
  struct gpu_scope scope;
  bool good = !r->lost && bytes >= r->call.n_regions * sizeof *list;
  if (!good)
    return false;
  gpu_enter(r, &scope);
  for (unsigned i = 0; i < r->call.n_regions && good; i++) {
    struct piece *p = &r->pieces[i];
    if (list[i].known && rounding_wanted(p))
      good = rounding_is_sane(p->region, &list[i], bytes) &&
          rounding_take(r, p, &list[i], file);
  }
  good = gpu_await(r, 0) == 0 && good;
  if (!good)
    gpu_run_forget(r);
  gpu_leave(r, &scope);
  return good;
}
