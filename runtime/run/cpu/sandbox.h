/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.h: how C kernels are tried, grouped by file.
 *
 *   worker.c    in the tuner: orders workers, hands them trials, waits for answers
 *   reference.c in the tuner: the default variant, with which all others are compared
 *   imagine.c   in the tuner: a variant on made-up data
 *   strict.c    in the tuner: strict builds of two variants
 *   zygote.c    the process that holds the image of the arguments and forks workers
 *   sandbox.c   what the zygote does to itself so that no variant reaches anything else
 *   image.c     the call's sections: pristine copies, the default's outputs, comparison
 *   segments.c  cuts that memory into segments of one kind each
 *   returned.c  the memory that runs allocate and return
 *   changes.c   the memory that one run changes besides sections
 *   unnamed.c   that of the default variant: put back and compared
 *   leads.c     which pointer leads to memory
 *   groups.c    how memory of an unknown type is compared
 *   moved.c     how far rounding moves it
 *   rounding.c  how far rounding moves the outputs of the default variant
 *   remake.c    in a worker: a call with made-up data in place of the real one
 *   copies.c    copies of a worker that run side by side with it
 *   runner.c    in a worker: loads and times variants
 *   runs.c      in a worker: checked runs
 *
 * The tuner talks to the zygote by one channel, and to the living worker by another. */
#ifndef AUTOTUNE_SANDBOX_H
#define AUTOTUNE_SANDBOX_H

#include <stdatomic.h>

#include "base/channel.h"
#include "compile/jit.h"
#include "run/target.h"
#include "run/made_up.h"
#include "run/outputs.h"
#include "run/covered.h"
#include "run/verify.h"
#include "state.h"

/* ---- sandbox.c ------------------------------------------------------------------- */

struct range {
  char *base;
  size_t size;
};

/* Closes all descriptors but the N in FDS, which become 3, 4, …; 0, 1 and 2 become
 * /dev/null. 0 or -1. */
int sandbox_descriptors(int *fds, unsigned n);
/* Resets signals: default handlers, nothing blocked, no alternate stack. */
void sandbox_signals(void);
/* Makes shared writable mappings other than KEEP private copies of themselves, and device
 * memory inaccessible. 0, or -1 and *MESSAGE (malloc'ed). */
int sandbox_memory(const struct range *keep, unsigned n, char **message);
void sandbox_no_core(void);
/* True if BYTES are no more than half of the free memory, as far as that is known. */
bool sandbox_has_memory(double bytes);
/* Limits the memory and the stack of a variant. Cores are not even piped to a program. */
void sandbox_limits(void);
/* A line of /proc/self/maps. */
struct mapping {
  char *base, *end;
  int protection; /* PROT_… */
  bool shared, device, heap, file;
  const char *name; /* NAME_SIZE bytes, no NUL: a path, "[heap]" or nothing */
  size_t name_size;
};
/* Calls SEE for each mapping, in the order of addresses. False: it is not known. */
bool sandbox_each_mapping(void (*see)(const struct mapping *m, void *data), void *data);
/* Returns the writable mapping that holds ADDRESS; size 0: none. *HEAP: true if it is
 * the brk heap. */
struct range sandbox_mapping(const void *address, bool *heap);
/* True if all SIZE bytes from BASE on can be read, or if that is not known. */
bool sandbox_reads(const void *base, size_t size);
/* The same for writing; false where it is not known. */
bool sandbox_writes(const void *base, size_t size);
/* Ends this process with its parent. False: the parent is gone already. */
bool sandbox_follow(pid_t parent, int signal);

/* ---- image.c --------------------------------------------------------------------- */

