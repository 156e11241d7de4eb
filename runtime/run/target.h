/* SPDX-License-Identifier: Apache-2.0 */
/* target.h: the interface of targets, on which variants run. The rest of the library
 * asks the kernel's target (target_of) and knows no target by name.
 *
 *   target.c    the table of targets
 *   measure.c   the time of a variant
 *   verify.c    compares outputs with the default's
 *   covered.c   what was compared, for people
 *   cpu/        this processor: a sandbox of processes for C kernels
 *   cuda/       NVIDIA's devices: a helper process and the program itself */
#ifndef AUTOTUNE_TARGET_H
#define AUTOTUNE_TARGET_H

#include "base/base.h"
#include "model/kernel.h"
#include "model/objective/objective.h"
#include "model/record.h"
#include "made_up.h"

/* ---- trials ---------------------------------------------------------------------- */

struct trial {
  enum status status;
  char
      message[256]; /* what went wrong: "SIGSEGV", "C[0:n]: element 17 is 1.5, not 1.0" */
  char note[160]; /* what the user should know of the kernel although all is right; "" */
  /* Memory without a section, in which it leaves other bytes than the default although
   * all else is right; "": none. Perhaps it is only a workspace. */
  char unnamed[128];
  char deviation[128];   /* the largest from the default, for people; "": not known */
  double deviation_part; /* of what is allowed */
  char weak[160]; /* of the default: why the call's data say little, as in struct summary
                   */
  unsigned made_up; /* of `imagine`: sets on which it agreed */
  /* Of `imagine`: its least seconds on such a set, and the default's; 0: not known. */
  double made_up_seconds, made_up_original;
  bool unwatched;  /* it may win, and what it changes besides sections is not known */
  double *samples; /* costs of one call, in order, as measured; malloc'ed */
  unsigned n_samples;
  double run_seconds; /* of one call: the mean */
  double verify_seconds, time_seconds, load_seconds;
  double
      slowdown; /* how many times its usual cost the rival had meanwhile; 1: no rival */
  bool unmeasured; /* of the reference: as `defer` allows */
  bool has_features;
  struct features features; /* what is known once it is loaded; NAN where unknown */
};
struct trial_plan {
  enum objective_kind objective; /* what samples measure */
  double limit;      /* seconds one run may take before the worker is killed */
  double budget;     /* seconds for all samples */
  double stop_above; /* cost: stop sampling once clearly above; 0: never */
  unsigned min_samples, max_samples;
  double precision; /* fraction: stop when the interval is inside */
  bool verify;      /* also after the last timed run */
  bool part;        /* the object does a part of the work: it is another one than the
                       ticket's, and nothing is compared */
  bool defer; /* of the reference: where a run takes long, how far rounding moves the
                 outputs need not be measured before `rounding` is called. Until
                 then numbers may differ by the relative tolerance alone, which is
                 stricter */
  bool watch; /* look for changes besides sections, however long that takes */
  uint64_t
      rival; /* ticket of a right variant that runs in turns with this one, if the worker
                has it loaded, to tell a slow variant from a slow moment; 0: none */
  struct sample rival_sample;    /* its usual run; cost 0: not known */
  struct autotune_launch launch; /* of the variant, where kernels are launched */
  const choice *point; /* the variant's, where kernels are launched; lives as long as the
                          trial, in this process only. NULL: the kernel as written */
};

/* How a variant is checked on made-up data. */
struct imagined {
  struct trial_plan plan; /* its budget: seconds for all of it */
  double expected;        /* seconds for one set */
  unsigned sets;          /* a bit for each that is wanted */
  struct made_up_wish wish;
};

/* Two builds of a kernel that round each operation as their text says. */
struct strict_pair {
  const void *reference, *object;
  size_t reference_size, size;
  bool written; /* the reference is the kernel as written; else it is a variant */
};

/* ---- one table ------------------------------------------------------------------- */

struct executor;    /* one tuning's, in the tuner */
struct target_code; /* what a target has loaded into the program */

/* How an installed variant is called. */
struct variant_code {
  autotune_fn function; /* what calls jump to; the default's where the target launches */
  struct target_code *loaded; /* for `launch` and `unload`; NULL: the default */
  uint64_t constants; /* parts of the key that are constants in it: it is right for no
                         others (model/constants.h) */
};
/* The parts of a result's identity that describe what it was measured on. */
struct target_identity {
  const char *cpu, *isa; /* live as long as the process */
  unsigned threads;      /* that kernels may use; 0: they do not matter */
  const char *toolchain; /* NULL: not known, or several */
  enum device_kind device;
};
/* In the tuner: asks the program. Sends SIZE bytes of REQUEST, and FD unless it is -1, to
 * `serve`. Waits at most SECONDS for an answer of ANSWER_SIZE bytes and its descriptor
 * (*GOT, owned by the caller, or -1; GOT NULL: none is expected). False: no answer
 * came. */
