/* SPDX-License-Identifier: Apache-2.0 */
/* runtime.h: everything inside libautotune, grouped by file.
 *
 * The way of a first call (docs/design.md draws it):
 *
 *   site.c    the keys of each kernel, and what is known of them
 *   decide.c  autotune_begin: decided before; else the store's winner; else tune, or default
 *   session.c forks the TUNER from the program, waits for its winner, installs it
 *   tune.c    (in the tuner) the pass: propose, compile, try, learn, final race, store
 *   pool.c    (in the tuner) compiles ahead on threads
 *   worker.c  (in the tuner) the ZYGOTE, forked before any thread starts, keeps the image of the
 *             arguments and forks a WORKER from it whenever one is needed; the worker loads, runs,
 *             compares and times variants
 *
 * The program's own process never loads LLVM, starts no thread and keeps no file open: whatever goes
 * wrong in the tuner, the program runs the default variant.
 *
 * Three kinds of failure: the user's (a message in the log), the machine's (enum at_status and a
 * message), ours (assert). */
#ifndef AUTOTUNE_RUNTIME_H
#define AUTOTUNE_RUNTIME_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "autotune.h"

/* ---- sys.c: the points that a test can make fail -------------------------------------- */

/* AUTOTUNE_FAULT="malloc:3" makes the third call fail, "malloc:3+" that and all later ones;
 * several separated by commas. Points: malloc, open, write, fsync, rename, fork, thread, sqlite,
 * jit, mmap, pipe. Compiled in always (one predictable branch each); counted per process. */
enum sys_point { SYS_MALLOC, SYS_OPEN, SYS_WRITE, SYS_FSYNC, SYS_RENAME, SYS_FORK, SYS_THREAD,
                 SYS_SQLITE, SYS_JIT, SYS_MMAP, SYS_PIPE, SYS_POINTS };
bool sys_fails(enum sys_point point);     /* true: pretend that the call failed (errno is set) */
void *sys_malloc(size_t size);            /* NULL on failure, as malloc */
void *sys_calloc(size_t n, size_t size);
void *sys_realloc(void *p, size_t size);
char *sys_strdup(const char *s);
char *sys_printf(const char *format, ...) __attribute__((format(printf, 1, 2))); /* malloc'ed */
int sys_open(const char *path, int flags, mode_t mode); /* close-on-exec always */
int sys_write_all(int fd, const void *data, size_t size);  /* 0, or -1 and errno */
int sys_read_all(int fd, void *data, size_t size);         /* bytes read until EOF, or -1 */
int sys_fsync(int fd);
int sys_rename(const char *from, const char *to);
pid_t sys_fork(void);
void *sys_mmap(size_t size, bool shared);  /* anonymous; NULL on failure */
/* What a write of ours may raise (SIGPIPE, SIGXFSZ: a limit of file sizes) would end the program. In between
 * it waits, in this thread, and sys_unhush takes it back. */
struct hush { sigset_t before, ours; };
void sys_hush(struct hush *h);
void sys_unhush(const struct hush *h);
double sys_cpu(void);                      /* seconds of CPU of this process, all threads */
double sys_now(void);                      /* monotonic seconds; a test may set the clock: */
void sys_set_clock(double seconds);        /* negative: the real clock again */

/* ---- log.c ---------------------------------------------------------------------------- */

void log_message(enum autotune_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void log_once(enum autotune_level level, const char *topic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));       /* once a process and topic */
bool log_enabled(enum autotune_level level);
/* A line on standard error that overwrites itself; only at level info and on a terminal.
 * log_progress(NULL) clears it. */
void log_progress(const char *line);

/* ---- env.c: AUTOTUNE_* variables, one table ------------------------------------------- */

enum tuning_mode { MODE_FIRST, MODE_LOCKED, MODE_OFF, MODE_ONLINE, MODE_BACKGROUND, MODE_OFFLINE,
                   MODE_TUNE /* as `autotune tune` runs a program: first, whatever is stored */ };
struct options {
  enum tuning_mode mode; bool mode_set;  /* AUTOTUNE_MODE (over the kernel's mode()) */
  double budget_seconds;                 /* AUTOTUNE_BUDGET="5s,200,5%"; 0: not set */
  unsigned budget_variants;
  double budget_share;                   /* "5%": of the time in the kernel */
  double until;                          /* AUTOTUNE_UNTIL="2%" */
  double drift;                          /* AUTOTUNE_DRIFT: seconds that a tuned kernel must be slower
                                            before its finalists race again; 0: off */
  const char *kernel;                    /* AUTOTUNE_KERNEL: only this one is tuned; NULL: all */
  const char *capture;                   /* AUTOTUNE_CAPTURE: folder that receives calls; NULL: none */
  uint64_t capture_limit;                /* AUTOTUNE_CAPTURE_LIMIT: bytes of memory in one; default 1 GiB */
  const char *called;                    /* AUTOTUNE_CALLED: file that receives the names of kernels; NULL */
  const char *search;                    /* AUTOTUNE_SEARCH; NULL: not set */
  uint64_t seed;                         /* AUTOTUNE_SEED; default 1 */
  enum autotune_level log_level;         /* AUTOTUNE_LOG */
  const char *cache;                     /* AUTOTUNE_CACHE: folder instead of
                                            $XDG_CACHE_HOME/autotune; "" or "off": no store */
  const char *jit;                       /* AUTOTUNE_JIT: path of libautotune-jit.so */
  const char *openmp;                    /* AUTOTUNE_OPENMP: path of libomp */
  const char *nvrtc;                     /* AUTOTUNE_NVRTC: path of libnvrtc */
  const char *gpu_worker;                /* AUTOTUNE_GPU_WORKER: path of autotune-gpu-worker */
  const char *emulator;                  /* AUTOTUNE_EMULATOR: path of libautotune-emulate.so, in a helper */
  const char *wisdom;                    /* AUTOTUNE_WISDOM: files, separated by colons; NULL: none */
};
/* Reads the environment once (thread-safe); unknown AUTOTUNE_* names and bad values are warned of once,
 * with a suggestion, and then the default holds. */
