// SPDX-License-Identifier: Apache-2.0
// run.c: prepares and checks the runs of one call's variants, in the program and in the
// helper.
//
//     save ─► default: run, keep outputs, run again, compare, time ─► restore
//             variant: restore, pattern, run, compare; time ─► restore
//
// All memory that the kernel may write is saved once, and is restored at the end of each
// function of gpu.h. Outputs that are only written are filled with a pattern before a
// checked run, so that a variant that skips a part of its work does not pass with the old
// contents. Memory that is only read must keep its hash.
//
// Workspaces get the pattern before each checked run of a variant. The default must not
// be run with a pattern there: it would fault in the program if it read an address or a
// subscript. It runs twice with what the first run left there, as in the program.
//
// Memory next to the sections must also stay as it was, unless the default changes it. In
// the program it is restored with isolate(off) only: it may belong to other streams, and
// the helper has checked the variant before. In the helper all memory that is not written
// must keep its hash, however far from the sections.
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "run/measure.h"
#include "run/outputs.h"
#include "run/target.h"

// 0x40 repeated is a small normal number in every format, so it is neither NaN nor slow.
enum {
  PATTERN = 0x40,
  RELAXED = 2 /* CU_STREAM_CAPTURE_MODE_RELAXED */,
  NON_BLOCKING = 1 /* CU_STREAM_NON_BLOCKING */
};

// ---- context, stream ----------------------------------------------------------------

void gpu_enter(struct gpu_run *r, struct gpu_scope *s) {
  s->mode = RELAXED;
  s->before = NULL;
  r->api->capture_mode(&s->mode);
  r->api->context_get(&s->before);
  r->api->context_set(r->context);
}

void gpu_leave(struct gpu_run *r, const struct gpu_scope *s) {
  int mode = s->mode;
  r->api->context_set(s->before);
  r->api->capture_mode(&mode);
}

bool gpu_tell(struct gpu_run *r, gpu_result e, const char *doing, char *why,
              size_t size) {
  char text[200];
  if (e == GPU_TOO_LATE)
    snprintf(text, sizeof text, "the device does not answer");
  else if (e != 0)
    gpu_error(r->api, e, text, sizeof text);
  if (e != 0)
    snprintf(why, size, "%s: %s", doing, text);
  r->stuck |= e == GPU_TOO_LATE;
  return e == 0;
}

bool gpu_run_wait(struct gpu_run *r, char *why, size_t size) {
  return gpu_tell(r, gpu_await(r, 0), "waiting for the device", why, size);
}

struct gpu_run *gpu_run_begin(const struct gpu_api *api, const struct gpu_call *call,
                              char *why, size_t size) {
  struct gpu_run *r = sys_calloc(1, sizeof *r);
  struct gpu_scope scope;
  gpu_device device;
  if (!r) {
    snprintf(why, size, "no memory");
    return NULL;
  }
  r->api = api;
  r->call = *call;
  gpu_result e = api->init(0);
  if (e == 0)
    e = api->device_get(&device, call->device);
  if (e == 0)
    e = api->primary_retain(&r->context, device);
  r->info = e == 0 ? gpu_info_get(call->device) : NULL;
  if (!gpu_tell(r, e, "the device's context", why, size) || !r->info) {
    if (r->context)
      api->primary_release(device);
    free(r);
    return NULL;
  }
  gpu_enter(r, &scope);
  e = api->stream_create(&r->stream, NON_BLOCKING);
  if (e == 0)
    e = api->event_create(&r->from, 0);
  if (e == 0)
    e = api->event_create(&r->to, 0);
  bool made = gpu_tell(r, e, "a stream and its events", why, size);
  gpu_leave(r, &scope);
  if (made)
    return r;
  gpu_run_free(r);
  return NULL;
}

