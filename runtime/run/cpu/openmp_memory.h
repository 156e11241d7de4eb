/* SPDX-License-Identifier: Apache-2.0 */
/* openmp_memory.h: the memory of LLVM's OpenMP runtime, apart from the program's heap. */
#ifndef AUTOTUNE_OPENMP_MEMORY_H
#define AUTOTUNE_OPENMP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* In the zygote: prepares the runtime to allocate in memory of its own. False: the
 * process has no such runtime, or another one besides it; nothing has changed. */
bool openmp_memory_part(void);
/* In a worker, after openmp_memory_part: lets the runtime allocate there from now on, or
 * in the program's heap again. Any memory can be freed at any time. */
void openmp_memory_use(bool yes);
/* Starts LEAST threads, but not fewer than the machine has, or than the next region of
 * this thread needs. Calls SEE with the stack of each other thread. */
void openmp_memory_warm(unsigned least, void (*see)(void *base, size_t size, void *data),
                        void *data);

#endif