const struct options *options_get(void);
/* The word (of a NULL-terminated list) that WORD may have meant, or NULL. */
const char *env_nearest(const char *word, const char *const *words);
struct budget { double seconds; unsigned variants; double share; };
/* "5s", "200" (variants), "5%" (of the time in the kernel), "5s,200"; 0 for the parts that are not given. */
bool env_parse_budget(const char *text, struct budget *out);
/* The mode of that name; -1: there is none. */
int env_mode(const char *name);

/* ---- machine.c: hwloc ------------------------------------------------------------------- */

struct machine {
  struct autotune_machine numbers;
  char cpu[128];      /* "GenuineIntel Xeon … family 6 model 143 stepping 8": part of the identity */
  char isa[64];       /* the host's -march name and a hash of its feature flags */
  char name[128];     /* for people */
};
const struct machine *machine_get(void); /* read once; never NULL; thread-safe */
/* The same without caches and cores (numbers other than threads, line and vector are 0): a few
 * microseconds, enough for an identity. */
const struct machine *machine_identity(void);
/* "l1d=32768 l2=1048576 l3=… cores=8 line=64 vector=64" into TEXT, which is returned. */
const char *machine_text(char *text, size_t size);
/* Caches, cores and threads of a topology in hwloc's synthetic notation, for tests. 0 or -1. */
int machine_read_synthetic(const char *description, struct autotune_machine *out);

/* A point: one value index for each parameter; 0 where the parameter does not matter. */
typedef uint32_t choice;
enum { MAX_PARAMS = 256 };   /* a kernel with more is not tuned */

/* ---- identity.c: what makes a result worth nothing when it changes ------------------------ */

/* Hash of what all variants have in common: name, signature, flags of the build, and the text with every
 * directive in force and the first of each list. Lines and paths do not count where nothing prints them. */
uint64_t identity_unit(const struct autotune_kernel *k);
/* Hash of what is offered: parameters, candidates, constraint. */
uint64_t identity_space(const struct autotune_kernel *k);
/* Hash of VALUES ("MR=6\nNR=64\n") with sets without a name called by their order. */
uint64_t identity_values(const char *values);
/* Hash of the text that POINT leaves of its unit, its compiler and flags; not of the values. */
uint64_t identity_text(const struct autotune_kernel *k, const choice *point);
/* Hash of all that makes a variant: struct record. COMPILER with its version. */
uint64_t identity_variant(const struct autotune_kernel *k, const choice *point, const char *values,
                          const char *compiler);
/* The point of VALUES. False: it has another list of parameters, or a value is no candidate. */
bool identity_point(const struct autotune_kernel *k, const char *values, choice *point);
/* "clang 22.1.8": the in-process compiler. */
const char *identity_toolchain(void);
/* What is offered, as text: a line "name, kind, when, original, values…" for each parameter, separated by
 * tabs; a line "name,name… TAB expression" for each factor of the constraint. malloc'ed. */
char *identity_params(const struct autotune_kernel *k);
char *identity_conditions(const struct autotune_kernel *k);

/* ---- space.c, space/range.c, space/sample.c, space/near.c, space/text.c: points of a space -------- */

enum { EARLY_CONDITIONS = 128, EARLY_LEAVES = 256 }; /* those behind are looked at with whole points only */

struct space {
  const struct autotune_kernel *kernel;
  void *const *args;
  const struct autotune_machine *machine;
  uint64_t size;       /* of the product, before constraints; UINT64_MAX: more */
  /* The order in which parameters are set, so that conditions can be asked early: `when` before what it
   * is about. closes[c]: the position at which the last parameter of condition c is set. */
  uint16_t order[MAX_PARAMS], closes[EARLY_CONDITIONS];
  uint16_t place[MAX_PARAMS];         /* where a parameter is in ORDER */
  double low[MAX_PARAMS], high[MAX_PARAMS]; /* its values' range */
  bool early[EARLY_CONDITIONS];       /* has steps to tell early that it cannot hold any more … */
  uint16_t first_leaf[EARLY_CONDITIONS];
  double leaves[EARLY_LEAVES];        /* … and their leaves for this call */
  unsigned n_bound;    /* conditions look at nothing behind this position */
  const struct autotune_launch *asked; /* what the program asked for; NULL: no CUDA kernel, or not known */
  bool sparse;         /* so few points are allowed that drawing them blindly takes long */
};
void space_init(struct space *s, const struct autotune_kernel *k, void *const *args,
                const struct autotune_machine *m);
