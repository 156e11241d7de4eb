/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AUTOTUNE_EMULATOR_REWRITE_H
#define AUTOTUNE_EMULATOR_REWRITE_H

/* Returns TEXT for a C++ compiler for the CPU, malloc'ed; NULL: no memory. Each line
 * keeps its place. `extern __shared__ T name[];` becomes a reference to the dynamic
 * shared memory; each __global__ function that is no template is followed by an entry by
 * which the driver finds it. */
char *rewrite_unit(const char *text);

#endif