enum segment_kind {
  SEGMENT_IN,
  SEGMENT_OUT,
  SEGMENT_INOUT,
  SEGMENT_SCRATCH,
  SEGMENT_TABLE /* pointers to rows, in no other section */
};
/* A stretch of memory that the call's sections cover in the same way. */
struct segment {
  char *base;
  size_t size;
  enum segment_kind kind;
  char *pristine; /* SEGMENT_INOUT, SEGMENT_TABLE: what it held before the call */
  uint64_t hash;  /* SEGMENT_IN: of what it holds */
};
struct changes;
struct unnamed;
struct rounding;
/* The largest deviation from the default's outputs. */
struct image_deviation {
  bool known; /* outputs were compared */
  struct deviation d;
  char where[96];
};
struct image {
  const struct autotune_kernel *kernel;
  void *const *args;
  autotune_fn loaded;       /* as in struct executor_wish */
  struct memories memory;   /* of the sections */
  struct segment *segments; /* by address; none overlap */
  unsigned n_segments;
  char *gathered;    /* room for a section of several pieces; NULL: there is none;
                        shared, so that writing here is no change */
  char **references; /* per section: what the default wrote; NULL: `in` */
  char *tables;      /* the pointers to rows that the default left */
  bool *exchanges; /* the default changes these pointers; in the mapping of the copies */
  struct outputs outputs;
  struct tolerance *tolerances; /* of the outputs */
  char *ret, *ret_reference;
  struct range pristine, shared; /* the mappings that hold the copies */
  struct changes *changes;       /* what the last watched run changed besides sections */
  struct unnamed *unnamed;       /* what the default variant changes besides sections */
  struct rounding *rounding;     /* NULL: no tolerance depends on it */
  struct image_deviation *deviation; /* that image_check found so far */
  double flops, bytes;
  double touched; /* bytes of all sections */
  double cold;    /* cold_seconds */
  bool verified;  /* outputs can be compared */
};
/* In the zygote: describes the call and copies what trials will change. Of M only
 * `loaded` is set. 0, or -1 and a message. */
int image_make(struct image *m, const struct autotune_kernel *k, void *const *args,
               char *message, size_t size);
/* In a worker: turns M into the image of a call with ARGS, whose data are in memory. It
 * keeps what changes.c needs. 0, or -1 and a message: M is as it was. */
int image_remake(struct image *m, void *const *args, char *message, size_t size);
/* Restores the memory of before the call, and fills outputs with a pattern; workspaces
 * too if SCRATCH. */
void image_prepare(const struct image *m, bool scratch);
void image_restore(const struct image *m);  /* restores only what is read and written */
bool image_restores(const struct image *m); /* true if image_restore does anything */
/* After a run of the default: keeps its outputs. False and a message: the sections must
 * be wrong. */
bool image_reference(struct image *m, char *message, size_t size);
/* Returns the memory of O, where runs write; of a section of several pieces a copy, which
 * lives until the next such call. */
struct range image_memory(const struct image *m, const struct output *o);
size_t image_size(const struct image *m, const struct output *o); /* of that, in bytes */
/* Returns section I as image_memory does, and puts such a copy back. */
char *image_section(const struct image *m, unsigned i);
void image_put_back(const struct image *m, unsigned i);
/* Returns what the default wrote as O; NULL: O is only read. */
const char *image_expected(const struct image *m, const struct output *o);
/* In the zygote, after the reference run, and again after each measure of rounding: makes
 * the copies read-only and computes tolerances. DEFERRED: as for rounding_settle. */
void image_seal(struct image *m, bool deferred);
/* HIDE: what the default wrote cannot be read while a variant runs that will be compared.
 */
void image_hide(const struct image *m, bool hide);
/* True if outputs (and, with INPUTS, what is only read) are as after the default. */
bool image_check(const struct image *m, bool inputs, char *message, size_t size);

/* The same for another run of the default, which must agree better: to a half of what is
 * allowed. */
bool image_repeats(const struct image *m, char *message, size_t size);
/* In a worker: gives M a reference of its own, for the next image_reference. */
bool image_part(struct image *m);
/* From now on M's outputs agree only if numbers are equal; LOOSE: unless they are very
 * far apart, so that the largest deviation is found. */
