/* SPDX-License-Identifier: Apache-2.0 */
/* rounding_kernels.h: kernels whose answers depend on rounding, in several versions. */
#ifndef AUTOTUNE_ROUNDING_KERNELS_H
#define AUTOTUNE_ROUNDING_KERNELS_H

enum { ROUNDING_N = 48, ROUNDING_SIZE = 4096 };
struct rounding_kernel {
  const char *name; /* NULL: the end */
  void (*run)(const void *in, void *out);
};
/* Of floats and doubles: as written; sums in blocks; four sums at a time; as written,
 * with -O3 -march=native -ffast-math; sums in blocks, likewise. */
extern const struct rounding_kernel kernels_f_written[], kernels_f_blocks[],
    kernels_f_lanes[], kernels_f_fast[], kernels_f_fast_blocks[];
extern const struct rounding_kernel kernels_d_written[], kernels_d_blocks[],
    kernels_d_lanes[], kernels_d_fast[], kernels_d_fast_blocks[];

#endif
