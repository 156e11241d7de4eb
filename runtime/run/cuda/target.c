// SPDX-License-Identifier: Apache-2.0
// target.c: NVIDIA's devices as a target. A helper process runs each variant first, and a
// variant that crashes ends only the helper. The program, which waits in the launch, then
// measures the variants that passed.
//
// The tuner was forked from a process that uses CUDA, so it may not use CUDA itself. Its
// helper (order.c) is spawned and copies the call's memory.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/role.h"
#include "compile/nvrtc.h"
#include "compile/static.h"
#include "device.h"
#include "run/measure.h"

enum { PATIENCE = 60 }; // seconds, for the program's answers

bool device_ask(const struct device *d, const struct gpu_request *r, int fd, void *answer,
                size_t size, int *got, double seconds) {
  return d->wish.ask &&
      d->wish.ask(d->wish.ask_data, r, sizeof *r, fd, answer, size, got, seconds);
}

static struct device *device_of(const struct executor *e) {
  return (struct device *)(uintptr_t)e;
}

// ---- answers ------------------------------------------------------------------------

// DYNAMIC: bytes of shared memory in the launch.
static void target_set_features(const struct gpu_facts *facts, size_t dynamic,
                                struct features *f) {
  features_clear(f);
  f->values[FEATURE_REGISTERS] = (float)facts->registers;
  f->values[FEATURE_SPILLED] = (float)facts->spilled;
  f->values[FEATURE_SHARED] = (float)facts->static_shared + (float)dynamic;
  f->values[FEATURE_OCCUPANCY] = (float)facts->occupancy;
  f->values[FEATURE_WAVES] = (float)facts->waves;
  f->values[FEATURE_TAIL] = (float)facts->tail;
}

int device_copy_answer(const struct gpu_answer *a, bool timed,
                       const struct autotune_launch *launched, struct trial *out) {
  unsigned n = a->n_samples <= MAX_GPU_SAMPLES ? a->n_samples : 0;
  out->status = (unsigned)a->status < STATUS_PENDING ? a->status : STATUS_CRASH;
  snprintf(out->message, sizeof out->message, "%.255s", a->message);
  out->verify_seconds += a->verify_seconds;
  out->time_seconds += a->time_seconds;
  out->load_seconds += a->load_seconds;
  out->slowdown = a->slowdown > 0.25 && a->slowdown < 4 ? a->slowdown : 1;
  snprintf(out->weak, sizeof out->weak, "%.159s", a->weak);
  if (a->deviation[0] &&
      (!out->deviation[0] || a->deviation_part > out->deviation_part)) {
    snprintf(out->deviation, sizeof out->deviation, "%.127s", a->deviation);
    out->deviation_part = a->deviation_part;
  }
  if (a->facts.registers > 0) {
    target_set_features(&a->facts, launched->shared, &out->features);
    out->has_features = true;
  }
  free(out->samples);
  out->samples = NULL;
  out->n_samples = 0;
  return timed ? measure_take(out, a->samples, n, a->run_seconds) : 0;
}

double device_patience(const struct trial_plan *p) {
  return p->budget + 4 * p->limit + PATIENCE;
}

// Runs a trial in the program, with OBJECT as for order_try. 0; -1: the program cannot
// try anything any more.
static int in_program(const struct device *d, enum gpu_what what, uint64_t ticket,
                      const void *object, size_t size, size_t prepared,
                      const struct trial_plan *plan, struct trial *out) {
  const struct gpu_request r = {
    .what = what, .ticket = ticket, .size = size, .prepared = prepared, .plan = *plan
  };
  struct gpu_answer *answer = sys_malloc(sizeof *answer);
  int fd = ticket ? channel_file("autotune-cubin", object, size) : -1, rc = -1;
  bool answered = answer && (fd >= 0 || !ticket) &&
      device_ask(d, &r, fd, answer, sizeof *answer, NULL, device_patience(plan));
  if (answered)
    rc = device_copy_answer(answer, true, &plan->launch, out);
  else if (!role_stopping())
    snprintf(out->message, sizeof out->message, "the program does not answer");
  if (answered && answer->sticky)
    rc = -1; // its context is lost, so further trials there would fail
  if (fd >= 0)
    close(fd);
  free(answer);
  return rc;
}

