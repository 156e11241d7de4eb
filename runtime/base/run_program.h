/* SPDX-License-Identifier: Apache-2.0 */
/* run_program.h: runs another program for a limited time. */
#ifndef AUTOTUNE_RUN_PROGRAM_H
#define AUTOTUNE_RUN_PROGRAM_H

#include <stddef.h>

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

#endif
