// SPDX-License-Identifier: Apache-2.0
// once.c: one run of a kernel, timed by two events. A running kernel cannot be stopped.
// After its limit the helper ends, which also stops the kernel. The program waits a while
// longer, because it cannot restore memory while the kernel runs.
#include <sched.h>
#include <string.h>
#include <time.h>

#include "run.h"
#include "run/measure.h"

static const double no_limit = 60, patience = 30; // seconds
static const double spin_for = 200e-6; // seconds; later it sleeps between two looks

static gpu_result await_event(struct gpu_run *r, double limit) {
  const struct timespec nap = { 0, 50000 };
  double start = measure_clock(), passed = 0;
  gpu_result e;
  while ((e = r->api->event_query(r->to)) == GPU_NOT_READY) {
    if (passed > limit)
      return GPU_TOO_LATE;
    if (passed < spin_for)
      sched_yield();
    else
      nanosleep(&nap, NULL);
    passed = measure_clock() - start;
  }
  return e;
}

gpu_result gpu_await(struct gpu_run *r, double limit) {
  gpu_result e = r->api->event_record(r->to, r->stream);
  return e ? e : await_event(r, limit > 0 ? limit : no_limit);
}

// True if the context is lost, false if only one call failed. Does not wait.
static bool is_sticky(struct gpu_run *r) {
  gpu_result e = r->api->stream_query(r->stream);
  return e != 0 && e != GPU_NOT_READY;
}

bool gpu_good(struct gpu_run *r, gpu_result e, const char *doing, struct gpu_answer *a) {
  char text[200];
  if (e == 0)
    return true;
  if (e == GPU_TOO_LATE) {
    r->stuck = r->lost = true;
    snprintf(text, sizeof text, "the device does not answer");
  } else {
    r->lost |= is_sticky(r);
    gpu_error(r->api, e, text, sizeof text);
  }
  a->status = r->lost ? STATUS_CRASH : STATUS_LOAD;
  a->sticky = r->lost;
  snprintf(a->message, sizeof a->message, "%s%s%s", doing, *doing ? ": " : "", text);
  return false;
}

static gpu_result once_launch(struct gpu_run *r, const struct loaded *l) {
  struct autotune_launch asked = r->call.asked;
  asked.stream = r->stream;
  if (!l)
    return r->original(&asked, r->args);
  const struct autotune_dim3 *g = &l->launch.grid, *b = &l->launch.block;
  return r->api->launch(l->function, g->x, g->y, g->z, b->x, b->y, b->z,
                        (unsigned)l->launch.shared, r->stream,
                        l->args ? l->args : r->args, NULL);
}

// Handles a kernel that runs longer than its limit.
static void too_late(struct gpu_run *r, double limit, struct gpu_answer *a) {
  a->status = STATUS_TIMEOUT;
  gpu_result e = r->copied ? GPU_TOO_LATE
                           : await_event(r, patience > limit ? patience : limit);
  r->stuck = e == GPU_TOO_LATE;
  r->lost |= e != 0;
  a->sticky = r->lost;
  snprintf(a->message, sizeof a->message, "no end after %.3g s%s", limit,
           r->stuck && !r->copied ? ", and a kernel cannot be ended within the program"
                                  : "");
}

void gpu_run_announce(struct gpu_run *r, void (*announce)(double seconds)) {
  r->announce = announce;
}

static void once_announce(const struct gpu_run *r, double seconds) {
  if (r->announce)
    r->announce(seconds);
}

bool gpu_once(struct gpu_run *r, const struct loaded *l, unsigned n,
              const struct trial_plan *plan, struct sample *out, struct gpu_answer *a) {
  const struct objective *o = objective_get(plan->objective);
  float milliseconds = 0;
  double most = plan->limit > 0 ? plan->limit * n : no_limit;
  once_announce(r, most);
  double begun = o->begin();
  gpu_result e = r->api->event_record(r->from, r->stream);
  for (unsigned i = 0; i < n && e == 0; i++)
    e = once_launch(r, l);
  if (e == 0)
    e = r->api->event_record(r->to, r->stream);
  if (e == 0)
    e = await_event(r, most);
  once_announce(r, -1);
  if (e == 0)
    e = r->api->event_elapsed(&milliseconds, r->from, r->to);
  *out = objective_end(o, begun, (double)milliseconds / 1e3, n);
  if (e == GPU_TOO_LATE) {
    too_late(r, most, a);
    return false;
  }
  if (!gpu_good(r, e, "", a)) {
    if (e == GPU_LAUNCH_TIMEOUT)
      a->status = STATUS_TIMEOUT;
    return false;
  }
  if (out->seconds * n <= most)
    return true;
  a->status = STATUS_TIMEOUT; // it ended after the limit, between two looks
  snprintf(a->message, sizeof a->message, "it took %.3g s, and %.3g s is the limit",
           out->seconds * n, most);
  return false;
}
