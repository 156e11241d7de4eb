/* SPDX-License-Identifier: Apache-2.0 */
/* target.h: what variants run on. The rest of the library asks the kernel's target
 * (target_of) and knows none by name.
 *
 *   target.c    the table of targets
 *   verify.c    whether outputs agree with the default's
 *   cpu/        this processor: a sandbox of processes for C kernels
 *   cuda/       NVIDIA's devices: a helper process and the program itself for CUDA
 * kernels */
#ifndef AUTOTUNE_TARGET_H
#define AUTOTUNE_TARGET_H

#include "base/base.h"
#include "model/kernel.h"
#include "model/record.h"

/* ---- trials ---------------------------------------------------------------------- */

struct trial {
  enum status status;
  char
      message[256]; /* what went wrong: "SIGSEGV", "C[0:n]: element 17 is 1.5, not 1.0" */
  double *samples;
  unsigned n_samples; /* seconds of one call, in order, divided by SLOWDOWN; malloc'ed */
  double verify_seconds, time_seconds, load_seconds;
  double slowdown; /* how many times as long as usual the rival took beside it; 1: no
                      rival */
  bool has_features;
  struct features features; /* what is known once it is loaded; NAN where unknown */
};
struct trial_plan {
  double limit;      /* seconds one run may take before the worker is killed */
  double budget;     /* seconds for all samples */
  double stop_above; /* seconds: stop sampling once clearly slower; 0: never */
  unsigned min_samples, max_samples;
  double precision; /* fraction: stop when the interval is inside */
  bool verify;      /* also after the last timed run */
  uint64_t
      rival; /* ticket of a right variant that runs in turns with this one, if the worker
                has it loaded, to tell a slow variant from a slow moment; 0: none */
  double rival_seconds;          /* what that one takes */
  struct autotune_launch launch; /* of the variant, where kernels are launched */
};

/* ---- one table ------------------------------------------------------------------- */

struct executor;    /* one tuning's, in the tuner */
struct target_code; /* what a target has loaded into the program */

/* What an installed variant is called by. */
struct variant_code {
  autotune_fn function; /* what calls jump to; the default's where the target launches */
  struct target_code *loaded; /* for `launch` and `unload`; NULL: the default */
};
/* What of a result belongs to what it was measured on. */
struct target_identity {
  const char *cpu, *isa; /* live as long as the process */
  unsigned threads;      /* that kernels may use; 0: they do not matter */
  const char *toolchain; /* NULL: not known, or several */
  enum device_kind device;
};
/* What is wanted of an executor. */
struct executor_wish {
  bool background; /* the program goes on, and can be asked nothing */
  bool trusted;    /* all that will be tried has been right before */
};
enum { TARGET_LOST = -2 }; /* from `launch` */

struct target {
  const char *name;  /* "cpu" */
  const char *place; /* where the default runs first, for people: "in the sandbox" */
  bool on_host;      /* variants run on the processor that compiles, by threads that a
                        fork may not find in the midst of work */
  bool
      synchronous; /* a call returns when the kernel has ended, so that it can be timed */
  unsigned hidden_keys; /* of the last keys: they say where a call runs, and are no part
                           of what is stored */
  /* True if K's calls run here. */
  bool (*applicable)(const struct autotune_kernel *k);

  /* ---- what is here */
  void (*identify)(const struct autotune_kernel *k, const long long *key,
                   struct target_identity *out);
  /* What a result for P is to be compared with on this machine: the same device where it
   * is here, else another. False: such a result is not of this target. */
  bool (*identify_like)(const struct problem *p, struct target_identity *out);
  /* What constraints may ask. Lives as long as the process. */
  const struct autotune_machine *(*machine)(const struct autotune_kernel *k,
                                            const long long *key);
  /* "default: …", what is missing to make variants, once also logged; NULL: nothing. */
  const char *(*lacks)(void);

  /* ---- in the program, around a session; each may be NULL */
  /* False: a tuner cannot be forked now. */
  bool (*may_fork)(void);
  void (*before_fork)(void);
  /* Describes the call and saves what it may write; BACKGROUND: also measures the default
   * and copies what is read. 0; -1 and WHY (of SIZE): this call cannot be tuned. */
  int (*open)(const struct autotune_kernel *k, const struct call *call, bool background,
              char *why, size_t size);
  /* Does what a REQUEST (SIZE bytes) of the executor's asks for, with FD or -1. The
   * answer (malloc'ed, *ANSWER_SIZE bytes) and the descriptor that goes with it, the
   * caller's, or -1. NULL: there is none. */
  void *(*serve)(const void *request, size_t size, int fd, size_t *answer_size,
                 int *answer_fd);
  void (*close)(void);  /* the call's memory is as before; also where nothing is open */
  void (*forget)(void); /* of a child that was forked by the program for its own ends */
  /* The descriptor that the tuner needs, or -1; and the number that it has there. */
  int (*inherited)(void);
  void (*moved)(int fd);

