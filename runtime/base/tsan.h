/* SPDX-License-Identifier: Apache-2.0 */
/* tsan.h: for programs that are built with a sanitizer, where libautotune is not.
 *
 * ThreadSanitizer sees the memory that libautotune allocates and the C library's
 * functions that it calls, and does not see its atomics. So it would report races that
 * are none. */
#ifndef AUTOTUNE_TSAN_H
#define AUTOTUNE_TSAN_H

#include <stdbool.h>

/* Makes ThreadSanitizer ignore what this thread does, until tsan_heed. Calls may be
 * nested. A few nanoseconds, also without ThreadSanitizer. */
void tsan_ignore(void);
void tsan_heed(void);
/* True if this process has AddressSanitizer or ThreadSanitizer. */
bool tsan_or_asan(void);

#endif
