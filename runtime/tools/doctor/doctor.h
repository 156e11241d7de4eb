/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.h: `autotune doctor`: what works on this machine, what is missing and how to get
 * it; and the versions that `autotune --version` tells. For the program autotune alone.
 *
 *   doctor.c      runs the table of checks, prints what was found
 *   compilers.c   the compiler in process, clang for `autotune cc`, the build's own,
 * OpenMP, XGBoost results.c     the folder of results, and code that is kept there
 *   processors.c  processors, frequency, load, memory: what measurements depend on
 *   processes.c   what a container may forbid
 *   cuda.c        driver, NVRTC, toolkit, helper, emulator
 *   versions.c    versions */
#ifndef AUTOTUNE_DOCTOR_H
#define AUTOTUNE_DOCTOR_H

#include <stdbool.h>
#include <stdio.h>

struct doctor_options {
  bool json;
};
/* The exit status: 1 where something failed that tuning C kernels needs. */
int doctor_run(const struct doctor_options *o, FILE *out);

/* Lines "NAME VERSION" of the libraries that this process finds. */
void versions_print(FILE *out);

/* ---- inside ---------------------------------------------------------------------- */

enum state {
  DOCTOR_OK,
  DOCTOR_NOTE,    /* it works, but there is something to know */
  DOCTOR_MISSING, /* not there, and not needed by all */
  DOCTOR_FAILED   /* C kernels are not tuned, or not remembered */
};
/* Without a pointer into memory of one process: it may come from another. */
struct finding {
  bool told; /* STATE and ADVICE are in place of those of the table of checks */
  enum state state;
  char found[640], advice[512];
};
/* Notes what was found. GOOD, for the check to return. */
bool finding_say(struct finding *f, bool good, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* For a check that does not find what the table says: STATE, and what to do about it in
 * one sentence, or "". False, for the check to return. */
bool finding_instead(struct finding *f, enum state state, const char *advice);

/* Each of these tries what it speaks of, rather than looking whether a file is there, and
 * notes what it found. True: it works. Otherwise its state and the advice are those of
 * the table, unless it said others. */
typedef bool check_fn(struct finding *f);
check_fn check_compiler, check_clang, check_host, check_openmp,
    check_xgboost;                                                    /* compilers.c */
check_fn check_folder, check_kept_code;                               /* results.c */
check_fn check_processors, check_frequency, check_load, check_memory; /* processors.c */
check_fn check_processes, check_debuggers;                            /* processes.c */
check_fn check_driver, check_nvrtc, check_toolkit, check_gpu_worker,
    check_emulator; /* cuda.c */

/* The first line of the file at PATH, without its newline. False: it cannot be read, or
 * is empty. */
bool doctor_line(const char *path, char *text, size_t size);
/* "7.7 GiB" into TEXT, which is returned. */
const char *doctor_bytes(char *text, size_t size, double bytes);

#endif