// Waits for other streams where there are no sections: they may be writing another part
// of an allocation, and restoring it would undo that. The legacy stream waits for all
// streams but non-blocking ones, unless one of them is being captured.
static gpu_result await_others(struct gpu_run *r) {
  const gpu_stream legacy = (gpu_stream)(uintptr_t)1; // CU_STREAM_LEGACY
  bool whole = false;
  int status = 0;
  for (unsigned i = 0; i < r->call.n_regions; i++)
    whole |= r->call.regions[i].whole;
  if (!whole || r->api->stream_capturing(legacy, &status) != 0 || status != 0)
    return 0;
  gpu_result e = r->api->event_record(r->to, legacy);
  return e ? e : r->api->event_synchronize(r->to);
}

struct gpu_run *gpu_run_new(const struct gpu_api *api, const struct gpu_call *call,
                            char *why, size_t size) {
  struct gpu_run *r = gpu_run_begin(api, call, why, size);
  struct gpu_scope scope;
  if (!r)
    return NULL;
  gpu_enter(r, &scope);
  // On the default stream an event waits for other streams as well.
  gpu_result e = api->event_record(r->to, call->asked.stream);
  if (e == 0)
    e = api->event_synchronize(r->to);
  if (e == 0)
    e = await_others(r);
  bool ready = gpu_tell(r, e, "the launch's stream", why, size) &&
      gpu_run_prepare(r, why, size);
  gpu_leave(r, &scope);
  if (ready)
    return r;
  gpu_run_free(r);
  return NULL;
}

// ---- checked runs -------------------------------------------------------------------

gpu_result gpu_make_ready(struct gpu_run *r, bool scratch) {
  gpu_result e = gpu_put_back(r);
  for (unsigned i = 0; i < r->call.n_regions && e == 0; i++) {
    const struct gpu_region *x = r->pieces[i].region;
    if (x->access == AUTOTUNE_OUT || (scratch && x->access == AUTOTUNE_SCRATCH))
      e = r->api->set_bytes(x->base, PATTERN, x->bytes, r->stream);
  }
  return e;
}

static bool run_wrong(struct gpu_answer *a, const char *name, const char *what) {
  a->status = STATUS_WRONG;
  snprintf(a->message, sizeof a->message, "%s: %s", name, what);
  return false;
}

// Notes D, of an element of X, if it is the largest deviation of this trial.
static void run_deviates(struct gpu_run *r, const struct gpu_region *x,
                         const struct deviation *d) {
  struct gpu_deviation *most = &r->deviation;
  struct layout_plain plain;
  size_t each = verify_element_size(x->element);
  if (!d->found || (most->d.found && d->part <= most->d.part))
    return;
  most->d = *d;
  if (x->whole) // its name is that of a pointer
    snprintf(most->where, sizeof most->where, "%.64s[%zu]", x->name, d->index);
  else
    layout_name(layout_plain(x->element, each, &plain), 0, x->name, d->index * each,
                most->where, sizeof most->where);
}

bool gpu_same_outputs(struct gpu_run *r, struct gpu_answer *a) {
  for (unsigned i = 0; i < r->call.n_regions; i++) {
    const struct piece *p = &r->pieces[i];
    struct deviation most = { .found = false };
    char what[180] = "";
    bool same = true;
    gpu_result e = p->expected.bytes == 0
        ? 0
        : gpu_compare(r, p->region->element, p->tolerance, &p->measured_there,
                      &p->expected, p->region->base, &same, &most, what, sizeof what);
    if (!gpu_good(r, e, "comparing", a))
      return false;
    if (!same)
      return run_wrong(a, p->region->name, what);
    run_deviates(r, p->region, &most);
    r->deviation.known |= p->expected.bytes > 0;
  }
  return true;
}

static bool same_inputs(struct gpu_run *r, struct gpu_answer *a) {
  for (unsigned i = 0; i < r->call.n_regions; i++) {
    const struct gpu_region *x = r->pieces[i].region;
    uint64_t hash = r->pieces[i].hash;
    gpu_result e = x->access != AUTOTUNE_IN ? 0 : gpu_hash(r, x->base, x->bytes, &hash);
    if (!gpu_good(r, e, "comparing", a))
      return false;
    if (hash != r->pieces[i].hash)
      return run_wrong(a, x->name, "it is only read, and was changed");
  }
  return true;
}

