/* SPDX-License-Identifier: Apache-2.0 */
/* run.h: the parts of run.c, grouped by file.
 *
 *   memory.c    copies on the device, or on the host where the device has no room
 *   compare.c   the kernel that compares, counts, nudges and hashes (compare.cu.h)
 *   host.c      the same on the host (host.h)
 *   rounding.c  how far rounding moves outputs
 *   imagine.c   compares on data that the call does not have
 *   load.c      cubins become functions, with what is known of them
 *   once.c      one run: launched, waited for, and what an error means
 *   sample.c    many runs: how long they take
 *   run.c       what is checked and put back around them
 *   look.c      whether the call's data say little
 *   snapshot.c  what is saved before
 *   share.c     the way of all that into another process
 */
#ifndef AUTOTUNE_GPU_RUN_H
#define AUTOTUNE_GPU_RUN_H

#include "gpu.h"
#include "run/weak.h"

/* CUresult, by its documented numbers. */
enum {
  GPU_OUT_OF_MEMORY = 2,
  GPU_NOT_FOUND = 500,
  GPU_NOT_READY = 600,
  GPU_LAUNCH_TIMEOUT = 702,
  GPU_TOO_LATE = -2 /* ours: it has not ended within its limit */
};

/* ---- memory.c -------------------------------------------------------------------- */

/* Memory allocated by this library: on the device, or pinned on the host, where the
 * device sees it at the same address. */
struct gpu_buffer {
  gpu_pointer at;
  size_t bytes;
  bool host;
};
/* Returns the bytes of host memory that may be used for copies: half of what is free. */
size_t gpu_host_room(void);
/* Allocates B; BYTES may be 0. False and WHY: neither device nor host has room.
 * ON_DEVICE: only the device will do. */
bool gpu_buffer_make(const struct gpu_api *api, struct gpu_buffer *b, size_t bytes,
                     bool on_device, char *why, size_t size);
void gpu_buffer_free(const struct gpu_api *api, struct gpu_buffer *b);
/* Copy from the device into B, and from B to the device; queued on S. */
gpu_result gpu_buffer_save(const struct gpu_api *api, const struct gpu_buffer *b,
                           gpu_pointer from, gpu_stream s);
gpu_result gpu_buffer_load(const struct gpu_api *api, const struct gpu_buffer *b,
                           gpu_pointer to, gpu_stream s);

/* ---- run.c ----------------------------------------------------------------------- */

/* A region, in this process. */
struct piece {
  const struct gpu_region *region;  /* its base is this process's */
  struct gpu_buffer saved;          /* what it held before the call */
  struct gpu_buffer expected;       /* what the default wrote */
  double scale;                     /* of EXPECTED, where TOLERANCE needs it */
  struct tolerance tolerance;       /* the region's, with that scale; its atols and bits
                                       are those of MEASURED */
  char *measured;                   /* atols, then bits; malloc'ed; NULL: not measured */
  struct gpu_buffer measured_there; /* the same, where the device sees it */
  uint64_t hash;                    /* of what is only read */
};
/* Memory next to the regions that no variant may write. */
struct fence {
  gpu_pointer base;
  size_t bytes;
  struct gpu_buffer saved;
  bool off; /* the kernel as written changes it */
  const char *name;
};
/* The rest of an allocation, without its regions and fences: in a helper no variant may
 * write there either. */
struct rest {
  gpu_pointer base;
  size_t bytes;
  uint64_t hash;
  bool off; /* it changed while the kernel as written ran */
  const char *name;
};
struct loaded {
  uint64_t ticket;
  gpu_module module;
  gpu_function function;
  struct autotune_launch launch;
  void **args; /* malloc'ed, with the prepared ones; NULL: the call's */
  struct gpu_facts facts;
  bool checked;
};
/* The largest deviation from the default's outputs in one trial. */
struct gpu_deviation {
  bool known; /* outputs were compared */
  struct deviation d;
  char where[96]; /* "C[17]" */
};
enum { FENCES = 2 * GPU_REGIONS, RESTS = 2 * GPU_REGIONS };