bool space_matters(const struct autotune_kernel *k, const choice *point, unsigned param);
bool space_allows(const struct space *s, const choice *point);   /* `when` and constraint */
/* How POINT of a CUDA kernel is launched for this call. False: it cannot be, as its blocks do not divide what was
 * asked for, or the device has not so many threads or so much shared memory for a block. Part of space_allows. */
bool space_launch(const struct space *s, const choice *point, struct autotune_launch *out);
bool space_first(const struct space *s, choice *point);          /* in a fixed order, that of value … */
bool space_next(const struct space *s, choice *point);           /* … indices; false: no more */
/* Each parameter that matters uniform, under the condition that the point is allowed; where few are, nearly
 * uniform among all points (space/sample.c). False: none was found within some tenths of a second. */
bool space_sample(const struct space *s, uint64_t *rng, choice *point);
/* The point of the original values (index 0 where there is none); false: it does not exist. */
bool space_original(const struct space *s, choice *point);
/* The number that exist, counted up to LIMIT (also the answer when counting takes too long). */
uint64_t space_count(const struct space *s, uint64_t limit);

/* What is near a point: one parameter changed, a number by one STEP (of its values by size), or to ANY value;
 * parameters that are neither numbers always to any. Where one change alone breaks the constraint, a
 * second parameter is changed with it to the nearest values that mend it, so that `A * B == 64` is walked
 * too. What begins to matter has its original value, or with RNG a random one. */
enum nearness { NEAR_STEP, NEAR_ANY };
/* Up to MAX allowed points near FROM, none twice and none FROM, to OUT (n_params each); how many. With RNG a
 * random choice of them in random order, else the first in a fixed order. */
unsigned space_near(const struct space *s, enum nearness n, const choice *from, uint64_t *rng,
                    choice *out, unsigned max);
/* One of them at random; false: there is none. */
bool space_neighbour(const struct space *s, enum nearness n, const choice *from, uint64_t *rng,
                     choice *point);
/* Makes an allowed point of POINT, which may be anything (indices out of range too), with as few changes as
 * a bounded search finds. False: none was found. */
bool space_repair(const struct space *s, uint64_t *rng, choice *point);
/* The next value of PARAM by size, up (+1) or down (-1); for what is no number, by index. -1: there is none. */
int space_step(const struct space *s, unsigned param, choice value, int direction);
bool space_ordinal(const struct space *s, unsigned param);       /* a number */

bool space_equal(const struct space *s, const choice *a, const choice *b);
uint64_t space_hash(const struct space *s, const choice *point);
uint64_t rng_next(uint64_t *state);                              /* splitmix64 */
choice rng_below(uint64_t *state, unsigned n);                   /* 0 … n - 1 */
double rng_unit(uint64_t *state);                                /* [0, 1) */
/* "MR=6 NR=64 flags=-O3", only what matters: malloc'ed. */
char *space_describe(const struct space *s, const choice *point);
/* "MR=6\nNR=64\n", all of them, sorted by name, as rows of the store have it: malloc'ed. */
char *space_values(const struct autotune_kernel *k, const choice *point);

/* ---- seen.c: points that a search has asked for or was told of -------------------------------- */

struct seen {
  uint64_t *slots;        /* hashes of points; 0: free. Open addressing, a power of two */
  size_t capacity, used;
  bool walking;           /* nearly all are known: what is left is taken in order */
  choice at[MAX_PARAMS];  /* where that walk is */
};
/* True: POINT was not in; now it is. False also where memory ran out. (Two points of one hash count as one:
 * 1 in 2^64.) */
bool seen_add(struct seen *seen, const struct space *s, const choice *point);
bool seen_has(const struct seen *seen, const struct space *s, const choice *point);
/* A point that was not in, and now is: a random one, or where those are hard to find, the next in order.
 * False: all of the space is in. */
bool seen_other(struct seen *seen, const struct space *s, uint64_t *rng, choice *point);
void seen_free(struct seen *seen);

/* ---- search.c and search_*.c: strategies ------------------------------------------------- */

enum fate { FATE_OK, FATE_COMPILE, FATE_LOAD, FATE_WRONG, FATE_CRASH, FATE_TIMEOUT, FATE_EXIT,
            FATE_PENDING /* written down before it is tried */,
            FATE_DROPPED /* not run: sure to lose, as far as this tuning could tell (foresee.c) */ };
const char *fate_name(enum fate f);
#define FATES (FATE_DROPPED + 1)