// ---- variants that passed in the helper
// -----------------------------------------------------

static bool has_passed(const struct device *d, uint64_t ticket) {
  return ticket < d->n_passed && (d->passed[ticket / 8] >> ticket % 8 & 1);
}

static void target_pass(struct device *d, uint64_t ticket) {
  if (ticket >= d->n_passed) {
    uint64_t n = 2 * ticket + 512;
    unsigned char *more = sys_realloc(d->passed, n / 8 + 1);
    if (!more)
      return; // it will run in the helper once more
    memset(more + (d->n_passed + 7) / 8, 0, n / 8 + 1 - (d->n_passed + 7) / 8);
    d->passed = more;
    d->n_passed = n;
  }
  d->passed[ticket / 8] |= (unsigned char)(1 << ticket % 8);
}

// ---- the executor -------------------------------------------------------------------

static void target_describe(struct device *d, void *const *args) {
  const struct gpu_call *c = d->own.call;
  struct autotune_span *spans = sys_calloc(d->kernel->n_sections + 1, sizeof *spans);
  struct autotune_call call = { .spans = spans };
  if (spans)
    d->kernel->describe(args, &call);
  d->flops = call.flops;
  d->bytes = call.bytes;
  for (unsigned i = 0; spans && i < d->kernel->n_sections && i < COVERED_SECTIONS; i++)
    d->coverage.bytes[i] = spans[i].bytes;
  free(spans);
  for (unsigned i = 0; i < c->n_regions; i++) {
    d->touched += (double)c->regions[i].bytes;
    d->verified |= c->regions[i].compared;
  }
  bool named = kernel_has_sections(d->kernel);
  d->coverage.kernel = d->kernel;
  d->coverage.watched = d->verified || named;
  d->coverage.rest = named ? "memory next to sections"
                           : "all memory that non-const arguments lead to";
  d->coverage.left_out = "data of later calls";
}

static void target_stop(struct executor *e) {
  struct device *d = device_of(e);
  order_end(d);
  if (d->file >= 0)
    close(d->file);
  if (d->found >= 0)
    close(d->found);
  free(d->offer);
  free(d->written);
  free(d->passed);
  free(d->helper.program);
  free(d);
}

static struct executor *target_start(const struct autotune_kernel *k,
                                     const struct call *call,
                                     const struct executor_wish *wish, char **message) {
  struct device *d = sys_calloc(1, sizeof *d);
  const struct gpu_info *info = gpu_info_get(gpu_ordinal(k, call->key));
  *message = NULL;
  if (!d)
    return NULL;
  if (info)
    nvrtc_set_architecture(info->cc);
  *d = (struct device){ .kernel = k,
                        .own = serve_inherit(),
                        .wish = *wish,
                        .helper = { .channel = { .socket = -1 } },
                        .file = -1,
                        .found = -1 };
  // Variants that were right in the program before do not need the helper.
  bool wants = !(k->gpu->flags & AUTOTUNE_GPU_NO_ISOLATE);
  d->isolates = d->wish.background || (wants && !wish->trusted);
  bool there = wants && helper_find(&d->helper, message);
  if (!d->own.call) {
    free(*message);
    *message = sys_strdup("the call was not described");
  } else if (!d->isolates || there) {
    free(*message);
    *message = NULL;
    target_describe(d, call->args);
    return (struct executor *)d;
  }
  target_stop((struct executor *)d);
  return NULL;
}

