// SPDX-License-Identifier: Apache-2.0
// imagine.c: compares a variant, in a helper, with the kernel as written as NVRTC makes
// it on data that the call does not have (run/made_up.h). Only inputs that hold equal
// numbers are changed: it is not known of a device's code whether it makes indices of
// numbers, and where they are all equal, other ones say most.
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "run/made_up.h"

enum { PIECE = 1 << 20 }; // bytes that are written at once

struct imagination {
  struct gpu_run *r;
  struct piece real[GPU_REGIONS]; // the pieces while others are in their place
  bool begun;                     // others are
  struct numbers looks[GPU_REGIONS];
  bool fences_off[FENCES], rests_off[RESTS];
  char data[PIECE];
};

// ---- data ---------------------------------------------------------------------------

// Looks at region I. Its numbers are changed if looks[i].n is not 0.
static bool imagine_look(struct imagination *m, unsigned i, struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  const struct gpu_region *x = &r->call.regions[i];
  const struct gpu_buffer b = { .at = x->base, .bytes = x->bytes };
  size_t some = x->bytes < PIECE ? x->bytes : PIECE;
  enum weak weak = WEAK_NOT;
  gpu_result e = 0;
  m->looks[i] = (struct numbers){ 0 };
  if (!(x->access & AUTOTUNE_IN) || !verify_digits(x->element) || x->addresses ||
      x->whole)
    return true;
  e = gpu_look_at(r, x->element, &b, &weak);
  if (e == 0 && weak != WEAK_NOT)
    e = r->api->copy_to_host(m->data, x->base, some, r->stream);
  if (e == 0 && weak != WEAK_NOT)
    e = gpu_await(r, 0);
  if (e == 0 && weak != WEAK_NOT)
    m->looks[i] = made_up_look(x->element, m->data, some);
  if (!made_up_changes(MADE_UP_FILLED, &m->looks[i], true))
    m->looks[i].n = 0;
  return gpu_good(r, e, "looking at the data", a);
}

// Writes the made-up numbers, or, REAL, the call's own.
static bool imagine_write(struct imagination *m, bool real, struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  gpu_result e = 0;
  for (unsigned i = 0; i < r->call.n_regions && e == 0; i++) {
    const struct gpu_region *x = &r->call.regions[i];
    size_t each = verify_element_size(x->element), size;
    for (size_t at = 0; m->looks[i].n && at + each <= x->bytes && e == 0; at += size) {
      struct numbers n = m->looks[i];
      double first = n.first;
      float single = (float)first;
      size = (x->bytes - at < PIECE ? x->bytes - at : PIECE) / each * each;
      n.n = size / each;
      for (size_t k = 0; k < n.n; k++)
        memcpy(m->data + k * each,
               each == sizeof first ? (void *)&first : (void *)&single, each);
      if (!real)
        made_up_write(MADE_UP_FILLED, x->element, &n, (uint64_t)(i + 1 + at / each),
                      m->data);
      e = r->api->copy_from_host(x->base + at, m->data, size, r->stream);
      e = e ? e : gpu_await(r, 0);
    }
  }
  return gpu_good(r, e, "writing made-up data", a);
}

// ---- the reference ------------------------------------------------------------------

// Puts pieces for what memory holds now in the place of the real ones.
static bool imagine_begin(struct imagination *m, struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  memcpy(m->real, r->pieces, sizeof m->real);
  memset(r->pieces, 0, sizeof r->pieces);
  m->begun = true;
  for (unsigned i = 0; i < r->n_fences; i++)
    m->fences_off[i] = r->fences[i].off;
  for (unsigned i = 0; i < r->n_rests; i++)
    m->rests_off[i] = r->rests[i].off;
  for (unsigned i = 0; i < r->call.n_regions; i++)
    r->pieces[i].region = &r->call.regions[i];
  for (unsigned i = 0; i < r->call.n_regions; i++)
    if (!gpu_piece_make(r, i, a->message, sizeof a->message)) {
      a->status = STATUS_LOAD;
      return false;
    }
  return gpu_good(r, gpu_await(r, 0), "saving", a);
}

// Puts the real pieces back.
static void imagine_end(struct imagination *m) {
  struct gpu_run *r = m->r;
  if (!m->begun)
    return;
  for (unsigned i = 0; i < r->call.n_regions && !r->stuck; i++) {
    gpu_buffer_free(r->api, &r->pieces[i].saved);
    gpu_buffer_free(r->api, &r->pieces[i].expected);
  }
  memcpy(r->pieces, m->real, sizeof m->real);
  for (unsigned i = 0; i < r->n_fences; i++)
    r->fences[i].off = m->fences_off[i];
  for (unsigned i = 0; i < r->n_rests; i++)
    r->rests[i].off = m->rests_off[i];
}