/* What is known of a variant's code without running it: static.c; NAN where unknown. */
enum { MAX_FEATURES = 32 };
struct features { float values[MAX_FEATURES]; };
struct told {
  enum fate fate;
  double seconds;                    /* FATE_OK: of a call; FATE_DROPPED: a guess that is above the
                                        best; else 0 */
  const struct features *features;   /* of the variant's code; NULL: unknown */
};
struct strategy; /* one run of a search */
struct strategy_class {
  const char *name, *about;
  /* BUDGET: points that will be asked for, about. */
  struct strategy *(*new)(const struct space *s, uint64_t seed, unsigned budget);
  /* The next point to try, false: none is left. Never one that was asked for or told of before. May be
   * called ahead of tell, several times. */
  bool (*ask)(struct strategy *st, choice *point);
  /* Also of points that were not asked for: an earlier tuning's, another process's, a near key's winner. */
  void (*tell)(struct strategy *st, const choice *point, const struct told *told);
  void (*free)(struct strategy *st);
  /* Optional (NULL): seconds of a call that POINT, compiled to FEATURES but not run, will hardly be
   * faster than; 0: no idea. */
  double (*expect)(struct strategy *st, const choice *point, const struct features *features);
  /* Optional: the share of the best time by which further trials are expected to improve on it; below
   * 0: no idea. */
  double (*hope)(struct strategy *st);
};
const struct strategy_class *strategy_find(const char *name); /* NULL: unknown */
/* The default: exhaustive where all points fit BUDGET, else auto. */
const struct strategy_class *strategy_choose(const struct space *s, unsigned budget);
const struct strategy_class *const *strategy_list(void);      /* NULL-terminated */

/* ---- stats.c ------------------------------------------------------------------------------ */

struct estimate { double median, low, high; unsigned n; }; /* seconds; 95 % interval of the median */
/* Distribution-free interval from order statistics (binomial); sorts SAMPLES. */
struct estimate stats_median(double *samples, unsigned n);
bool stats_precise(struct estimate e, double share);            /* interval within ± share/2 */
bool stats_slower(struct estimate e, struct estimate best);     /* clearly slower */

/* ---- verify.c ------------------------------------------------------------------------------ */

struct tolerance { bool off, exact; double rtol, atol; };
struct tolerance verify_tolerance(const struct autotune_kernel *k, enum autotune_element e,
                                  const void *reference, size_t bytes);
/* True: GOT agrees. Else MESSAGE (of SIZE) says where and by how much. */
bool verify_compare(enum autotune_element e, struct tolerance t, const void *reference,
                    const void *got, size_t bytes, char *message, size_t size);
/* Its parts, for outputs that are not at hand in one piece: the first whole element that does not agree, or
 * SIZE_MAX; the message about one element, number INDEX; bytes of an element; the tolerance where none is
 * declared; the sum of the squares of what is finite. */
size_t verify_difference(enum autotune_element e, struct tolerance t, const void *reference,
                         const void *got, size_t bytes);
void verify_tell(enum autotune_element e, size_t index, const void *reference, const void *got,
                 char *message, size_t size);
size_t verify_element_size(enum autotune_element e);
double verify_rtol(enum autotune_element e);
double verify_squares(enum autotune_element e, const void *data, size_t bytes, size_t *finite);

/* ---- backend.c: how variants come to be; one table, one file each ------------------------- */

struct object {          /* what a compiler made of a variant */
  void *data; size_t size;
  char *message;         /* on failure: the compiler's first error line, and the rest */
  double seconds;        /* what it took */
};
struct backend {
  const char *name;
  /* May this backend make variants for COMPILER (as spelled in compiler(…))? */
  bool (*applicable)(const char *compiler);
  /* "clang 22.1.8", "gcc (Debian …) 12.2.0": part of the identity; NULL: not there. */
  const char *(*version)(const char *compiler);
  /* Thread-safe. TEXT: definitions and the unit's text. 0 or -1 (then object->message). */
  int (*compile)(const char *compiler, const char *text, const char *const *flags,
                 struct object *out);
};
const struct backend *backend_find(const char *compiler);
void object_free(struct object *o);
/* TEXT and FLAGS of a point; both malloc'ed in one block each; NULL: no memory. */
char *variant_text(const struct autotune_kernel *k, const choice *point);
char **variant_flags(const struct autotune_kernel *k, const choice *point);
const struct autotune_unit *variant_unit(const struct autotune_kernel *k, const choice *point);
const char *variant_compiler(const struct autotune_kernel *k, const choice *point);

/* ---- jit_open.c ------------------------------------------------------------------------------ */

struct jit_api;
/* dlopens libautotune-jit.so (AUTOTUNE_JIT, else beside libautotune.so); NULL and *MESSAGE (malloc'ed)
 * on failure. */
const struct jit_api *jit_open(char **message);
/* dlopens libomp (AUTOTUNE_OPENMP, else what was configured) globally unless the process has an
 * OpenMP runtime of LLVM already. 0 or -1. */
int openmp_open(char **message);

/* ---- module.c: the winner as a shared object -------------------------------------------------- */

/* dlopens PATH, binds what it lacks to SYMBOLS (its relocations are walked), and returns its
 * autotune_entry; NULL and *MESSAGE on failure. *HANDLE is for dlclose. */
autotune_fn module_load(const char *path, const struct autotune_symbol *symbols, size_t n,
                        void **handle, char **message);

/* ---- pool.c: compiling ahead -------------------------------------------------------------------- */

