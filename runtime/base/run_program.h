/* SPDX-License-Identifier: Apache-2.0 */
/* run_program.h: another program, for a bounded time. */
#ifndef AUTOTUNE_RUN_PROGRAM_H
#define AUTOTUNE_RUN_PROGRAM_H

#include <stddef.h>

enum {
  RUN_FAILED = -1, /* not started; errno */
  RUN_TIMEOUT = -2 /* killed, with all that it had started */
};

/* Runs PROGRAM, which may be words ("ccache gcc"), looked up in PATH, with ARGS
 * (NULL-terminated), in the C locale, with no input, its temporary files in FOLDER (NULL:
 * wherever). What it writes to either output is in TEXT, NUL-terminated, as far as it
 * fits. Exit status, 128 + signal, or one of the above. Thread-safe. */
int run_program(const char *program, const char *const *args, const char *folder,
                char *text, size_t size, double seconds);

#endif