// True if the memory next to the sections can belong to nobody else.
static bool owns_fences(const struct gpu_run *r) {
  return r->copied || (r->call.flags & AUTOTUNE_GPU_NO_ISOLATE);
}

static bool same_fence(struct gpu_run *r, const struct fence *f, bool *same,
                       struct gpu_answer *a) {
  char what[180] = "";
  gpu_result e = gpu_compare(r, AUTOTUNE_BYTES, (struct tolerance){ .exact = true }, NULL,
                             &f->saved, f->base, same, NULL, what, sizeof what);
  if (e == 0 && !*same && owns_fences(r)) {
    e = gpu_buffer_load(r->api, &f->saved, f->base, r->stream);
    e = e ? e : gpu_await(r, 0);
  }
  return gpu_good(r, e, "comparing", a);
}

// Checks the fences. ORIGINAL: the default may change memory next to the sections.
static bool same_fences(struct gpu_run *r, bool original, struct gpu_answer *a) {
  for (unsigned i = 0; i < r->n_fences && (original || owns_fences(r)); i++) {
    struct fence *f = &r->fences[i];
    bool same = true;
    if (!f->off && !same_fence(r, f, &same, a))
      return false;
    f->off |= original && !same;
    if (!same && !original) {
      a->status = STATUS_WRONG;
      snprintf(a->message, sizeof a->message, "memory next to %s was changed", f->name);
      return false;
    }
  }
  return true;
}

// True if rests are checked: in a helper always; in the program for the default only,
// to find what a helper must ignore.
static bool watches_rests(const struct gpu_run *r, bool original) {
  return r->copied || (original && !(r->call.flags & AUTOTUNE_GPU_NO_ISOLATE));
}

static bool hash_rests(struct gpu_run *r, bool original, struct gpu_answer *a) {
  for (unsigned i = 0; i < r->n_rests && watches_rests(r, original); i++) {
    struct rest *x = &r->rests[i];
    gpu_result e =
        x->off || (!original && x->hash) ? 0 : gpu_hash(r, x->base, x->bytes, &x->hash);
    if (!gpu_good(r, e, "comparing", a))
      return false;
  }
  return true;
}

// Checks the rests. A helper whose copies were changed is not used any more.
static bool same_rests(struct gpu_run *r, bool original, struct gpu_answer *a) {
  for (unsigned i = 0; i < r->n_rests && watches_rests(r, original); i++) {
    struct rest *x = &r->rests[i];
    uint64_t hash = x->hash;
    if (!gpu_good(r, x->off ? 0 : gpu_hash(r, x->base, x->bytes, &hash), "comparing", a))
      return false;
    x->off |= original && hash != x->hash;
    if (!original && hash != x->hash) {
      a->sticky = r->lost = true;
      return run_wrong(a, x->name, "memory far from its sections was changed");
    }
  }
  return true;
}

static bool keep_outputs(struct gpu_run *r, struct gpu_answer *a) {
  gpu_result e = 0;
  for (unsigned i = 0; i < r->call.n_regions && e == 0; i++) {
    struct piece *p = &r->pieces[i];
    const struct gpu_region *x = p->region;
    unsigned long long count = 0;
    double scale = 0;
    e = gpu_buffer_save(r->api, &p->expected, x->base, r->stream);
    if (e != 0 || p->expected.bytes == 0 || !verify_needs_scale(x->tolerance))
      continue;
    e = gpu_await(r, 0);
    // Of a whole allocation only the elements that were written tell the scale of the
    // outputs; the others may hold anything.
    if (e == 0 && x->whole)
      e = gpu_scale(r, x->element, &p->expected, &p->saved, false, &scale, &count);
    if (e == 0 && count == 0)
      e = gpu_scale(r, x->element, &p->expected, NULL, false, &scale, &count);
    p->scale = scale;
    p->tolerance = verify_scaled(x->tolerance, scale);
  }
  return gpu_good(r, e ? e : gpu_await(r, 0), "keeping outputs", a);
}