void image_demand(struct image *m, bool loose);
/* True if the reference has no more NaN and infinities than that of BEFORE. */
bool image_is_finite(const struct image *m, const struct image *before);

/* ---- segments.c ------------------------------------------------------------------ */

/* Sets the segments of M, whose memory is described. False and a message: no memory, or a
 * workspace overlaps another section. */
bool segments_make(struct image *m, char *message, size_t size);
/* Returns the first segment that ends after AT; n_segments: there is none. */
unsigned segments_find(const struct image *m, const char *at);
/* True if all of section I can be written. */
bool segments_writable(const struct image *m, unsigned i);
/* Forgets those pointers to rows in TABLES that are constants. */
void segments_keep_tables(struct memory *tables);
/* Returns the section that AT lies in. */
const char *segments_section(const struct image *m, const char *at);
/* Returns a section that is larger than the memory that it lies in; NULL: none is. It
 * would crash us while copying. */
const char *segments_too_wide(const struct image *m);

/* ---- returned.c ------------------------------------------------------------------ */

/* Returns the bytes that the C library's allocator has handed out, if the kernel has a
 * section of its result. 0: that is not known, or does not matter. Writes no memory of
 * ours. */
size_t returned_allocated(const struct image *m);
/* After a run that has allocated ALLOCATED bytes. Returns its result if that is all that
 * was allocated; NULL: there is nothing to free. */
void *returned_to_free(const struct image *m, size_t allocated);

/* ---- remake.c: a call with made-up data -------------------------------------------- */

/* In a worker: makes memory and arguments those of the set that WISH names, and M its
 * image, without a reference. The worker can be used for nothing else from now on. False
 * and a message: the call has no such set. */
bool remake(struct image *m, const struct made_up_wish *wish, char *message, size_t size);

/* After a run of the default on the real data. Returns a bit for each set that exists for
 * this call. WEAK (of SIZE): why these data say little, for people; "": they do not. */
unsigned remake_sets(const struct image *m, char *weak, size_t size);

/* ---- changes.c: the memory that one run changes besides sections ------------------ */

enum {
  CHANGES_PAGE = 4096,
  CHANGES_ENTRIES = 512,
  MAX_REGIONS = 1024,
  MAX_LEFT_OUT = 256,
  MAX_OBJECTS = 512,
  MAX_STACKS = 1024,
  MAX_CHANGES = 1 << 19,
  MAX_CHANGED = 64 << 20 /* bytes */
};
enum region_kind {
  REGION_DATA, /* of the program, or of a library of its own */
  REGION_STACK,
  REGION_HEAP /* all other private memory */
};
struct region {
  char *base;
  size_t size;
  enum region_kind kind;
};
struct change {
  char *base;
  size_t size;
  size_t at; /* of the old bytes, in `before` */
  enum region_kind kind;
};
/* In shared memory, so that writing here is no change. */
struct changes {
  bool on, known; /* this process can look; the regions are known */
  struct region regions[MAX_REGIONS];
  unsigned n_regions;
  struct range left_out[MAX_LEFT_OUT]; /* within the regions */
  unsigned n_left_out;
  struct range objects[MAX_OBJECTS]; /* data of programs and libraries */
  unsigned n_objects;
  bool apart;                      /* the heap of a kernel with OpenMP is looked at */
  struct range stacks[MAX_STACKS]; /* of the runtime's threads; not looked at */
  unsigned n_stacks;
  unsigned threads; /* that runs have needed, where more than were started before */
  unsigned started; /* before the last run */
  bool grew;        /* the last run started more: what it changes is not only its own */
  bool taken; /* one of them holds data of the call: another thread's stack before */
  struct state left; /* by the default */
  int pagemap, socket;
  pid_t keeper;   /* the process that has the old pages; -1: none */
  double seconds; /* that the last look took */
  bool lost;      /* what has changed is not known, or more than can be kept */
  unsigned n;
  size_t used;
  struct change list[MAX_CHANGES];
  uint64_t entries[CHANGES_ENTRIES];
  char page[CHANGES_PAGE], before[MAX_CHANGED];
};
/* In the zygote: finds the regions of M. False: no memory. */
bool changes_new(struct image *m);
/* In a worker, once. */
void changes_open(const struct image *m);
/* Before a run that is looked at: starts the threads of OpenMP, as many as runs have
 * needed so far, whose stacks are then left out. */
