// SPDX-License-Identifier: Apache-2.0
// order.c: what the tuner asks its helper: where it begins and ends, what it is given,
// and trials in it. A fault of a variant destroys the helper's context, so another helper
// is spawned for the next variant.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/channel.h"
#include "device.h"

// Seconds: for the start of a driver in a new process and the copies of the call's
// memory; for work other than the kernel's.
enum { BEGIN = 120, GRACE = 20 };
static const double over_limit = 0.5;
static const uint64_t written_ticket = UINT64_MAX; // of the kernel as written

// ---- one order ----------------------------------------------------------------------

// Waits at most SECONDS for the answer to the order SERIAL. While a kernel runs, the
// time that the helper announced applies: a helper whose driver does not answer counts as
// hanging. *GOT: the file that came with the answer, or -1.
static enum channel_result order_await(const struct device *d, uint64_t serial,
                                       double seconds, struct gpu_answer *answer,
                                       int *got) {
  double end = sys_now() + seconds, next = end, runs;
  *got = -1;
  for (;;) {
    double left = (next < end ? next : end) - sys_now();
    struct message m;
    enum channel_result e = channel_receive(&d->helper.channel, &m, answer,
                                            sizeof *answer, left > 0 ? left : 0);
    if (e != CHANNEL_MESSAGE)
      return e;
    if (m.kind == HELPER_REPLY && m.serial == serial) {
      *got = m.fd;
      return CHANNEL_MESSAGE;
    }
    if (m.fd >= 0)
      close(m.fd);
    if (m.kind != HELPER_RUNS || m.serial != serial) // not the answer of our helper
      return CHANNEL_CLOSED;
    memcpy(&runs, answer, sizeof runs);
    next = runs > 0 ? sys_now() + runs + over_limit : end;
  }
}

// Sends the order O with the file FD, and waits at most SECONDS. *GOT: as in order_await.
static enum channel_result order_send(struct device *d, const struct gpu_order *o, int fd,
                                      double seconds, struct gpu_answer *answer,
                                      int *got) {
  const struct message m = { HELPER_ORDER, ++d->serial, o, sizeof *o, fd };
  *got = -1;
  return channel_send(&d->helper.channel, &m, true)
      ? order_await(d, m.serial, seconds, answer, got)
      : CHANNEL_CLOSED;
}

// Gives a new helper what was measured. False: it cannot use it.
static bool order_tolerate(struct device *d) {
  const struct gpu_order o = { .kind = ORDER_TOLERATE, .size = d->found_bytes };
  struct gpu_answer *answer = sys_malloc(sizeof *answer);
  int got = -1;
  bool used = answer &&
      order_send(d, &o, d->found, GRACE, answer, &got) == CHANNEL_MESSAGE &&
      answer->status == STATUS_OK;
  if (got >= 0)
    close(got);
  free(answer);
  return used;
}

// ---- what a helper needs ------------------------------------------------------------

static bool order_memory(struct device *d, bool snapshot) {
  const struct gpu_request r = { .what = GPU_SHARE, .snapshot = snapshot };
  if (!d->offer)
    d->offer = sys_malloc(sizeof *d->offer);
  if (d->file >= 0)
    close(d->file);
  d->file = -1;
  bool answered = d->offer &&
      device_ask(d, &r, -1, d->offer, sizeof *d->offer, &d->file, BEGIN);
  if (answered && d->offer->shared)
    return true;
  snprintf(d->why, sizeof d->why, "%s",
           answered ? d->offer->why : "the program does not answer");
  free(d->offer);
  d->offer = NULL;
  return false;
}

static bool order_greet(struct device *d, struct gpu_ready *ready) {
  const struct gpu_shared *s = d->wish.background ? d->own.shared
      : d->offer                                  ? &d->offer->memory
                                                  : NULL;
  struct gpu_hello *hello = s ? sys_malloc(sizeof *hello) : NULL;
  *ready = (struct gpu_ready){ .ready = false };
  snprintf(ready->why, sizeof ready->why,
           "it ended before it could begin (or is of another version)");
  if (!hello)
    return false;
  snprintf(hello->version, sizeof hello->version, "%s", AUTOTUNE_VERSION);
  hello->parent = getpid();
  hello->shared = *s;
  const struct message m = { HELPER_HELLO, ++d->serial, hello, sizeof *hello,
                             d->wish.background ? d->own.file : d->file };
  struct message answer;
  bool answered = channel_ask(&d->helper.channel, &m, &answer, ready, sizeof *ready,
                              BEGIN) == CHANNEL_MESSAGE &&
      answer.kind == HELPER_READY;
  free(hello);
  return answered && ready->ready;
}

// Ends the helper. One whose kernel does not end may ignore all signals; it is abandoned,
// and ends when its kernel does.
void order_end(struct device *d) {
  long pid = (long)d->helper.pid;
  if (!helper_end(&d->helper))
    log_message(AUTOTUNE_INFO,
                "%s: a helper process (%ld) does not end, and is left running",
                d->kernel->name, pid);
}

// Tries to start a helper. False and D->why: it failed. *NO_IPC: a snapshot may work.
static bool order_begin(struct device *d, bool *no_ipc) {
  struct gpu_ready ready;
  *no_ipc = false;
  if (!helper_spawn(&d->helper, d->why, sizeof d->why))
    return false;
  if (order_greet(d, &ready)) {
    if (d->found < 0 || order_tolerate(d))
      return true;
    snprintf(ready.why, sizeof ready.why, "it cannot use what was measured");
  }
  snprintf(d->why, sizeof d->why, "the helper process: %.200s", ready.why);
  *no_ipc = ready.no_ipc;
  order_end(d);
  return false;
}

