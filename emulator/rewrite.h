/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AUTOTUNE_EMULATOR_REWRITE_H
#define AUTOTUNE_EMULATOR_REWRITE_H

/* TEXT, malloc'ed, as a C++ compiler for the CPU wants it, with every line where it was:
 * - `extern __shared__ T name[];` becomes a reference to the dynamic shared memory,
 * - each __global__ function that is no template is followed by what the driver finds it
 * by. NULL: no memory. */
char *rewrite_unit(const char *text);

#endif