struct pool;
struct compiled { choice *point; uint64_t ticket; struct object object; int status; };
struct pool *pool_new(const struct autotune_kernel *k, unsigned threads);
/* While a variant is compiled, its mark (not 0) stands in one of the N words at MARKS. */
void pool_watch(struct pool *p, _Atomic uint64_t *marks, unsigned n);
/* Queues a point under TICKET. */
int pool_submit(struct pool *p, const choice *point, uint64_t ticket, uint64_t mark);
/* The next that is done, waiting at most SECONDS. False: none. The caller frees *out's point, object. */
bool pool_take(struct pool *p, struct compiled *out, double seconds);
unsigned pool_pending(struct pool *p);
void pool_pause(struct pool *p, bool paused); /* nothing new is begun while paused */
void pool_free(struct pool *p);               /* drops what is queued, waits for what runs */

/* ---- worker.c: zygote and workers (its parts: sandbox.h) ------------------------------------------ */

struct worker_pool;
/* Forks the zygote and waits until it has its image. Must be called before any thread is started. JIT
 * may be NULL (then only the default can run). NULL and *MESSAGE (malloc'ed) on failure. */
struct worker_pool *worker_start(const struct autotune_kernel *k, void *const *args,
                                 const struct jit_api *jit, char **message);
/* What `describe` said of this call, and whether outputs can be compared. */
void worker_call(const struct worker_pool *w, double *flops, double *bytes, bool *verified);
double worker_touched(const struct worker_pool *w);  /* bytes of all sections */
/* Occupancy and the like of a CUDA variant: features of the model, and in the report. */
struct gpu_facts {
  int registers, spilled;     /* of a thread: 32-bit, bytes of local memory */
  int static_shared;          /* bytes */
  int blocks;                 /* active on a multiprocessor */
  double occupancy;           /* share of a multiprocessor's warps */
  double waves, tail;         /* grid ÷ blocks that run at once; share of the last wave that is empty */
};
struct trial {
  enum fate fate;
  char message[256];      /* what went wrong: "SIGSEGV", "C[0:n]: element 17 is 1.5, not 1.0" */
  double *samples; unsigned n_samples;  /* seconds of one call, in order, divided by PACE; malloc'ed */
  double verify_seconds, time_seconds, load_seconds;
  double pace;            /* how many times as long as usual the rival took beside it; 1: no rival */
  bool has_facts;
  struct gpu_facts facts; /* of a CUDA variant that was loaded */
};
struct trial_plan {
  double limit;           /* seconds one run may take before the worker is killed */
  double budget;          /* seconds for all samples */
  double stop_above;      /* seconds: stop sampling once clearly slower; 0: never */
  unsigned min_samples, max_samples;
  double precision;       /* share: stop when the interval is inside */
  bool verify;            /* also after the last timed run */
  uint64_t rival;         /* ticket of a right variant that runs in turns with this one, if the worker
                             has it loaded, to tell a slow variant from a slow moment; 0: none */
  double rival_seconds;   /* what that one takes */
  struct autotune_launch launch; /* of a CUDA variant; of C kernels nothing */
};
/* Runs the default variant: fills the reference outputs, times it, and checks that it repeats them. Must
 * come first. 0, or -1 when no worker can be had any more. */
int worker_reference(struct worker_pool *w, const struct trial_plan *plan, struct trial *out);
/* Loads (once: by TICKET), checks (once) and times one variant; ticket 0 is the default variant.
 * 0, or -1 when no worker can be had any more. */
int worker_try(struct worker_pool *w, uint64_t ticket, const void *object, size_t size,
               const struct trial_plan *plan, struct trial *out);
double worker_cost(const struct worker_pool *w); /* seconds of CPU that the sandbox has taken */
void worker_stop(struct worker_pool *w);    /* no process is left */

/* ---- who tries variants: one table; worker.c for C kernels, gpu/executor.c for CUDA kernels ------------- */

struct executor;              /* one tuning's */
struct plan;
struct executor_class {
  const char *name;
  const char *place;          /* where the default ran first, for people: "in the sandbox" */
  /* The functions of worker.c, whose comments hold. PLAN: what is wanted of the tuning. */
  struct executor *(*start)(const struct autotune_kernel *k, void *const *args,
                            const struct jit_api *jit, const struct plan *plan, char **message);
  void (*call)(const struct executor *e, double *flops, double *bytes, bool *verified);
  double (*touched)(const struct executor *e);
  int (*reference)(struct executor *e, const struct trial_plan *plan, struct trial *out);
  int (*try)(struct executor *e, uint64_t ticket, const void *object, size_t size,
             const struct trial_plan *plan, struct trial *out);
  double (*cost)(const struct executor *e);
  void (*stop)(struct executor *e);
};
extern const struct executor_class executor_cpu, executor_cuda;

/* ---- store.c, objects.c, folder.c ---------------------------------------------------------------- */