typedef bool target_ask_fn(void *data, const void *request, size_t size, int fd,
                           void *answer, size_t answer_size, int *got, double seconds);
/* The conditions under which an executor works. */
struct executor_wish {
  bool background;    /* the program goes on, and cannot be asked for anything */
  unsigned team;      /* threads that make the call at the same time: so many copies run
                         while one is timed; 0 and 1: it is alone */
  bool nests;         /* TEAM: a region within the call has threads of its own */
  bool trusted;       /* all variants that will be tried were right before */
  autotune_fn loaded; /* not NULL: the only variant, which the program has loaded; `try`
                         gets no object */
  bool prepared;      /* `prepare` was called; else nothing is loaded but LOADED */
  target_ask_fn *ask; /* called with ASK_DATA; NULL: there is no program to ask */
  void *ask_data;
};
#define TICKET_WRITTEN UINT64_MAX       /* for `try` */
#define TICKET_PART (UINT64_C(1) << 62) /* a bit of tickets: the object of a part */
enum { TARGET_LOST = -2 };              /* from `launch` */

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
  /* Finds what a result for P is compared with on this machine: the same device if it
   * is here, else another one. False: such a result is not of this target. */
  bool (*identify_like)(const struct problem *p, struct target_identity *out);
  /* Returns the numbers that constraints may use. They live as long as the process. */
  const struct autotune_machine *(*machine)(const struct autotune_kernel *k,
                                            const long long *key);
  /* As kernel_extent asks; NULL: it cannot be told. */
  extent_bytes *bytes_at;
  /* Returns what is missing to make and try variants of K for KEY ("default: …"), and
   * logs it once; NULL: nothing. */
  const char *(*lacks)(const struct autotune_kernel *k, const long long *key);

  /* ---- in the program, around a session; each may be NULL */
  /* True if a tuner of K can be forked now. */
  bool (*may_fork)(const struct autotune_kernel *k);
  /* Returns the number of threads of the parallel region that this call is in; 1: none.
   * *NESTS: a region within it has threads of its own. */
  unsigned (*team)(bool *nests);
  bool takes_loaded; /* `start` takes a wish for `loaded` */
  void (*before_fork)(void);
  /* Called in a tuner that works in the background, and then in the program that waits
   * for it: copies the pages that the call may write and that both still share. */
  void (*own)(const struct autotune_kernel *k, const struct call *call);
  /* Describes the call and saves what it may write; BACKGROUND: also measures the default
   * and copies what is read. 0; -1 and WHY (of SIZE): this call cannot be tuned. */
  int (*open)(const struct autotune_kernel *k, const struct call *call, bool background,
              char *why, size_t size);
  /* Carries out a REQUEST (SIZE bytes) of the executor, with FD or -1. Returns the answer
   * (malloc'ed, *ANSWER_SIZE bytes); *ANSWER_FD: its descriptor, owned by the caller, or
   * -1. NULL: no answer. */
  void *(*serve)(const void *request, size_t size, int fd, size_t *answer_size,
                 int *answer_fd);
  void (*close)(void);  /* the call's memory is as before; also where nothing is open */
  void (*forget)(void); /* of a child that was forked by the program for its own ends */
  /* `inherited` returns the descriptor that the tuner needs, or -1; `moved` tells its
   * number in the tuner. */
  int (*inherited)(void);
  void (*moved)(int fd);

  /* ---- in the program, for its calls */
  /* Loads the variant at PATH, with VALUES ("MR=6\nNR=64\n"), for KEY. False and *MESSAGE
   * (malloc'ed): it cannot be. */
  bool (*load)(const struct autotune_kernel *k, const long long *key, const char *path,
               const char *values, struct variant_code *out, char **message);
  void (*unload)(struct target_code *code);
  /* NULL if kernels are called and not launched. Returns 0 if it launched;
   * AUTOTUNE_LAUNCH_DEFAULT: the default must be launched; TARGET_LOST: the same from now
   * on, and `lost` says why. Nothing has run unless it returns 0. */
  int (*launch)(struct target_code *code, const struct call *call);
  void (*lost)(const struct target_code *code, char *why, size_t size);
  /* Returns why calls with KEY can neither be looked up nor tuned; NULL: they can. */
  const char *(*obstacle)(const struct autotune_kernel *k, const long long *key);
  /* True while launches are recorded and not run: nothing may be measured or loaded. */
  bool (*records)(const struct call *call);
  /* Called before and after all driver work but a launch, so that recordings of other
   * threads go on. The result of PAUSE is passed to RESUME. */
  int (*pause)(void);
  void (*resume)(int before);

  /* ---- in the tuner: tries variants */
  /* Loads what START requires. False and *MESSAGE on failure. NULL: nothing to load. */
  bool (*prepare)(const struct autotune_kernel *k, char **message);
  /* Starts an executor; called before any thread is started. NULL and *MESSAGE
   * (malloc'ed) on failure. */
  struct executor *(*start)(const struct autotune_kernel *k, const struct call *call,
                            const struct executor_wish *wish, char **message);
  /* Gets what `describe` said of this call, and whether outputs can be compared. */
  void (*call)(const struct executor *e, double *flops, double *bytes, bool *verified);
  double (*touched)(const struct executor *e); /* bytes of all sections */
  /* The seconds of page faults that this call takes in the program, and no trial. NULL:
   * none. */
  double (*cold)(const struct executor *e);
  /* Writes what is compared of this call, for people. NULL: not known. */
  void (*covered)(const struct executor *e, char *text, size_t size);
  /* Runs the default variant: keeps its outputs as the reference, times it, and checks
   * that it repeats them. Must come first. 0, or -1: nothing can be tried any more. */
  int (*reference)(struct executor *e, const struct trial_plan *plan, struct trial *out);
  /* Measures what the reference left out, which took SECONDS. 0, or -1: nothing can be
   * tried any more. NULL: it leaves nothing out. */
  int (*rounding)(struct executor *e, const struct trial_plan *plan, double seconds);
  /* After that: learns from OBJECT, the kernel as written by the variants' compiler, how
   * far rounding alone moves the outputs. 0, or -1: nothing can be tried any more. NULL:
   * the target does not use it. */
  int (*written)(struct executor *e, const void *object, size_t size,
                 const struct trial_plan *plan, struct trial *out);
  /* Loads (once: by TICKET), checks (once) and times one variant; ticket 0 is the
   * default, TICKET_WRITTEN the kernel as written, which only works where `times_written`
   * is set. 0, or -1: nothing can be tried any more. */
  int (*try)(struct executor *e, uint64_t ticket, const void *object, size_t size,
             const struct trial_plan *plan, struct trial *out);
  bool times_written;
  /* Compares a right variant with the default on data that this call does not have. OUT:
   * its status, and how many sets were used. 0, or -1: nothing can be tried any more.
   * NULL: that cannot be done here. */
  int (*imagine)(struct executor *e, uint64_t ticket, const void *object, size_t size,
                 const struct imagined *what, struct trial *out);
  /* Runs the reference of PAIR twice and the other build of it on this call's data, and
   * compares what they write bit for bit. OUT's status is OK: all are the same; WRONG:
   * the message names a number that differs, and the deviation is the largest; PENDING:
   * the reference does not repeat itself, or does not run. 0, or -1: nothing can be tried
   * any more. NULL: that cannot be done here. */
  int (*strict)(struct executor *e, const struct strict_pair *pair,
                const struct trial_plan *plan, struct trial *out);
  /* Links OBJECT into the file PATH, which `load` takes. False and *WHY (malloc'ed) on
   * failure. */
  bool (*link)(const void *object, size_t size, const char *path, char **why);
  /* Adds the features that are known of OBJECT before it runs. NULL: none are. */
  void (*look)(const void *object, size_t size, struct features *out);
  double (*cost)(const struct executor *e); /* seconds of CPU that it has taken */
  void (*stop)(struct executor *e);         /* no process is left */
};
extern const struct target target_cpu, target_cuda;

/* ---- target.c -------------------------------------------------------------------- */

extern const struct target *const targets[]; /* NULL-terminated; the first that applies */
const struct target *target_of(const struct autotune_kernel *k);
/* Returns the number of K's keys that are stored: the first ones. */
unsigned target_stored_keys(const struct autotune_kernel *k);
/* True where a tuner may be forked for K now. */
bool target_may_fork(const struct autotune_kernel *k);
/* Returns kernel_extent of a CALL of K. */
uint64_t target_extent(const struct autotune_kernel *k, const struct call *call);
/* Returns the number of threads that make this call of K at the same time, as far as that
 * is known. *NESTS: as for `team`. */
unsigned target_team(const struct autotune_kernel *k, bool *nests);
/* Calls `close` or `forget` of all targets. */
void targets_close(void);
void targets_forget(void);
/* Returns the descriptor that a tuner of K needs, or -1. */
int target_inherited(const struct autotune_kernel *k);

#endif
