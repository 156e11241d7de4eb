/* SPDX-License-Identifier: Apache-2.0 */
/* target.h: who tries variants: worker.c those of C kernels, gpu/executor.c those of
 * CUDA kernels. */
#ifndef AUTOTUNE_EXECUTOR_H
#define AUTOTUNE_EXECUTOR_H

#include "compile/jit.h"
#include "base/base.h"

/* ---- trials ---------------------------------------------------------------------- */

/* Occupancy and the like of a CUDA variant: features of the model, and in the report. */
struct gpu_facts {
  int registers, spilled; /* of a thread: 32-bit, bytes of local memory */
  int static_shared;      /* bytes */
  int blocks;             /* active on a multiprocessor */
  double occupancy;       /* share of a multiprocessor's warps */
  double waves,
      tail; /* grid ÷ blocks that run at once; share of the last wave that is empty */
};
struct trial {
  enum status status;
  char
      message[256]; /* what went wrong: "SIGSEGV", "C[0:n]: element 17 is 1.5, not 1.0" */
  double *samples;
  unsigned n_samples; /* seconds of one call, in order, divided by PACE; malloc'ed */
  double verify_seconds, time_seconds, load_seconds;
  double slowdown; /* how many times as long as usual the rival took beside it; 1: no
                      rival */
  bool has_facts;
  struct gpu_facts facts; /* of a CUDA variant that was loaded */
};
struct trial_plan {
  double limit;      /* seconds one run may take before the worker is killed */
  double budget;     /* seconds for all samples */
  double stop_above; /* seconds: stop sampling once clearly slower; 0: never */
  unsigned min_samples, max_samples;
  double precision; /* share: stop when the interval is inside */
  bool verify;      /* also after the last timed run */
  uint64_t
      rival; /* ticket of a right variant that runs in turns with this one, if the worker
                has it loaded, to tell a slow variant from a slow moment; 0: none */
  double rival_seconds;          /* what that one takes */
  struct autotune_launch launch; /* of a CUDA variant; of C kernels nothing */
};

/* ---- worker.c: the zygote and its workers (their parts: sandbox.h) --------------- */

struct worker_pool;
/* Forks the zygote and waits until it has its image. Must be called before any thread is
 * started. JIT may be NULL (then only the default can run). NULL and *MESSAGE (malloc'ed)
 * on failure. */
struct worker_pool *worker_start(const struct autotune_kernel *k, void *const *args,
                                 const struct jit_api *jit, char **message);
/* What `describe` said of this call, and whether outputs can be compared. */
void worker_call(const struct worker_pool *w, double *flops, double *bytes,
                 bool *verified);
double worker_touched(const struct worker_pool *w); /* bytes of all sections */
/* Runs the default variant: fills the reference outputs, times it, and checks that it
 * repeats them. Must come first. 0, or -1 when no worker can be had any more. */
int worker_reference(struct worker_pool *w, const struct trial_plan *plan,
                     struct trial *out);
/* Loads (once: by TICKET), checks (once) and times one variant; ticket 0 is the default
 * variant. 0, or -1 when no worker can be had any more. */
int worker_try(struct worker_pool *w, uint64_t ticket, const void *object, size_t size,
               const struct trial_plan *plan, struct trial *out);
double worker_cost(
    const struct worker_pool *w);        /* seconds of CPU that the sandbox has taken */
void worker_stop(struct worker_pool *w); /* no process is left */

/* ---- one table ------------------------------------------------------------------- */

struct executor; /* one tuning's */
struct plan;
struct executor_class {
  const char *name;
  const char *place; /* where the default ran first, for people: "in the sandbox" */
  /* The functions of worker.c, whose comments hold. PLAN: what is wanted of the tuning.
   */
  struct executor *(*start)(const struct autotune_kernel *k, void *const *args,
                            const struct jit_api *jit, const struct plan *plan,
                            char **message);
  void (*call)(const struct executor *e, double *flops, double *bytes, bool *verified);
  double (*touched)(const struct executor *e);
  int (*reference)(struct executor *e, const struct trial_plan *plan, struct trial *out);
  int (*try)(struct executor *e, uint64_t ticket, const void *object, size_t size,
             const struct trial_plan *plan, struct trial *out);
  double (*cost)(const struct executor *e);
  void (*stop)(struct executor *e);
};
extern const struct executor_class executor_cpu, executor_cuda;

#endif