/* What a result is a result of. Texts are kept as columns. */
struct identity {
  uint64_t unit;          /* identity_unit */
  const char *kernel, *file;
  const char *cpu, *isa;  /* of the machine */
  unsigned threads;       /* this process may use */
  const long long *key; unsigned n_keys;
  const char *const *key_names;
  const char *toolchain;  /* what would make its variants today, as far as that is known without
                             loading it ("clang 22.1.8"); compared with that of the winner, so that a
                             new compiler means a miss; NULL: not compared */
  uint64_t shape;         /* of the unit's text but for its names (hints.c); 0: not known */
  const char *family;     /* the kernel's; NULL: none. Neither is part of what it is */
  uint64_t space;         /* identity_space; 0: not known */
};
struct record {           /* one variant tried */
  uint64_t variant;       /* hash of its values, text, flags, compiler and compiler version */
  const char *values;     /* "MR=6\nNR=64\n…": names and values, sorted by name */
  const char *compiler;   /* with version */
  enum fate fate;
  const char *message;
  const double *samples; unsigned n_samples;
  double compile_seconds, verify_seconds, time_seconds;
  const void *features; size_t features_size; /* struct features; 0: unknown */
  double when;            /* unix time; of rows that were read */
};
/* What R holds of features; all NAN where it holds none. */
void record_features(const struct record *r, struct features *out);
struct summary {          /* one tuning of one key */
  struct estimate original, best;      /* from the final race */
  uint64_t winner;                     /* variant; 0: the default stays */
  const char *values;                  /* the winner's, as in record */
  const char *compiler;
  uint64_t object;                     /* xxh3 of the shared object's bytes; 0: none */
  unsigned tried, failed[FATES], total_hint;  /* tried: none that was dropped */
  unsigned same;                       /* of these had the machine code of another, and were not run */
  double compile_seconds, verify_seconds, time_seconds, total_seconds;
  double flops, bytes;
  bool verified;
  const char *search, *why;            /* "exhaustive", "budget of 10 s spent" */
  double when;                         /* unix time */
  uint64_t space;                      /* as in struct identity */
  uint64_t text;                       /* identity_text of the winner; 0: not known */
  const char *machine;                 /* "l1d=32768 l2=… l3=… cores=8 …"; "": not known */
  const char *source;                  /* "": found here; else where from: "wisdom x.jsonl", "n = 512" */
};

struct store;
/* NULL and *MESSAGE: no store (the reason); tuning goes on in memory. */
struct store *store_open(char **message);
/* The same where nobody may wait longer than SECONDS for another process's lock. Less than STORE_WAIT: only
 * to read, and nothing is made. */
extern const double STORE_WAIT;
struct store *store_open_within(double seconds, char **message);
void store_close(struct store *s);
/* The winner for exactly this identity. False: none; *WHY (malloc'ed, may be NULL) says what
 * differs from the nearest row ("compiler clang 22.1.7 → 22.1.8"). Strings of OUT: one block, freed by
 * store_summary_free. */
bool store_winner(struct store *s, const struct identity *id, struct summary *out, char **why);
void store_summary_free(struct summary *s);
/* What is known of one variant (fate, samples), so that it is not tried again; a FATE_PENDING row means
 * that it took the tuner down. FEATURES may be NULL. */
bool store_known(struct store *s, const struct identity *id, uint64_t variant, enum fate *fate,
                 struct estimate *e, struct features *features);
/* The same, and whether another living process is at it. */
enum knowledge { KNOWN_NOTHING, KNOWN_RESULT, KNOWN_TAKEN };
enum knowledge store_look(struct store *s, const struct identity *id, uint64_t variant, enum fate *fate,
                          struct estimate *e, struct features *features);
/* Has another connection written since the last such question? */
bool store_changed(struct store *s);
/* Calls SEE for each variant of ID whose fate was written at *SINCE or later (unix time), pending ones left
 * out; *SINCE becomes the time of the last. */
void store_news(struct store *s, const struct identity *id, double *since,
                void (*see)(const struct record *r, void *data), void *data);
int store_begin(struct store *s, const struct identity *id, const struct record *r); /* pending */
int store_finish(struct store *s, const struct identity *id, const struct record *r);
int store_summary(struct store *s, const struct identity *id, const struct summary *m);
/* Notes that K was called for ID and that nothing is known, for WHY. */
int store_asked(struct store *s, const struct identity *id, const struct autotune_kernel *k,
                const char *why);
int store_forget(struct store *s, const char *kernel, uint64_t unit, const long long *key,
                 unsigned n_keys);   /* kernel NULL: all; key NULL: all keys */

/* Problems that are like ID, nearest first: other keys of the same kernel, other texts of it, kernels of its
 * shape, kernels of its family; all on this kind of machine. */
enum relation { RELATED_KEY, RELATED_TEXT, RELATED_SHAPE, RELATED_FAMILY };
struct relative {
  int64_t problem;
  enum relation relation;
  double distance;                     /* of the keys: sum of |log2 ratio| */
  bool near;                           /* another key of the same kernel, no part of it off by more than 4 times */
  char name[96];                       /* for people: "n = 1024", "kernel matmul2, n = 1024" */
};
enum { MAX_RELATIVES = 8 };
unsigned store_relatives(struct store *s, const struct identity *id,
                         struct relative out[MAX_RELATIVES]);
/* Calls SEE with the values ("MR=6\nNR=64\n") and seconds of PROBLEM's fastest variants, the winner of its
 * tuning before all, at most N. */
