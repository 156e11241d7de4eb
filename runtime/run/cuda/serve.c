// SPDX-License-Identifier: Apache-2.0
// serve.c: carries out the tuner's requests while the program waits in a launch: runs the
// default, runs variants that have passed in the helper, and shares the memory of the
// call with the helper.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/channel.h"
#include "run/target.h"
#include "serve.h"

static struct {
  const struct autotune_kernel *kernel; // NULL: nothing is open
  struct gpu_call *call;
  struct gpu_prepared *prepared; // NULL: nothing is
  struct gpu_run *run;           // NULL: the program does not wait
  struct gpu_answer *reference;  // these only if the program does not wait
  struct gpu_shared *shared;
  int file;
} serve = { .file = -1 };

struct serve_inheritance serve_inherit(void) {
  return (struct serve_inheritance){ serve.call, serve.prepared, serve.reference,
                                     serve.shared, serve.file };
}

void serve_moved(int file) {
  serve.file = file;
}

// ---- beginning and end --------------------------------------------------------------

// At least three samples, and as many as half a second allows.
static const struct trial_plan reference_plan = {
  .limit = 30,
  .budget = 0.5,
  .min_samples = 3,
  .max_samples = 64,
  .precision = 0.02,
  .verify = true,
};

// Prepares all that the helper needs, so that the program can continue.
static int copy_all(char *why, size_t size) {
  serve.reference = sys_malloc(sizeof *serve.reference);
  serve.shared = sys_malloc(sizeof *serve.shared);
  if (!serve.reference || !serve.shared) {
    snprintf(why, size, "no memory");
    return -1;
  }
  struct trial_plan plan = reference_plan;
  plan.objective = objective_of(serve.kernel);
  gpu_run_reference(serve.run, serve.kernel->gpu->launch, &plan, serve.reference);
  if (serve.reference->status != STATUS_OK) // the tuner reports it
    return 0;
  return gpu_run_share(serve.run, true, serve.shared, &serve.file, why, size);
}

int serve_open(const struct autotune_kernel *k, const struct call *call, bool background,
               char *why, size_t size) {
  const struct gpu_api *api = gpu_api_get(NULL);
  snprintf(why, size, "no memory");
  serve.call = sys_malloc(sizeof *serve.call);
  serve.kernel = k;
  bool open = api && serve.call &&
      gpu_prepare(k, call, &serve.prepared, why, size) == 0 &&
      gpu_call_describe(k, call->args, call->launch, serve.prepared, serve.call, why,
                        size) == 0 &&
      (serve.run = gpu_run_new(api, serve.call, why, size));
  if (open && background) {
    open = copy_all(why, size) == 0;
    gpu_run_free(serve.run);
    serve.run = NULL;
  }
  if (!open)
    serve_close();
  return open ? 0 : -1;
}

void serve_forget(void) {
  if (serve.file >= 0)
    close(serve.file);
  free(serve.call);
  gpu_prepared_free(serve.prepared);
  free(serve.reference);
  free(serve.shared);
  serve.kernel = NULL;
  serve.call = NULL;
  serve.prepared = NULL;
  serve.run = NULL; // its memory belongs to the parent
  serve.reference = NULL;
  serve.shared = NULL;
  serve.file = -1;
}

void serve_close(void) {
  if (serve.run) {
    gpu_run_restore(serve.run);
    gpu_run_free(serve.run);
  }
  serve_forget();
}

// ---- answering ----------------------------------------------------------------------

static struct gpu_offer *serve_share(const struct gpu_request *r, int *fd) {
  struct gpu_offer *o = sys_calloc(1, sizeof *o);
  if (o)
    o->shared =
        gpu_run_share(serve.run, r->snapshot, &o->memory, fd, o->why, sizeof o->why) == 0;
  if (o && !o->shared && *fd >= 0) {
    close(*fd);
    *fd = -1;
  }
  return o;
}

static void serve_try(const struct gpu_request *r, int fd, struct gpu_answer *out) {
  struct gpu_variant v = { .ticket = r->ticket, .launch = r->plan.launch };
  if (!gpu_variant_fits(serve.call, 0, r->size, r->ticket ? r->prepared : 0, out))
    return;
  unsigned char *cubin = r->ticket ? channel_map(fd, r->size) : NULL;
  v.cubin = cubin;
  v.size = r->ticket ? r->size - r->prepared : 0;
  if (cubin && r->prepared)
    v.prepared = cubin + v.size;
  if (!r->ticket)
    v.launch = serve.call->asked;
  if (r->ticket && !cubin) {
    out->status = STATUS_LOAD;
    snprintf(out->message, sizeof out->message, "no memory for its code");
    return;
  }
  gpu_run_try(serve.run, &v, &r->plan, out);
  if (cubin)
    munmap(cubin, r->size);
}

static void serve_tolerate(const struct gpu_request *r, int fd, struct gpu_answer *out) {
  void *file = channel_map(fd, r->size);
  bool used = file && gpu_run_tolerate(serve.run, file, r->size);
  out->status = used ? STATUS_OK : STATUS_LOAD;
  if (file)
    munmap(file, r->size);
}

void *serve_answer(const void *request, size_t size, int fd, size_t *answer_size,
                   int *answer_fd) {
  struct gpu_request r;
  *answer_fd = -1;
  if (!serve.run || size != sizeof r)
    return NULL;
  memcpy(&r, request, sizeof r);
  *answer_size = sizeof(struct gpu_offer);
  if (r.what == GPU_SHARE)
    return serve_share(&r, answer_fd);
  struct gpu_answer *out = sys_calloc(1, sizeof *out);
  *answer_size = sizeof *out;
  if (out && r.what == GPU_REFERENCE)
    gpu_run_reference(serve.run, serve.kernel->gpu->launch, &r.plan, out);
  else if (out && r.what == GPU_TOLERATE)
    serve_tolerate(&r, fd, out);
  else if (out)
    serve_try(&r, fd, out);
  return out;
}