bool gpu_checked_run(struct gpu_run *r, const struct loaded *l, bool keep,
                     const struct trial_plan *p, struct sample *out,
                     struct gpu_answer *a) {
  return gpu_good(r, gpu_make_ready(r, l != NULL), "restoring", a) &&
      hash_rests(r, keep, a) && gpu_once(r, l, 1, p, out, a) &&
      (keep ? keep_outputs(r, a) : gpu_same_outputs(r, a)) && same_inputs(r, a) &&
      same_fences(r, keep, a) && same_rests(r, keep, a);
}

// ---- the functions of gpu.h ---------------------------------------------------------

bool gpu_run_restore(struct gpu_run *r) {
  struct gpu_scope scope;
  gpu_result e = r->lost;
  if (r->lost)
    return false;
  gpu_enter(r, &scope);
  for (unsigned i = 0; i < r->call.n_regions && e == 0; i++)
    e = gpu_buffer_load(r->api, &r->pieces[i].saved, r->call.regions[i].base, r->stream);
  if (e == 0)
    e = gpu_await(r, 0);
  r->lost |= e != 0;
  r->stuck |= e == GPU_TOO_LATE;
  gpu_leave(r, &scope);
  return e == 0;
}

bool gpu_run_started(const struct gpu_run *r, struct gpu_answer *a) {
  *a = (struct gpu_answer){ .status = r->lost ? STATUS_CRASH : STATUS_OK,
                            .slowdown = 1,
                            .sticky = r->lost };
  if (r->lost)
    snprintf(a->message, sizeof a->message,
             "an earlier error has left the device unusable");
  return !r->lost;
}

void gpu_run_finished(struct gpu_run *r, const struct gpu_scope *s,
                      struct gpu_answer *a) {
  if (!gpu_run_restore(r) && !a->sticky) {
    a->sticky = true;
    a->status = STATUS_CRASH;
    snprintf(a->message, sizeof a->message, "its memory could not be put back");
  }
  if (a->status != STATUS_OK)
    a->n_samples = 0;
  gpu_leave(r, s);
}

// After a second run of the default that was wrong: writes the reason into A. With
// workspaces as before the call it is right where it reads what is in them.
static void run_blame(struct gpu_run *r, const struct trial_plan *plan,
                      struct gpu_answer *a) {
  struct gpu_answer again = { .status = STATUS_OK };
  struct sample sample;
  gpu_result e = 0;
  char message[sizeof a->message];
  memcpy(message, a->message, sizeof message);
  const char *name = NULL;
  for (unsigned i = 0; i < r->call.n_regions && e == 0; i++)
    if (r->call.regions[i].access == AUTOTUNE_SCRATCH) {
      name = name ? name : r->call.regions[i].name;
      e = gpu_buffer_load(r->api, &r->pieces[i].saved, r->call.regions[i].base,
                          r->stream);
    }
  if (name && gpu_good(r, e, "restoring", &again) &&
      gpu_checked_run(r, NULL, false, plan, &sample, &again))
    snprintf(a->message, sizeof a->message,
             "%.60s is declared scratch, but the kernel reads what was in it (%.120s)",
             name, message);
  else
    snprintf(a->message, sizeof a->message,
             "the kernel as written does not repeat itself: %.200s", message);
  a->sticky |= again.sticky;
}

void gpu_run_reference(struct gpu_run *r,
                       int (*original)(const struct autotune_launch *, void *const *),
                       const struct trial_plan *plan, struct gpu_answer *out) {
  struct gpu_scope scope;
  double start = measure_clock();
  struct sample first, second = { .seconds = -1 };
  if (!gpu_run_started(r, out))
    return;
  gpu_enter(r, &scope);
  r->original = original;
  bool good = gpu_checked_run(r, NULL, true, plan, &first, out);
  if (good && !gpu_checked_run(r, NULL, false, plan, &second, out)) {
    good = false;
    if (out->status == STATUS_WRONG)
      run_blame(r, plan, out);
  }
  good = good && gpu_look(r, out);
  out->verify_seconds = measure_clock() - start;
  if (good && plan->max_samples > 0)
    gpu_sample(r, NULL, plan, second, out);
  r->warm |= good;
  gpu_run_finished(r, &scope, out);
}