static void target_call(const struct executor *e, double *flops, double *bytes,
                        bool *verified) {
  const struct device *d = device_of(e);
  *flops = d->flops;
  *bytes = d->bytes;
  *verified = d->verified;
}

static void target_covered(const struct executor *e, char *text, size_t size) {
  covered_text(&device_of(e)->coverage, text, size);
}

static double target_touched(const struct executor *e) {
  return device_of(e)->touched;
}

// Returns what was measured before the fork, if the program does not wait: then the
// default cannot be run again.
static int target_measured(const struct device *d, struct trial *out) {
  if (d->own.reference)
    return device_copy_answer(d->own.reference, true, &d->own.call->asked, out);
  snprintf(out->message, sizeof out->message, "it was not measured");
  return -1;
}

static int target_reference(struct executor *e, const struct trial_plan *plan,
                            struct trial *out) {
  struct device *d = device_of(e);
  struct trial_plan p = *plan;
  *out = (struct trial){ .status = STATUS_PENDING, .slowdown = 1 };
  p.verify = true; // the default must repeat its outputs
  int rc = d->wish.background ? target_measured(d, out)
                              : in_program(d, GPU_REFERENCE, 0, NULL, 0, 0, &p, out);
  if (rc == 0 && out->status == STATUS_OK && d->isolates && !order_ensure(d)) {
    snprintf(out->message, sizeof out->message, "%s", d->why);
    out->status = STATUS_PENDING;
    rc = -1;
  }
  return rc;
}

// Tells the program, if it waits, to compare with what the helper found.
static bool target_tell_found(const struct device *d) {
  const struct gpu_request r = { .what = GPU_TOLERATE, .size = d->found_bytes };
  struct gpu_answer *answer = sys_malloc(sizeof *answer);
  bool told = d->wish.background ||
      (answer && device_ask(d, &r, d->found, answer, sizeof *answer, NULL, PATIENCE) &&
       answer->status == STATUS_OK);
  free(answer);
  return told;
}

// Keeps the cubin of the kernel as written, for made-up data.
static void target_keep_written(struct device *d, const void *object, size_t size) {
  d->written = sys_malloc(size);
  d->written_bytes = size;
  if (d->written)
    memcpy(d->written, object, size);
}

// Without a helper, or if it fails, variants are compared as if nothing was measured.
static int target_written(struct executor *e, const void *object, size_t size,
                          const struct trial_plan *plan, struct trial *out) {
  struct device *d = device_of(e);
  struct trial_plan p = *plan;
  *out = (struct trial){ .status = STATUS_PENDING, .slowdown = 1 };
  p.launch = d->own.call->asked;
  if (!d->helper.program)
    snprintf(out->message, sizeof out->message, "it does not run in a helper process");
  else if (order_written(d, object, size, &p, out) && target_tell_found(d))
    snprintf(out->note, sizeof out->note, "%.159s", out->message);
  else
    order_drop(d);
  if (d->found >= 0 && !out->note[0])
    target_keep_written(d, object, size);
  if (d->found < 0)
    log_message(AUTOTUNE_INFO, "%s: how far rounding moves its outputs is not known: %s",
                d->kernel->name, out->message);
  return 0;
}

// A variant's code, and after it what the host has made for it.
struct target_file {
  const void *data;
  size_t size, prepared; // PREPARED: the last bytes of SIZE
  void *own;             // malloc'ed, or NULL
};

// False: OUT says why a variant cannot be tried.
static bool target_join(const struct device *d, const void *object, size_t size,
                        const choice *point, struct target_file *f, struct trial *out) {
  const struct gpu_call *c = d->own.call;
  *f = (struct target_file){ .data = object, .size = size };
  if (!d->own.prepared || !point)
    return true;
  unsigned char *both = sys_malloc(size + c->prepared_bytes + 1);
  snprintf(out->message, sizeof out->message, "no memory for its arguments");
  if (!both ||
      !gpu_prepared_take(d->own.prepared, c, point, both + size, out->message,
                         sizeof out->message)) {
    out->status = STATUS_LOAD;
    free(both);
    return false;
  }
  out->message[0] = '\0';
  memcpy(both, object, size);
  *f = (struct target_file){ both, size + c->prepared_bytes, c->prepared_bytes, both };
  return true;
}