void changes_ready(const struct image *m);
/* Before and after a run. Then m->changes has what the run changed, in the order of
 * regions. */
void changes_begin(const struct image *m);
void changes_end(const struct image *m);
size_t changes_looked(const struct image *m); /* bytes of all regions */
/* Copy and compare memory that a sanitizer may have fenced. */
void changes_copy(void *to, const void *from, size_t size);
bool changes_equal(const void *a, const void *b, size_t size);

/* ---- unnamed.c: what the default variant changes besides sections ------------------ */

/* In the zygote. False: no memory. */
bool unnamed_new(struct image *m);
/* Before a run of the default on other data: what changes in BEFORE is kept in any case.
 */
void unnamed_expect(const struct image *m, const struct image *before);
/* Before the run of the default that counts: forgets what an earlier one has changed. */
void unnamed_forget(const struct image *m);
/* After a watched run of the default: keeps what has changed. True if that was expected.
 */
bool unnamed_learn(const struct image *m);
/* True if a second run of the default should follow, to see what it repeats. */
bool unnamed_unsure(const struct image *m);
/* After a second watched run of the default: what it did not repeat is not compared. */
void unnamed_repeat(const struct image *m);
/* In a worker: puts back what variants may have changed. */
void unnamed_restore(const struct image *m);
/* True if K has no sections, and all that it changes is known and compared. */
bool unnamed_verifies(const struct image *m);
/* Returns how many bytes the default changes otherwise in each run: these are not
 * compared. */
size_t unnamed_restless(const struct image *m);
/* True if the heap, which the default changes, is not compared after a variant. CALLS: as
 * for unnamed_check. */
bool unnamed_leaves_out(const struct image *m, bool calls);
/* After a watched run of a variant: true if it is not known what the run changed, and for
 * the default it is. */
bool unnamed_unseen(const struct image *m);
/* True if nothing can be put back, so that each variant needs a worker of its own. */
bool unnamed_needs_workers(const struct image *m);
/* After a watched run of a variant. CALLS: it calls functions that may allocate. False,
 * with A's message and `unnamed`: it changed what the default does not change, or
 * otherwise. */
struct answer;
bool unnamed_check(const struct image *m, bool calls, struct answer *a);
/* Writes what the default changes and no section names, for people; "": nothing. */
void unnamed_note(const struct image *m, bool calls, char *text, size_t size);
void unnamed_seal(const struct image *m); /* nothing more will be learned */

/* ---- rounding.c: how far rounding moves the outputs of the default variant -------- */

/* In the zygote, once there are references. False: no memory. */
bool rounding_new(struct image *m);
/* In a worker that measures, before its run, once there is memory as at the call: changes
 * the last digits of the inputs. False: no input is a number that can be changed. */
bool rounding_nudge(const struct image *m, unsigned seed, bool apart);
/* Before that: finds the scales of the call's data. */
void rounding_prepare(const struct image *m);
/* After that run: notes how far the outputs are from the reference. NUDGED: the inputs
 * were, APART or not; else the code was made by another compiler. */
void rounding_learn(const struct image *m, bool nudged, bool apart);
/* In a worker: copies what rounding_nudge changes, and puts it back. The copy lives as
 * long as the process; its base is NULL where there is no memory or nothing to copy. */
struct range rounding_keep(const struct image *m);
void rounding_put_back(const struct image *m, struct range kept);
/* After a run with inputs nudged alike: true if many numbers stayed as they were, because
 * equal ones may cancel in them. */
bool rounding_stays(const struct image *m);
/* In the zygote: sets TOLERANCES, of the sections and of the result. DEFERRED: rounding
 * is not measured yet, so what depends on it is relative alone. */
