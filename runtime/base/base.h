/* SPDX-License-Identifier: Apache-2.0 */
/* base.h: what all of libautotune needs, grouped by file. Each folder has a header of
 * its own.
 *
 * How the first call of a key proceeds (docs/design.md draws it):
 *
 *   call/site.c         the keys of each kernel, and the result of each
 *   call/begin.c        autotune_begin: stands around each call
 *   call/decide.c       decided before; else the store's winner; else a tuning, or the
 *                       default
 *   call/session/       forks the TUNER from the program, waits for its winner
 *   tune/tune.c         (in the tuner) proposes, compiles, tries, learns, races, stores
 *   compile/pool.c      (in the tuner) compiles ahead on threads
 *   run/cpu/worker.c    (in the tuner) forks the ZYGOTE before any thread starts. The
 *                       zygote keeps the image of the arguments and forks a WORKER when
 *                       needed, which loads, runs, compares and times variants
 *
 * The program's own process never loads LLVM, starts no thread and keeps no file open.
 * Whatever fails in the tuner, the program runs the default variant.
 *
 * Three kinds of failure: mistakes of the user (a message in the log), failures of the
 * machine (a status and a message), defects of autotune (assert). */
#ifndef AUTOTUNE_BASE_H
#define AUTOTUNE_BASE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "autotune.h"
#include "autotune_abi.h"
#include "base/options.h"

/* ---- sys.c: system calls that a test can make fail ------------------------------- */

/* AUTOTUNE_FAULT="malloc:3" makes the third call fail, "malloc:3+" the third and all
 * later ones; several faults are separated by commas. Points: malloc, open, write, fsync,
 * rename, fork, thread, sqlite, jit, mmap, pipe. Always compiled in (one predictable
 * branch each). Calls are counted per process. */
enum sys_point {
  SYS_MALLOC,
  SYS_OPEN,
  SYS_WRITE,
  SYS_FSYNC,
  SYS_RENAME,
  SYS_FORK,
  SYS_THREAD,
  SYS_SQLITE,
  SYS_JIT,
  SYS_MMAP,
  SYS_PIPE,
  SYS_POINTS
};
bool sys_fails(enum sys_point point); /* true: the caller acts as if the call failed
                                         (errno is set) */
void *sys_malloc(size_t size);        /* NULL on failure, as malloc */
void *sys_calloc(size_t n, size_t size);
void *sys_realloc(void *p, size_t size);
char *sys_strdup(const char *s);
/* Returns the part of PATH after its last '/'. */
const char *sys_file_name(const char *path);
char *sys_printf(const char *format, ...)
    __attribute__((format(printf, 1, 2)));                /* malloc'ed */
int sys_open(const char *path, int flags, mode_t mode);   /* close-on-exec always */
int sys_write_all(int fd, const void *data, size_t size); /* 0, or -1 and errno */
int sys_read_all(int fd, void *data, size_t size); /* bytes read until EOF, or -1 */
int sys_fsync(int fd);
int sys_rename(const char *from, const char *to);
pid_t sys_fork(void);
void *sys_mmap(size_t size, bool shared); /* anonymous; NULL on failure */
/* A write of autotune's may raise SIGPIPE or SIGXFSZ (a limit of file sizes), which would
 * end the program. sys_block_signals blocks both in the calling thread;
 * sys_unblock_signals discards those raised since, and restores the mask. */
struct blocked_signals {
  sigset_t before, ours;
};
void sys_block_signals(struct blocked_signals *h);
void sys_unblock_signals(const struct blocked_signals *h);
double sys_cpu(void);               /* CPU seconds of this process, all threads */
double sys_unix(void);              /* unix time */
unsigned sys_threads(void);         /* of this process, now; 1 if that is not known */
double sys_now(void);               /* monotonic seconds; a test may set the clock: */
void sys_set_clock(double seconds); /* negative: the real clock again */

/* ---- log.c ----------------------------------------------------------------------- */

void log_message(enum autotune_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void log_once(enum autotune_level level, const char *topic, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* once per process and topic */
/* Once per process, topic and NAME, which is that of a kernel. */
void log_once_of(enum autotune_level level, const char *name, const char *topic,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Call before a fork: the child and this process then say each of these once together. */
void log_share(void);
bool log_enabled(enum autotune_level level);
/* Writes the progress line to standard error, over the previous one; only at level info
 * and on a terminal. NULL clears it. True: something was written. */
bool log_progress(const char *line);
/* Writes a line to standard error if that is a terminal that shows warnings and no more,
 * and no function takes the messages: for users who wonder why their program waits.
 * True: it was written. */
bool log_waiting(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- machine.c: hwloc ------------------------------------------------------------ */

struct machine {
  struct autotune_machine numbers;
  char cpu[128];  /* "GenuineIntel Xeon … family 6 model 143 stepping 8": part of the
                     identity */
  char isa[64];   /* the host's -march name and a hash of its feature flags */
  char name[128]; /* shown to people */
};
/* Lets this thread run on all processors of the process again. */
void machine_spread_all(void);
/* If this thread is bound to some of these processors, binds it to another one, by PLACE.
 */
void machine_spread(unsigned place);
const struct machine *machine_get(void); /* read once; never NULL; thread-safe */
/* The same without caches and cores: numbers other than threads, line and vector are 0.
 * Takes a few microseconds and suffices for an identity. Never NULL; thread-safe. */
const struct machine *machine_identity(void);
/* Returns the number of processors that this process may use. Asks no processor what it
 * is, which takes longer in a virtual machine. Thread-safe. */
unsigned machine_threads(void);
/* Writes "l1d=32768 l2=1048576 l3=… cores=8 line=64 vector=64" into TEXT and returns
 * it. */
const char *machine_text(char *text, size_t size);
/* Fills OUT with the caches, cores and threads of a topology in hwloc's synthetic
 * notation, for tests. Returns 0 or -1. */
int machine_read_synthetic(const char *description, struct autotune_machine *out);

/* ---- stats.c --------------------------------------------------------------------- */

struct estimate {
  double median, low, high;
  unsigned n;
}; /* 95 % interval of the median */
/* Returns the median with a distribution-free interval from order statistics (binomial).
 * Sorts SAMPLES. */
struct estimate stats_median(double *samples, unsigned n);
/* The same, but sorts a copy. Its n is 0 if there is no memory. */
struct estimate stats_of(const double *samples, unsigned n);
struct estimate stats_scaled(struct estimate e, double factor); /* E times FACTOR */
bool stats_precise(struct estimate e,
                   double fraction); /* true if the interval is within ± fraction/2 */
/* True if E is above BEST beyond noise. */
bool stats_above(struct estimate e, struct estimate best);

/* ---- types that all folders use --------------------------------------------------- */

/* A point: one value index for each parameter; 0 where the parameter does not matter. */
typedef uint32_t choice;
enum { MAX_PARAMS = 128 }; /* per kernel; the translator refuses more */

enum status {
  STATUS_OK,
  STATUS_COMPILE,
  STATUS_LOAD,
  STATUS_WRONG,
  STATUS_CRASH,
  STATUS_TIMEOUT,
  STATUS_EXIT,
  STATUS_PENDING /* stored before the variant is tried */,
  STATUS_DROPPED /* not run: this tuning predicted that it would lose (prune.c) */
};
#define STATUSES (STATUS_DROPPED + 1)

/* Properties of a variant's code that are known without running it (static.c); NAN: not
 * known. */
enum { MAX_FEATURES = 32 };
struct features {
  float values[MAX_FEATURES];
};

#endif