  /* ---- in the program, for its calls */
  /* Loads the variant at PATH, with VALUES ("MR=6\nNR=64\n"), for KEY. False and *MESSAGE
   * (malloc'ed): it cannot be. */
  bool (*load)(const struct autotune_kernel *k, const long long *key, const char *path,
               const char *values, struct variant_code *out, char **message);
  void (*unload)(struct target_code *code);
  /* Where kernels are launched, else NULL. 0: launched; AUTOTUNE_LAUNCH_DEFAULT: the
   * default is to be; TARGET_LOST: from now on, too, and WHY (of SIZE). Nothing has run
   * unless 0. */
  int (*launch)(struct target_code *code, const struct call *call, char *why,
                size_t size);
  /* Why calls with KEY can be neither looked up nor tuned; NULL: they can. */
  const char *(*obstacle)(const struct autotune_kernel *k, const long long *key);
  /* True while launches are recorded and not run: nothing may be measured or loaded. */
  bool (*records)(const struct call *call);
  /* Around all but a launch, so that recordings of other threads go on; PAUSE's answer is
   * for RESUME. */
  int (*pause)(void);
  void (*resume)(int before);

  /* ---- in the tuner: tries variants */
  /* Loads what must be there before START. False and *MESSAGE. NULL: nothing. */
  bool (*prepare)(const struct autotune_kernel *k, char **message);
  /* Before any thread is started. NULL and *MESSAGE (malloc'ed) on failure. */
  struct executor *(*start)(const struct autotune_kernel *k, const struct call *call,
                            const struct executor_wish *wish, char **message);
  /* What `describe` said of this call, and whether outputs can be compared. */
  void (*call)(const struct executor *e, double *flops, double *bytes, bool *verified);
  double (*touched)(const struct executor *e); /* bytes of all sections */
  /* Runs the default variant: keeps its outputs as the reference, times it, and checks
   * that it repeats them. Must come first. 0, or -1: nothing can be tried any more. */
  int (*reference)(struct executor *e, const struct trial_plan *plan, struct trial *out);
  /* Loads (once: by TICKET), checks (once) and times one variant; ticket 0 is the
   * default. 0, or -1: nothing can be tried any more. */
  int (*try)(struct executor *e, uint64_t ticket, const void *object, size_t size,
             const struct trial_plan *plan, struct trial *out);
  /* Makes of an OBJECT what `load` takes, as the file PATH. False and *WHY (malloc'ed).
   */
  bool (*link)(const void *object, size_t size, const char *path, char **why);
  /* What is known of an OBJECT before it runs. NULL: nothing. */
  void (*look)(const void *object, size_t size, struct features *out);
  double (*cost)(const struct executor *e); /* seconds of CPU that it has taken */
  void (*stop)(struct executor *e);         /* no process is left */
};
extern const struct target target_cpu, target_cuda;

/* ---- target.c -------------------------------------------------------------------- */

extern const struct target *const targets[]; /* NULL-terminated; the first that applies */
const struct target *target_of(const struct autotune_kernel *k);
/* The first keys of K, which are stored. */
unsigned target_stored_keys(const struct autotune_kernel *k);
/* True where a tuner may be forked for K now. */
bool target_may_fork(const struct autotune_kernel *k);
/* `close` and `forget` of all. */
void targets_close(void);
void targets_forget(void);
/* The descriptor that a tuner of K needs, or -1. */
int target_inherited(const struct autotune_kernel *k);

/* In the tuner: how executors ask the program, set once. Sends SIZE bytes of REQUEST, and
 * FD unless it is -1, to `serve`, and waits at most SECONDS for an answer of ANSWER_SIZE
 * bytes and its descriptor (*GOT, the caller's, or -1; NULL: none is expected). False:
 * there is no answer. */
typedef bool target_ask_fn(const void *request, size_t size, int fd, void *answer,
                           size_t answer_size, int *got, double seconds);
void target_set_ask(target_ask_fn *ask);
target_ask_fn *target_ask(void); /* NULL: nobody can be asked */

#endif