void rounding_settle(const struct image *m, bool deferred, struct tolerance *tolerances);
void rounding_seal(const struct image *m, bool sealed); /* read-only, or not */

/* ---- messages -------------------------------------------------------------------- */

enum { MAX_SAMPLES = 256 };
/* What a worker learns of the default instead of timing a variant. */
enum measure_of {
  MEASURE_TIME,
  MEASURE_NUDGED, /* its rounding: with nudged inputs */
  MEASURE_UP,
  MEASURE_DOWN,             /* likewise: with all operations rounded so */
  MEASURE_WRITTEN,          /* likewise: by the object, the kernel as written */
  MEASURE_STRICT_REFERENCE, /* its outputs as the object, a strict build, writes them */
  MEASURE_STRICT            /* if the object, a strict build, writes the same bits */
};
struct command {
  uint64_t ticket, object_size;
  bool reference, repeat; /* repeat: the second run of the reference */
  bool scratch;           /* of the second run: workspaces hold a pattern */
  struct trial_plan plan;
  enum measure_of measures;
  struct made_up_wish wish;
};
struct answer {
  enum status status;
  char deviation[128];                                   /* as in struct trial */
  double deviation_part;                                 /* likewise */
  char message[256], note[160], weak[160], unnamed[128]; /* as in struct trial */
  unsigned sets;  /* of the reference: a bit for each set of made-up data that exists */
  bool unwatched; /* as in struct trial */
  bool partly;    /* not all that the default changes was compared */
  bool unseen;    /* what the run changed besides sections is not known */
  bool grew;      /* of the reference: it must run again, as in struct changes */
  double run_seconds, verify_seconds, time_seconds, load_seconds; /* as in struct trial */
  double slowdown; /* likewise; 0: not known */
  unsigned n_samples;
  double samples[MAX_SAMPLES];
};
struct notice {
  int status;                   /* NOTICE_DIED: as from waitpid */
  bool timed_out;               /* NOTICE_DIED: the zygote ended it */
  double flops, bytes, touched; /* NOTICE_READY */
  double cold;
  bool verified;
  bool needs_workers; /* NOTICE_SEALED: as unnamed_needs_workers */
  bool unnamed;       /* NOTICE_SEALED: as unnamed_verifies */
  bool heap;          /* NOTICE_SEALED: the heap besides sections is compared */
  size_t restless;    /* NOTICE_SEALED: as unnamed_restless */
  bool watched;       /* NOTICE_SEALED: memory besides sections is compared; of it are */
  size_t looked, section_bytes[COVERED_SECTIONS]; /* LOOKED bytes looked at */
  char message[256];                              /* NOTICE_FAILED */
};
/* Tuner and zygote. An order is answered by a notice with its serial; a zygote says
 * without being asked (serial 0) that it is READY or FAILED, and that a worker DIED. */
enum zygote_message {
  ORDER_SPAWN, /* a worker, in place of the last: SPAWNED or FAILED */
  ORDER_KILL,  /* the worker, if there is one: DIED */
  ORDER_SEAL,  /* the copies become read-only: SEALED */
  NOTICE_READY,
  NOTICE_SPAWNED,
  NOTICE_DIED,
  NOTICE_SEALED,
  NOTICE_FAILED
};
/* Tuner and worker. The object comes with the command as a memory file. */
enum worker_message { WORKER_COMMAND, WORKER_ANSWER };
extern const struct protocol zygote_protocol, worker_protocol; /* zygote.c */
/* Shared by zygote and workers. */
struct board {
  _Atomic double deadline; /* when the zygote ends the worker; 0: it is idle */
  _Atomic double running;  /* seconds of CPU: of the living worker, after a command */
  _Atomic double buried;   /* of those before it, and of the zygote itself */
  atomic_bool deferred;    /* as for image_seal */
};

/* ---- worker.c: the zygote and its workers ---------------------------------------- */