struct gpu_run {
  const struct gpu_api *api;
  struct gpu_call call; /* with the addresses of this process */
  bool copied;          /* in a helper: all memory is ours */
  const struct gpu_info *info;
  gpu_context context;
  gpu_stream stream;
  gpu_event from, to;
  void *args[GPU_MAX_ARGS];
  gpu_pointer origins[GPU_REGIONS]; /* in a helper: where the allocations were in the
                                       program */
  int (*original)(const struct autotune_launch *, void *const *);
  struct gpu_buffer
      copies[GPU_REGIONS + GPU_SYMBOLS]; /* of allocations, then of symbols */
  char *names;                           /* in a helper: what the call's names point to */
  struct piece pieces[GPU_REGIONS];      /* call.n_regions of them */
  struct fence fences[FENCES];
  unsigned n_fences;
  struct rest rests[RESTS];
  unsigned n_rests;
  struct loaded *loaded;
  unsigned n_loaded;
  struct gpu_buffer flush; /* twice the L2 cache, zeros; made when it is wanted first */
  double busy_until;       /* measure_clock: the device had work for us; 0: never */
  struct gpu_compare *compare;
  struct gpu_deviation deviation;
  void (*announce)(double seconds); /* in a helper: a kernel is launched that may take so
                                       long; -1: it has ended */
  bool restores;                    /* something is put back between the runs */
  bool warm;                        /* a variant has run here before */
  bool lost;                        /* the context is */
  bool stuck; /* a kernel does not end: not even memory can be freed */
};

/* The state that gpu_enter saves: until gpu_leave our context is current, and other
 * threads may capture streams. */
struct gpu_scope {
  gpu_context before;
  int mode;
};
void gpu_enter(struct gpu_run *r, struct gpu_scope *s);
void gpu_leave(struct gpu_run *r, const struct gpu_scope *s);
/* Creates a run without memory: context, stream, events. Freed by gpu_run_free. NULL
 * and WHY on failure. */
struct gpu_run *gpu_run_begin(const struct gpu_api *api, const struct gpu_call *call,
                              char *why, size_t size);
/* Waits for the queued work. False and WHY on failure. */
bool gpu_run_wait(struct gpu_run *r, char *why, size_t size);
/* True if E is success. Else WHY says which error, and of what. */
bool gpu_tell(struct gpu_run *r, gpu_result e, const char *doing, char *why, size_t size);

/* Begins and ends a function of gpu.h that runs variants: sets A, and restores the call's
 * memory. gpu_run_started: false, and A says why, if the context is lost. */
bool gpu_run_started(const struct gpu_run *r, struct gpu_answer *a);
void gpu_run_finished(struct gpu_run *r, const struct gpu_scope *s, struct gpu_answer *a);
/* Queues the restoring of memory as before the call; outputs that are only written get a
 * pattern, and workspaces if SCRATCH. */
gpu_result gpu_make_ready(struct gpu_run *r, bool scratch);
/* True if all outputs are the default's. False: A says what differs. */
bool gpu_same_outputs(struct gpu_run *r, struct gpu_answer *a);
/* Runs L (NULL: the default) once on fresh data, and checks all that it leaves. KEEP: its
 * outputs become the default's. */
bool gpu_checked_run(struct gpu_run *r, const struct loaded *l, bool keep,
                     const struct trial_plan *p, struct sample *out,
                     struct gpu_answer *a);

/* ---- look.c ---------------------------------------------------------------------- */

/* After a run of the default, whose outputs are kept: writes into A why the call's data
 * say little (run/weak.h), if they do. False: A says what happened. */
bool gpu_look(struct gpu_run *r, struct gpu_answer *a);

/* Finds what the elements E of B have in common: WEAK_ZERO, WEAK_EQUAL or WEAK_NOT. */
gpu_result gpu_look_at(struct gpu_run *r, enum autotune_element e,
                       const struct gpu_buffer *b, enum weak *out);

/* ---- rounding.c ------------------------------------------------------------------ */

/* Frees what was measured, and compares without it. */
void gpu_run_forget(struct gpu_run *r);

/* ---- snapshot.c ------------------------------------------------------------------ */

/* Makes the buffers for saving and comparing, the fences and the arguments, and saves.
 * The call's addresses must be final. False and WHY on failure. */
bool gpu_run_prepare(struct gpu_run *r, char *why, size_t size);
/* Makes the buffers of region I, and saves what it holds. False and WHY on failure. */
bool gpu_piece_make(struct gpu_run *r, unsigned i, char *why, size_t size);

/* ---- once.c ---------------------------------------------------------------------- */

/* Runs L (NULL: the default) N times, and waits at most N times the limit of PLAN (0:
 * very long). True, and *OUT is the mean run, measured as PLAN says; else A says what
 * happened. */
