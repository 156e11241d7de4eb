/* SPDX-License-Identifier: Apache-2.0 */
/* host.h: what compare.c does on the device, done on the host in chunks, by the functions
 * of run/verify.h. The parameters are those of the gpu_… functions in run.h. */
#ifndef AUTOTUNE_GPU_HOST_H
#define AUTOTUNE_GPU_HOST_H

#include "run.h"

/* The result of one task. compare.cu.h has the same struct. */
struct finding {
  unsigned long long first; /* index of the first element that differs */
  unsigned long long count; /* of those; also of numbers that were counted, changed, or
                               moved */
  double worst;             /* the largest difference */
  unsigned long long hash;
  unsigned long long nearest; /* on the device: of the element that agrees and is closest
                                 to what is allowed; 0: no element that agrees differs */
  unsigned long long far;     /* elements that moved further than the limit */
  double furthest;            /* the largest of those moves */
};

gpu_result host_compare(struct gpu_run *r, enum autotune_element e, struct tolerance t,
                        const struct gpu_buffer *expected, gpu_pointer got,
                        struct finding *out, struct deviation *most);
gpu_result host_count(struct gpu_run *r, enum autotune_element e,
                      const struct gpu_buffer *b, const struct gpu_buffer *before,
                      struct verify_counts *out);
gpu_result host_hash(struct gpu_run *r, gpu_pointer p, size_t bytes, struct finding *out);
gpu_result host_nudge(struct gpu_run *r, enum autotune_element e, gpu_pointer p,
                      size_t bytes, unsigned digits, unsigned seed, struct finding *out);
gpu_result host_far(struct gpu_run *r, enum autotune_element e,
                    const struct gpu_buffer *reference, gpu_pointer other, double limit,
                    struct finding *out);
gpu_result host_move(struct gpu_run *r, enum autotune_element e,
                     const struct gpu_buffer *reference, gpu_pointer other,
                     struct verify_noise *n, struct verify_moves *m);

#endif