struct worker_pool;
/* Forks the zygote and waits until it has its image. Must be called before any thread is
 * started. JIT may be NULL (then only the default can run). NULL and *MESSAGE (malloc'ed)
 * on failure. */
struct worker_pool *worker_start(const struct autotune_kernel *k, void *const *args,
                                 const struct jit_api *jit, char **message);
/* The same under the conditions of WISH. */
struct worker_pool *worker_start_wished(const struct autotune_kernel *k,
                                        void *const *args, const struct jit_api *jit,
                                        const struct executor_wish *wish, char **message);
/* Gets what `describe` said of this call, and whether outputs can be compared. */
void worker_call(const struct worker_pool *w, double *flops, double *bytes,
                 bool *verified);
const struct autotune_kernel *worker_kernel(const struct worker_pool *w);
double worker_touched(const struct worker_pool *w); /* bytes of all sections */
double worker_cold(const struct worker_pool *w);    /* cold_seconds of the call */
/* Writes what is compared, for people; after worker_reference. */
void worker_covered(const struct worker_pool *w, char *text, size_t size);
/* Has the zygote make the copies read-only, with which outputs are compared (DEFERRED: as
 * for image_seal). False: it is lost. */
bool worker_seal(struct worker_pool *w, bool deferred);
/* True if the last run of the default started threads, so that it must be repeated. */
bool worker_grew(const struct worker_pool *w);
bool worker_is_lost(const struct worker_pool *w); /* no worker can be had any more */
/* These two as in struct target. */
int worker_reference(struct worker_pool *w, const struct trial_plan *plan,
                     struct trial *out);
int worker_rounding(struct worker_pool *w, const struct trial_plan *plan, double seconds);
/* After worker_reference: learns what the OBJECT, the kernel as written by the variants'
 * compiler, makes of the outputs. 0, or -1 when no worker can be had any more. */
int worker_written(struct worker_pool *w, const void *object, size_t size,
                   const struct trial_plan *plan, struct trial *out);
/* As in struct target. */
int worker_try(struct worker_pool *w, uint64_t ticket, const void *object, size_t size,
               const struct trial_plan *plan, struct trial *out);
/* Has a worker carry out WHAT, with the OBJECT of its ticket. 0, or -1 as above. */
int worker_trial(struct worker_pool *w, const struct command *what, const void *object,
                 struct trial *out);
/* True if runs can be repeated in one worker, and their outputs compared. */
bool worker_can_repeat(const struct worker_pool *w);
/* Ends the worker, if there is one; the next trial gets a new one. */
void worker_end(struct worker_pool *w);
/* Returns the sets of made-up data that may be used, a bit for each. */
unsigned *worker_sets(struct worker_pool *w);
double worker_cost(
    const struct worker_pool *w);        /* seconds of CPU that the sandbox has taken */
void worker_stop(struct worker_pool *w); /* no process is left */

/* ---- imagine.c ------------------------------------------------------------------- */

/* Checks a variant on made-up data: `imagine` of struct target. */
int worker_imagine(struct worker_pool *w, uint64_t ticket, const void *object,
                   size_t size, const struct imagined *what, struct trial *out);

/* Compares two strict builds: `strict` of struct target. */
int worker_strict(struct worker_pool *w, const struct strict_pair *pair,
                  const struct trial_plan *plan, struct trial *out);

/* ---- zygote.c, runner.c ---------------------------------------------------------- */

struct zygote {
  const struct autotune_kernel *kernel;
  void *const *args;
  const struct jit_api *jit;
  unsigned team;                   /* as in struct executor_wish */
  bool nests;                      /* likewise */
  struct channel orders, commands; /* to the tuner; the latter is its worker's */
  struct board *board;
  struct image image;
};
/* Runs the zygote. Never returns. */
void zygote_main(struct zygote *z, pid_t parent) __attribute__((noreturn));
/* Runs a worker. Never returns. */
void runner_main(struct zygote *z, pid_t parent) __attribute__((noreturn));

#endif