bool gpu_once(struct gpu_run *r, const struct loaded *l, unsigned n,
              const struct trial_plan *plan, struct sample *out, struct gpu_answer *a);
/* Notes in A an error of a driver call other than a launch. True: E is success. */
bool gpu_good(struct gpu_run *r, gpu_result e, const char *doing, struct gpu_answer *a);
/* Waits at most LIMIT seconds for the work queued on our stream. */
gpu_result gpu_await(struct gpu_run *r, double limit);

/* ---- share.c --------------------------------------------------------------------- */

/* Replaces addresses of the program's memory in BYTES, the argument ARG of the call, by
 * those of the copies. In the program nothing changes. False: the driver refuses a tensor
 * map. */
bool gpu_translate(struct gpu_run *r, unsigned arg, unsigned char *bytes);

/* ---- load.c ---------------------------------------------------------------------- */

struct loaded *gpu_loaded(struct gpu_run *r, uint64_t ticket); /* NULL: it is not */
/* Loads V, which is not loaded. NULL: A says why. */
struct loaded *gpu_load(struct gpu_run *r, const struct gpu_variant *v,
                        struct gpu_answer *a);
void gpu_unload(struct gpu_run *r, struct loaded *l);

/* ---- sample.c -------------------------------------------------------------------- */

/* Fills in A's samples. FIRST: the checked run; seconds below 0: there was none. L NULL:
 * the default. False: A says what happened. */
bool gpu_sample(struct gpu_run *r, const struct loaded *l, const struct trial_plan *p,
                struct sample first, struct gpu_answer *a);
/* Restores what is read and written; queued. */
gpu_result gpu_put_back(struct gpu_run *r);

/* ---- compare.c ------------------------------------------------------------------- */

struct gpu_compare;
/* Makes the comparison for this process and R's context. NULL: no NVRTC, so the host
 * compares. */
struct gpu_compare *gpu_compare_new(struct gpu_run *r);
/* Returns the cubin of the comparison, which another process adopts instead of compiling;
 * it lives as long as the process. */
const void *gpu_compare_code(struct gpu_run *r, size_t *bytes);
void gpu_compare_adopt(struct gpu_run *r, const void *code, size_t bytes);
void gpu_compare_free(struct gpu_run *r, struct gpu_compare *c);
/* Queues a read of all of B, which holds zeros, on the device. *E: what the driver says.
 * False: there is no kernel for it. */
bool gpu_read(struct gpu_run *r, const struct gpu_buffer *b, gpu_result *e);
/* Compares GOT with EXPECTED (both of BYTES; either may be pinned host memory). *SAME:
 * they agree, and MOST, unless it is NULL, is updated as by verify_difference; else
 * MESSAGE: "element 17 is 1.5 instead of 1 (one of 4096)". T has its atol. MEASURED: T's
 * atols, then its bits, where the device sees them; NULL: T has neither. */
gpu_result gpu_compare(struct gpu_run *r, enum autotune_element e, struct tolerance t,
                       const struct gpu_buffer *measured,
                       const struct gpu_buffer *expected, gpu_pointer got, bool *same,
                       struct deviation *most, char *message, size_t size);
/* Computes the scale of the finite elements of B (verify_scale, also for ZEROS); unless
 * BEFORE is NULL, only of those that differ from BEFORE. *COUNT: the number of such
 * elements. */
gpu_result gpu_scale(struct gpu_run *r, enum autotune_element e,
                     const struct gpu_buffer *b, const struct gpu_buffer *before,
                     bool zeros, double *out, unsigned long long *count);
/* verify_nudge, verify_far and verify_move of memory of the device. CHANGED is added to.
 * BITS: on the device, a bit for each element; where the host compares, N's bits are
 * used. */
gpu_result gpu_nudge(struct gpu_run *r, enum autotune_element e, gpu_pointer p,
                     size_t bytes, unsigned digits, unsigned seed, size_t *changed);
gpu_result gpu_far(struct gpu_run *r, enum autotune_element e,
                   const struct gpu_buffer *reference, gpu_pointer other, double limit,
                   size_t *moved, size_t *far);
gpu_result gpu_move(struct gpu_run *r, enum autotune_element e,
                    const struct gpu_buffer *reference, gpu_pointer other,
                    const struct gpu_buffer *bits, struct verify_noise *n,
                    struct verify_moves *m);
/* Hashes BYTES at P; hashes are only comparable within one run. */
gpu_result gpu_hash(struct gpu_run *r, gpu_pointer p, size_t bytes, uint64_t *out);

#endif