void store_fastest(struct store *s, int64_t problem, unsigned n,
                   void (*see)(const char *values, double seconds, void *data), void *data);
/* The finished tuning of PROBLEM by TOOLCHAIN (NULL: by any); freed by store_summary_free. */
bool store_tuning(struct store *s, int64_t problem, const char *toolchain, struct summary *out);
/* Is M no result of a tuning, but what runs until there is one? Its source says from where. */
bool summary_is_borrowed(const struct summary *m);
/* Between keys: the sum over their parts of |log2 ratio|. */
double key_distance(const long long *a, const long long *b, unsigned n);

/* The folder of the store, made when missing, 0700; NULL and *MESSAGE when it cannot be trusted.
 * The path lives as long as the process. */
const char *folder_open(char **message);
/* The same for PATH: its resolved path, malloc'ed. */
char *folder_check(const char *path, char **message);
/* Keeps the shared object at FROM under its hash; returns the path (malloc'ed) or NULL. */
char *objects_keep(const char *from, uint64_t *hash);
/* The path of the object with that hash, after checking owner, mode and hash; NULL: not there. */
char *objects_find(uint64_t hash);

/* ---- openmp.c: the program's OpenMP runtime, if it has one ------------------------------------------ */

bool openmp_in_parallel(void);
/* The threads of LLVM's runtime sleep until they are needed, instead of spinning for a while. */
void openmp_rest(void);
/* Ends the thread pool of a runtime that does not survive a fork (libgomp). */
void openmp_before_fork(void);
/* Removes what LLVM's runtime leaves in /dev/shm when process PID is killed. */
void openmp_clean(pid_t pid);

/* ---- shape.c, hints.c: what is known of like problems ------------------------------------------------ */

/* A hash of TEXT's tokens in which it does not matter what names of its own are, but where they stand. */
uint64_t shape_of(const char *text);

enum { MAX_HINTS = 16 };
struct hint {
  choice point[MAX_PARAMS];
  char from[96];          /* for people: "n = 1024" */
  bool near;              /* as in struct relative */
};
struct hints { unsigned n; struct hint items[MAX_HINTS]; };
/* Points that are worth trying first in SPACE, best first: they exist and none is there twice. */
void hints_find(struct store *store, const struct space *space, const struct identity *id,
                struct hints *out);
/* The point of VALUES ("MR=6\nNR=64\n", of any kernel): parameters by name, those of directives by what they
 * are and their order; a number that is no candidate here becomes the nearest one, what is not named the
 * default's, and what the constraint refuses a point nearby. False: there is none, or nothing is known. */
bool hints_point(const struct space *space, const char *values, choice *point);
/* What was fastest for ID itself: its last winner before all. */
void hints_own(struct store *store, const struct space *space, const struct identity *id,
               struct hints *out);
/* Adds the point of VALUES, unless there is none, or it is there. The hint, or NULL. */
struct hint *hints_add(struct hints *h, const struct space *space, const char *values, const char *from);

/* ---- capture.c: one real call in a file (capture.h) --------------------------------------------------- */

/* Writes the call as it is before it is made; KEY is its key, UNIT the kernel's identity. True: it is to be
 * made with the default variant, and capture_end called behind it. */
bool capture_begin(const struct autotune_kernel *k, uint64_t unit, const long long *key, void *const *args,
                   struct autotune_call_state *state);
/* Notes what came of the call. */
void capture_end(struct autotune_call_state *state);

/* ---- session.c, session/tuner.c: one tuning, as the program and the tuner see it -------------------- */

struct outcome {
  bool tuned;             /* a tuning ran to its end */
  bool winner;            /* a variant beat the default; its code is at PATH */
  char path[4096];        /* of the shared object: in the store, or /proc/self/fd/N */
  int fd;                 /* of the memfd behind such a path: the caller closes it; or -1 */
  choice point[MAX_PARAMS]; /* the winner's */
  double seconds;         /* of a call of the winner; 0: not known */
  double cost;            /* seconds of CPU that the tuner and its children took */
  char why[512];          /* for people */
};

enum plan_kind {
  PLAN_SEARCH,
  PLAN_RACE,    /* the given points, what was fastest before, and the default: a drift is noticed */
  PLAN_CHECK,   /* the first given point is compiled, run once, compared and linked; nothing is timed */
  PLAN_ONLINE,  /* variants are checked in the sandbox and timed in the program's own calls */
};
struct plan {             /* what is wanted of a tuner */
  enum plan_kind kind;
  bool beside;            /* the program does not wait */
  bool again;             /* what is stored is not final: search on */
  bool retry;             /* the last tuner crashed: without what it was compiling */
  double share;           /* of the program's seconds in the kernel that all may cost; 0: no such bound */
  double until;           /* end where less improvement is expected; 0: never */
  double ratio, since;    /* PLAN_RACE: how much slower it became, and when (unix time) */
  const choice *points; unsigned n_points;  /* one after another; read by session_start alone */
  /* In the program, by whoever looks after the session: what may be run until the tuning ends. NULL: nothing
   * is wanted. */
  void (*lent)(const struct outcome *out, void *data);
  void *data;
  const struct summary *adopt; /* PLAN_CHECK: what is stored where the point is right; NULL: nothing */
  const char *why;        /* why the store was no help; NULL: not known */
};

