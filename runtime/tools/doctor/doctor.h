/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.h: `autotune doctor` reports what works on this machine, what is missing and how
 * to install it. Also the versions of `autotune --version`. Only for the program
 * autotune.
 *
 *   doctor.c      runs the table of checks, prints what was found
 *   compilers.c   compilers (in process, clang, the build's own), OpenMP
 *   results.c     the folder of results, and code that is kept there
 *   processors.c  processors, frequency, load, memory: what measurements depend on
 *   processes.c   what a container may forbid
 *   cuda.c        driver, NVRTC, toolkit, helper, emulator
 *   versions.c    versions */
#ifndef AUTOTUNE_DOCTOR_H
#define AUTOTUNE_DOCTOR_H

#include "tools/common/command.h"

struct doctor_options {
  bool json;
};
/* Runs all checks and prints what was found. Returns the exit status: 1 if something
 * failed that tuning C kernels needs. */
int doctor_run(const struct arguments *a);

/* Prints a line "NAME VERSION" for each library that this process finds. */
void versions_print(FILE *out);

/* ---- inside ---------------------------------------------------------------------- */

enum state {
  DOCTOR_OK,
  DOCTOR_NOTE,    /* it works, with a remark */
  DOCTOR_MISSING, /* not found, and not needed by everybody */
  DOCTOR_FAILED   /* C kernels cannot be tuned, or results cannot be stored */
};
/* The result of a check. It has no pointers, since it may come from another process. */
struct finding {
  bool told; /* STATE and ADVICE replace those of the table of checks */
  enum state state;
  char found[640], advice[512];
};
/* Notes what was found. Returns GOOD, for the check to return. */
bool finding_say(struct finding *f, bool good, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Replaces the table's state and advice by STATE and ADVICE (one sentence, or "").
 * Returns false, for the check to return. */
bool finding_instead(struct finding *f, enum state state, const char *advice);

/* Each check tries the thing itself, rather than looking whether a file exists, and notes
 * what it found. True: it works. Otherwise state and advice are the table's, unless the
 * check replaced them. */
typedef bool check_fn(struct finding *f);
check_fn check_compiler, check_clang, check_host, check_openmp;       /* compilers.c */
check_fn check_folder, check_kept_code;                               /* results.c */
check_fn check_processors, check_frequency, check_load, check_memory; /* processors.c */
check_fn check_processes, check_debuggers;                            /* processes.c */
check_fn check_driver, check_nvrtc, check_toolkit, check_gpu_worker,
    check_emulator; /* cuda.c */

/* A unit like a variant's: autotune_entry points to a function that returns 42. */
extern const char doctor_unit[];
/* Reads the first line of the file at PATH, without its newline. False: it cannot be
 * read, or is empty. */
bool doctor_line(const char *path, char *text, size_t size);

#endif