bool order_ensure(struct device *d) {
  bool no_ipc = false;
  if (d->helper.pid > 0)
    return true;
  if (!d->wish.background && !d->offer && !order_memory(d, false))
    return false;
  if (order_begin(d, &no_ipc))
    return true;
  return no_ipc && !d->wish.background && order_memory(d, true) &&
      order_begin(d, &no_ipc);
}

// ---- trials -------------------------------------------------------------------------

// Says in OUT how the helper ended, which gave no answer.
static void order_judge_death(struct device *d, struct trial *out) {
  out->status = STATUS_CRASH;
  helper_status(&d->helper, out->message, sizeof out->message);
}

// Carries out the order O with OBJECT, of SIZE bytes. 0; -1: no helper, and OUT says why.
// *GOT: as in order_await.
static int order_run(struct device *d, struct gpu_order *o, const void *object,
                     size_t size, struct gpu_answer *answer, struct trial *out,
                     int *got) {
  int fd = -1;
  *got = -1;
  if (!order_ensure(d) || (fd = channel_file("autotune-cubin", object, size)) < 0) {
    snprintf(out->message, sizeof out->message, "%s", d->why[0] ? d->why : "no memory");
    return -1;
  }
  // The helper reports a run over its limit; this limit is for a helper that cannot.
  double most = o->plan.limit + over_limit + GRACE +
      (d->wish.background || o->kind == ORDER_WRITTEN ? device_patience(&o->plan) : 0);
  enum channel_result end = order_send(d, o, fd, most, answer, got);
  close(fd);
  int rc = 0;
  if (end == CHANNEL_MESSAGE)
    rc = device_copy_answer(answer, o->plan.max_samples > 0, &o->launch, out);
  else if (end == CHANNEL_CLOSED)
    order_judge_death(d, out);
  else if (end == CHANNEL_SILENT)
    out->status = STATUS_TIMEOUT;
  else
    rc = -1;
  if (end == CHANNEL_SILENT)
    snprintf(out->message, sizeof out->message, "no end after %.3g s", o->plan.limit);
  if (end != CHANNEL_MESSAGE || answer->sticky)
    order_end(d);
  return rc;
}

int order_try(struct device *d, uint64_t ticket, const void *object, size_t size,
              size_t prepared, const struct trial_plan *plan, struct trial *out) {
  struct gpu_order order = { .ticket = ticket,
                             .size = size,
                             .prepared = prepared,
                             .launch = plan->launch,
                             .plan = *plan };
  struct gpu_answer *answer = sys_malloc(sizeof *answer);
  int got = -1, rc = -1;
  if (!d->wish.background)
    order.plan.max_samples = order.plan.min_samples = 0;
  if (answer)
    rc = order_run(d, &order, object, size, answer, out, &got);
  else
    snprintf(out->message, sizeof out->message, "no memory");
  if (got >= 0)
    close(got);
  free(answer);
  return rc;
}

// ---- what was measured --------------------------------------------------------------

bool order_written(struct device *d, const void *object, size_t size,
                   const struct trial_plan *plan, struct trial *out) {
  struct gpu_order order = { .kind = ORDER_WRITTEN,
                             .ticket = written_ticket,
                             .size = size,
                             .launch = plan->launch,
                             .plan = *plan };
  struct gpu_answer *answer = sys_malloc(sizeof *answer);
  int got = -1;
  order.plan.max_samples = order.plan.min_samples = 0;
  bool found = answer && order_run(d, &order, object, size, answer, out, &got) == 0 &&
      out->status == STATUS_OK && got >= 0 && answer->found > 0;
  if (found) {
    d->found = got;
    d->found_bytes = answer->found;
  } else if (got >= 0) {
    close(got);
  }
  free(answer);
  return found;
}

void order_drop(struct device *d) {
  if (d->found >= 0) {
    close(d->found);
    order_end(d);
  }
  d->found = -1;
}

// ---- made-up data -------------------------------------------------------------------

int order_imagine(struct device *d, uint64_t ticket, const void *object, size_t size,
                  size_t prepared, const struct trial_plan *plan, struct trial *out) {
  struct gpu_order order = { .kind = ORDER_IMAGINE,
                             .ticket = ticket,
                             .size = d->written_bytes + size,
                             .written = d->written_bytes,
                             .prepared = prepared,
                             .asked = d->own.call->asked,
                             .launch = plan->launch,
                             .plan = *plan };
  struct gpu_answer *answer = sys_calloc(1, sizeof *answer);
  char *both = sys_malloc(order.size), why[sizeof out->message];
  int got = -1, rc = -1;
  order.plan.max_samples = order.plan.min_samples = 0;
  if (answer && both) {
    memcpy(both, d->written, d->written_bytes);
    memcpy(both + d->written_bytes, object, size);
    rc = order_run(d, &order, both, order.size, answer, out, &got);
  }
  memcpy(why, out->message, sizeof why);
  if (rc == 0 && answer->made_up && out->status != STATUS_OK)
    snprintf(out->message, sizeof out->message, "on made-up data (%s): %.200s",
             made_up_names[MADE_UP_FILLED], why);
  else if (rc != 0 || out->status != STATUS_OK) // it says nothing of the variant
    log_message(AUTOTUNE_DEBUG, "%s: made-up data (%s) are not used: %s", d->kernel->name,
                made_up_names[MADE_UP_FILLED], why);
  if (rc != 0 || !answer->made_up)
    out->status = STATUS_OK;
  out->made_up = rc == 0 && answer->made_up && out->status == STATUS_OK;
  if (got >= 0)
    close(got);
  free(both);
  free(answer);
  return 0;
}