/* What tuner and program say to each other about variants in the program's own calls (live.h). The tuner
 * writes orders, one after another; the program answers each in turn. Arms are as in halving.h. */
enum { LIVE_ARMS = 16, LIVE_ORDERS = 64, LIVE_REPEAT = 15 };
enum { LIVE_LOADED = 1, LIVE_REFUSED };
struct live_order {       /* by the tuner, but for the seconds */
  unsigned arm, repeat;   /* the median of so many calls is wanted */
  bool drop;              /* nothing is to be run: the arm is unloaded */
  _Atomic double seconds; /* of a call; below 0: it was not run */
};
struct lane {
  atomic_uint written;    /* by the tuner: orders, ever */
  atomic_uint answered;   /* by the program: of them */
  atomic_uint best;       /* by the tuner: the arm that all other calls are to run */
  atomic_bool waiting;    /* by the program: it waits for the outcome, and no calls may come */
  atomic_uint running;    /* by the program: the arm that a call is being timed in, + 1; 0: none */
  atomic_uint loaded[LIVE_ARMS]; /* by the program, once it has got the variant */
  struct live_order orders[LIVE_ORDERS]; /* the last, by their number modulo that */
};

/* Memory of the program and its tuner both, so that looking costs neither a system call nor a lock. In the
 * program only whoever is `busy` (decide.c) may touch it. */
enum { COMPILING = 64 };
struct page {
  _Atomic double spent;   /* by the program: seconds it has been in the kernel's calls */
  _Atomic double allowed; /* by the program: seconds of CPU that this tuning may have cost by now */
  _Atomic double cost;    /* by the tuner: seconds of CPU that it and its children have taken */
  atomic_uint news;       /* by the tuner: how many packets it has sent */
  _Atomic uint64_t compiling[COMPILING]; /* by the pool: marks of what it compiles, for when it crashes */
  struct lane lane;       /* for PLAN_ONLINE */
};

/* True in the tuner and all that is forked from it: there, every kernel is its default variant. */
bool session_inside(void);
/* In the tuner: it has been asked to end (by a signal, or because the program is gone). */
bool session_stopping(void);
/* In the tuner: offers the program what it may run meanwhile. */
void session_lend(const struct outcome *out);
/* In the tuner: hands the shared object behind FD to the program, as ARM. False: the program has not read for
 * long. */
bool session_send_variant(unsigned arm, int fd);
/* The page of the session that runs; NULL: there is none, or no memory for it. */
struct page *session_page(void);
/* The kernel's library was closed while another thread, which looks after the session, waited for the loader: that
 * thread is to look at nothing of the kernel's. */
void session_abandon(bool yes);
bool session_abandoned(void);
/* In the tuner: was VARIANT being compiled when a former tuner of this session crashed? */
bool session_suspects(uint64_t variant);
/* Called in the child of a fork: what is going on in the parent is not ours. Async-signal-safe. */
void session_forget(void);

enum session_state {
  SESSION_NONE,           /* there is no session */
  SESSION_RUNS,
  SESSION_ENDED,          /* OUT is filled; its rc is in OUT->tuned: false, and only OUT->why is set */
  SESSION_CRASHED,        /* as ENDED without a result, but with plan.retry another tuner may do better */
};
/* In the program, all by one thread at a time (decide.c: busy), one session at a time.
 * Forks the tuner. 0, or -1 and OUT->why. */
int session_start(const struct autotune_kernel *k, const struct identity *id, void *const *args,
                  const struct plan *plan, struct outcome *out);
/* Is there something that session_wait would see to? A few nanoseconds. */
bool session_has_news(void);
/* Reads what the tuner has sent, and waits at most SECONDS for the end (negative: as long as the tuner shows
 * life). After ENDED and CRASHED there is no session. */
enum session_state session_wait(double seconds, struct outcome *out);
/* Ends the tuner: nobody wants its result any more. */
void session_cancel(void);
/* Starts and waits, once more where the tuner crashes. 0 or -1 (then only OUT->why is set). */
int session_run(const struct autotune_kernel *k, const struct identity *id, void *const *args,
                const struct plan *plan, struct outcome *out);

/* ---- tune.c ----------------------------------------------------------------------------------------- */

struct progress {
  unsigned done, total;
  double best, original;  /* seconds of a call; 0: not known yet */
  double left;            /* seconds of the budget */
  double silence;         /* seconds until the next report at the latest: then the tuner hangs */
};
/* The pass, in the tuner process. OBJECT_FD: memfd that receives the winner's shared object. */
int tune_run(const struct autotune_kernel *k, const struct identity *id, void *const *args,
             const struct plan *plan, int object_fd, void (*report)(void *data, const struct progress *p), void *data,
             struct outcome *out);

/* ---- report.c (in the program autotune) -------------------------------------------------------------- */

struct report_options { const char *folder, *kernel; bool json, verbose; };
/* 0; 1: nothing was ever measured (said on OUT). */
int report_print(const struct report_options *o, FILE *out);

#endif