static bool load_and_try(struct gpu_run *r, const struct gpu_variant *v,
                         const struct trial_plan *plan, struct gpu_answer *a) {
  double start = measure_clock();
  struct sample first = { .seconds = -1 };
  struct loaded *l = v->ticket ? gpu_loaded(r, v->ticket) : NULL;
  if (!l && v->ticket)
    l = gpu_load(r, v, a);
  a->load_seconds = measure_clock() - start;
  if ((!l && v->ticket) || (!v->ticket && !r->original))
    return false;
  if (l) {
    l->launch = v->launch;
    a->facts = l->facts;
  }
  start = measure_clock();
  if (l && plan->verify && !l->checked && !gpu_checked_run(r, l, false, plan, &first, a))
    return false;
  a->verify_seconds = measure_clock() - start;
  if (plan->max_samples > 0 && !gpu_sample(r, l, plan, first, a))
    return false;
  if (plan->max_samples > 0 && plan->verify && r->call.n_regions > 0 &&
      !gpu_same_outputs(r, a))
    return false;
  if (l)
    l->checked |= plan->verify;
  return true;
}

void gpu_run_try(struct gpu_run *r, const struct gpu_variant *v,
                 const struct trial_plan *plan, struct gpu_answer *out) {
  struct gpu_scope scope;
  struct loaded *l;
  if (!gpu_run_started(r, out))
    return;
  gpu_enter(r, &scope);
  r->deviation = (struct gpu_deviation){ .known = false };
  bool good = load_and_try(r, v, plan, out);
  if (good && r->deviation.known)
    output_tell_deviation(&r->deviation.d, r->deviation.where, out->deviation,
                          sizeof out->deviation);
  out->deviation_part = r->deviation.d.part;
  if (!good && out->status == STATUS_OK) {
    out->status = STATUS_LOAD;
    snprintf(out->message, sizeof out->message, "the default is not known here");
  }
  if (!good && (l = v->ticket ? gpu_loaded(r, v->ticket) : NULL))
    gpu_unload(r, l);
  r->warm |= good;
  gpu_run_finished(r, &scope, out);
}

static void free_memory(struct gpu_run *r) {
  for (unsigned i = 0; i < GPU_REGIONS + GPU_SYMBOLS; i++)
    gpu_buffer_free(r->api, &r->copies[i]);
  for (unsigned i = 0; i < GPU_REGIONS; i++) {
    gpu_buffer_free(r->api, &r->pieces[i].saved);
    gpu_buffer_free(r->api, &r->pieces[i].expected);
  }
  for (unsigned i = 0; i < r->n_fences; i++)
    gpu_buffer_free(r->api, &r->fences[i].saved);
  gpu_buffer_free(r->api, &r->flush);
}

void gpu_run_free(struct gpu_run *r) {
  struct gpu_scope scope;
  gpu_device device = 0;
  if (!r)
    return;
  gpu_enter(r, &scope);
  gpu_compare_free(r, r->compare);
  free(r->names);
  gpu_run_forget(r);
  if (!r->stuck) { // otherwise the driver would wait for the kernel
    while (r->n_loaded > 0)
      gpu_unload(r, &r->loaded[r->n_loaded - 1]);
    free_memory(r);
    if (r->from)
      r->api->event_destroy(r->from);
    if (r->to)
      r->api->event_destroy(r->to);
    if (r->stream)
      r->api->stream_destroy(r->stream);
  }
  gpu_leave(r, &scope);
  if (!r->stuck && r->api->device_get(&device, r->call.device) == 0)
    r->api->primary_release(device);
  free(r->loaded);
  free(r);
}