static int target_imagine(struct executor *e, uint64_t ticket, const void *object,
                          size_t size, const struct imagined *what, struct trial *out) {
  struct device *d = device_of(e);
  struct target_file f;
  *out = (struct trial){ .status = STATUS_OK, .slowdown = 1 };
  if (!d->written || !(what->sets & 1u << MADE_UP_FILLED))
    return 0;
  if (!target_join(d, object, size, what->plan.point, &f, out))
    return 0;
  int rc = order_imagine(d, ticket, f.data, f.size, f.prepared, &what->plan, out);
  free(f.own);
  return rc;
}

// Tries a variant in the helper, unless it has passed there, and then in the program.
static int target_try_variant(struct device *d, uint64_t ticket,
                              const struct target_file *f, const struct trial_plan *plan,
                              struct trial *out) {
  if (d->isolates && (d->wish.background || !has_passed(d, ticket))) {
    int rc = order_try(d, ticket, f->data, f->size, f->prepared, plan, out);
    if (rc != 0 || out->status != STATUS_OK || d->wish.background)
      return rc;
    target_pass(d, ticket);
  }
  return in_program(d, GPU_TRY, ticket, f->data, f->size, f->prepared, plan, out);
}

static int target_try(struct executor *e, uint64_t ticket, const void *object,
                      size_t size, const struct trial_plan *plan, struct trial *out) {
  struct device *d = device_of(e);
  struct target_file f;
  *out = (struct trial){ .status = STATUS_PENDING, .slowdown = 1 };
  if (ticket == 0 && d->wish.background)
    return target_measured(d, out);
  if (ticket == 0)
    return in_program(d, GPU_TRY, ticket, object, size, 0, plan, out);
  if (!target_join(d, object, size, plan->point, &f, out))
    return 0;
  int rc = target_try_variant(d, ticket, &f, plan, out);
  free(f.own);
  return rc;
}

static double target_cost(const struct executor *e) {
  (void)e; // the helper is a child, whose time counts when it ends
  return 0;
}

// Writes the object as it is, which the driver loads.
static bool target_link(const void *object, size_t size, const char *path, char **why) {
  int fd = sys_open(path, O_WRONLY | O_TRUNC, 0);
  bool written = fd >= 0 && sys_write_all(fd, object, size) == 0;
  *why = written ? NULL : sys_printf("%s", strerror(errno));
  if (fd >= 0)
    close(fd);
  return written;
}

static int target_file(void) {
  return serve_inherit().file;
}

const struct target target_cuda = {
  .name = "cuda",
  .place = "on the device",
  .hidden_keys = 1,
  .applicable = kernel_is_launched,
  .identify = gpu_identify,
  .identify_like = gpu_identify_like,
  .machine = gpu_machine,
  .bytes_at = gpu_bytes_at,
  .lacks = gpu_lacks,
  .open = serve_open,
  .serve = serve_answer,
  .close = serve_close,
  .forget = serve_forget,
  .inherited = target_file,
  .moved = serve_moved,
  .load = gpu_code_load,
  .unload = gpu_code_unload,
  .launch = gpu_code_launch,
  .lost = gpu_code_lost,
  .obstacle = gpu_obstacle,
  .records = gpu_records,
  .pause = gpu_pause,
  .resume = gpu_resume,
  .start = target_start,
  .call = target_call,
  .touched = target_touched,
  .covered = target_covered,
  .reference = target_reference,
  .written = target_written,
  .try = target_try,
  .imagine = target_imagine,
  .link = target_link,
  .cost = target_cost,
  .stop = target_stop,
};
