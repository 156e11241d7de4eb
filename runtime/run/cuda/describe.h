/* SPDX-License-Identifier: Apache-2.0 */
/* describe.h: shared by call.c and regions.c, which describe one call as plain bytes. */
#ifndef AUTOTUNE_GPU_DESCRIBE_H
#define AUTOTUNE_GPU_DESCRIBE_H

#include "gpu.h"

struct description {
  const struct autotune_kernel *kernel;
  const struct gpu_api *api;
  struct gpu_call *call;
  bool named;                    /* the kernel has sections besides workspaces */
  struct gpu_prepared *prepared; /* NULL: nothing is */
  char *why;
  size_t size;
};

/* Sets D's WHY, and returns false. */
bool call_refuse(struct description *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- regions.c ------------------------------------------------------------------- */

/* All functions return false where they refuse the call: D says why. */

enum place call_place_of(const struct description *d, gpu_pointer p,
                         struct gpu_allocation *out);
/* Refuses memory at PLACE, that the argument NAME points to. */
bool call_refuse_place(struct description *d, const char *name, enum place place);
/* Adds A if it is new. Returns its index; -1: there are too many. */
int call_add_allocation(struct description *d, const struct gpu_allocation *a,
                        const char *name);
bool call_add_region(struct description *d, struct gpu_region r, const char *name);
/* Adds all of allocation INDEX as a region, unless it is one. */
bool call_add_whole(struct description *d, int index, enum autotune_element element,
                    const char *name);
bool call_add_sections(struct description *d, void *const *args);
/* Takes the workspaces out of whole allocations. */
bool call_cut_scratch(struct description *d);
/* Merges regions that overlap, and sets how they are compared. */
void call_merge(struct description *d);

#endif