// True if the kernel as written makes no NaN and no infinity, or no more of them than of
// the real data.
static bool imagine_is_finite(const struct imagination *m, struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  for (unsigned i = 0; i < r->call.n_regions; i++) {
    enum autotune_element e = r->call.regions[i].element;
    unsigned long long now, before;
    double scale;
    if (r->pieces[i].expected.bytes == 0 || !verify_digits(e))
      continue;
    if (!gpu_good(r, gpu_scale(r, e, &r->pieces[i].expected, NULL, false, &scale, &now),
                  "comparing", a) ||
        !gpu_good(r, gpu_scale(r, e, &m->real[i].expected, NULL, false, &scale, &before),
                  "comparing", a) ||
        now < before)
      return false;
  }
  return true;
}

// True if the kernel as written, L, hardly notices when the made-up numbers are nudged:
// else right variants would differ, too.
static bool imagine_is_steady(struct imagination *m, const struct loaded *l,
                              const struct trial_plan *plan, struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  struct tolerance own[GPU_REGIONS];
  struct sample run;
  size_t changed = 0;
  gpu_result e = gpu_make_ready(r, true);
  for (unsigned i = 0; i < r->call.n_regions && e == 0; i++) {
    const struct gpu_region *x = &r->call.regions[i];
    own[i] = r->pieces[i].tolerance;
    if (m->looks[i].n && !own[i].exact)
      e = gpu_nudge(r, x->element, x->base, x->bytes, verify_digits(x->element), 1,
                    &changed);
  }
  if (!gpu_good(r, e, "restoring", a) || !gpu_once(r, l, 1, plan, &run, a))
    return false;
  for (unsigned i = 0; i < r->call.n_regions; i++)
    r->pieces[i].tolerance = verify_part(own[i], 0.5);
  bool steady = gpu_same_outputs(r, a);
  for (unsigned i = 0; i < r->call.n_regions; i++)
    r->pieces[i].tolerance = own[i];
  return steady && imagine_write(m, false, a);
}

// ---- one variant --------------------------------------------------------------------

// Compares V's code on the made-up data. *USED: the kernel as written takes them.
static bool imagine_compare(struct imagination *m, const struct loaded *written,
                            const struct loaded *l, const struct trial_plan *plan,
                            bool *used, struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  struct sample run;
  *used = imagine_write(m, false, a) && imagine_begin(m, a) &&
      gpu_checked_run(r, written, true, plan, &run, a) && imagine_is_finite(m, a) &&
      imagine_is_steady(m, written, plan, a);
  return *used && gpu_checked_run(r, l, false, plan, &run, a);
}

static bool imagine_run(struct imagination *m, const struct gpu_variant *written,
                        const struct gpu_variant *v, const struct trial_plan *plan,
                        struct gpu_answer *a) {
  struct gpu_run *r = m->r;
  struct gpu_answer real = { .status = STATUS_OK };
  struct sample run;
  bool any = false, used = false;
  for (unsigned i = 0; i < r->call.n_regions; i++) {
    if (!imagine_look(m, i, a))
      return false;
    any |= m->looks[i].n > 0;
  }
  if (!any)
    return true;
  if ((!gpu_loaded(r, written->ticket) && !gpu_load(r, written, a)) ||
      (!gpu_loaded(r, v->ticket) && !gpu_load(r, v, a)))
    return false;
  struct loaded *w = gpu_loaded(r, written->ticket), *l = gpu_loaded(r, v->ticket);
  w->launch = written->launch;
  l->launch = v->launch;
  if (!gpu_checked_run(r, l, false, plan, &run, a)) // it may keep something for later
    return false;
  bool good = imagine_compare(m, w, l, plan, &used, a);
  imagine_end(m);
  a->made_up = used;
  if (!r->lost && !imagine_write(m, true, &real))
    a->sticky = r->lost = true; // its copies cannot be used again
  return good;
}

void gpu_run_imagine(struct gpu_run *r, const struct gpu_variant *written,
                     const struct gpu_variant *v, const struct trial_plan *plan,
                     struct gpu_answer *out) {
  struct gpu_scope scope;
  struct imagination *m = sys_calloc(1, sizeof *m);
  if (!m || !gpu_run_started(r, out)) {
    free(m);
    return;
  }
  m->r = r;
  gpu_enter(r, &scope);
  imagine_run(m, written, v, plan, out);
  free(m);
  gpu_run_finished(r, &scope, out);
}
