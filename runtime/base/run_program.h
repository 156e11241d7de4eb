/* SPDX-License-Identifier: Apache-2.0 */
/* run_program.h: runs other programs: one for a limited time, or one to talk to. */
#ifndef AUTOTUNE_RUN_PROGRAM_H
#define AUTOTUNE_RUN_PROGRAM_H

#include <stddef.h>
#include <sys/types.h>

enum {
  RUN_FAILED = -1, /* not started; errno */
  RUN_TIMEOUT = -2 /* killed, with all processes it had started */
};

/* Runs PROGRAM, which may be several words ("ccache gcc") and is looked up in PATH, with
 * ARGS (NULL-terminated), for at most SECONDS. It runs in the C locale, with no input,
 * and with its temporary files in FOLDER (NULL: where the environment says). TEXT
 * receives standard output and error, NUL-terminated, as far as they fit. Returns the
 * exit status, 128 + signal, or one of the above. Thread-safe. */
int run_program(const char *program, const char *const *args, const char *folder,
                char *text, size_t size, double seconds);

/* Starts COMMAND with `sh -c`. *INPUT is written to its standard input, *OUTPUT is read
 * from its standard output; neither blocks, and the caller closes both. Standard error
 * and the environment are those of this process. Returns the process; -1: not started,
 * errno. */
pid_t run_program_start(const char *command, int *input, int *output);
/* Waits SECONDS at most for the end of PID, and kills what is left of it and of the
 * processes that it started. Returns its exit status as run_program does. */
int run_program_end(pid_t pid, double seconds);

#endif
