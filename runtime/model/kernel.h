/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h: a call of a kernel, and what depends on the kernel's language, for callers
 * that must not. */
#ifndef AUTOTUNE_KERNEL_H
#define AUTOTUNE_KERNEL_H

#include "base/base.h"

/* One call, as the program made it; lives as long as that call does. */
struct call {
  void *const *args;                    /* addresses of the arguments */
  const struct autotune_launch *launch; /* what a launch asked for; NULL: a plain call */
  const long long *key;                 /* n_keys numbers */
};

/* True if calls are launches on a device. */
bool kernel_is_launched(const struct autotune_kernel *k);
/* Returns lines that come before the unit's text ("#define AUTOTUNE_T0 float\n"). NULL:
 * there are no such lines, or the kernel is launched and what its template is
 * instantiated with has no name. */
const char *kernel_instance(const struct autotune_kernel *k);
/* Computes the launch of the variant with VALUES (one for each parameter) where the
 * program asked for ASKED. False: its blocks do not divide that. For launched kernels
 * only. */
bool kernel_geometry(const struct autotune_kernel *k,
                     const struct autotune_value *const *values, void *const *args,
                     const struct autotune_machine *machine,
                     const struct autotune_launch *asked, struct autotune_launch *out);
/* Returns the arguments that the host makes for each variant of K, *N of them. */
const struct autotune_prepared *kernel_prepared(const struct autotune_kernel *k,
                                                unsigned *n);
/* True if K declares memory whose contents do not matter. */
bool kernel_has_scratch(const struct autotune_kernel *k);
/* Writes the names of that memory into TEXT, which is returned: "work[0:n] or t[0:m]". */
const char *kernel_scratch_names(const struct autotune_kernel *k, char *text,
                                 size_t size);
/* True if K has sections besides: then they are all the memory that it is said to
 * write. */
bool kernel_has_sections(const struct autotune_kernel *k);
/* Returns the size of the allocation that holds ADDRESS; 0: it is not known. */
typedef size_t extent_bytes(const void *address);
/* Returns a hash of how much memory CALL touches and of the threads that it asks for
 * (extent.c); 0: it is not known. BYTES_AT is asked where K has no sections; NULL: none
 * can say it. */
uint64_t kernel_extent(const struct autotune_kernel *k, const struct call *call,
                       extent_bytes *bytes_at);
/* True if K's text may share its work with other threads that call it at the same time,
 * in a parallel region of the caller. */
bool kernel_cooperates(const struct autotune_kernel *k);

/* True if K may write numbers of the TYPE "float" or "double": a unit names it, or types
 * may be named elsewhere than in the units. */
bool kernel_may_write(const struct autotune_kernel *k, const char *type);

/* True if this runtime reads K: it may be of an older version. */
bool kernel_is_known(const struct autotune_kernel *k);
/* Members that a translated file of an older version lacks; NULL: it has none. */
const struct autotune_layout *const *kernel_layouts(const struct autotune_kernel *k);
const struct autotune_layout *kernel_ret_layout(const struct autotune_kernel *k);
/* True if K returns a pointer. */
bool kernel_returns_pointer(const struct autotune_kernel *k);
autotune_rows_fn *kernel_rows(const struct autotune_kernel *k);
/* True if K is tuned only when much of the program's time is spent in it. */
bool kernel_when_hot(const struct autotune_kernel *k);
struct autotune_gate *kernel_gate(const struct autotune_kernel *k);
/* True if no sections overlap in the call with ARGS, as far as variants of K assume that.
 * May read many pointers. */
bool kernel_is_apart(const struct autotune_kernel *k, void *const *args);
double kernel_until_roof(const struct autotune_kernel *k); /* 0: not given */
/* True if variants of K whose outputs were not compared must not run: nobody who knows K
 * has chosen to tune it. */
bool kernel_refuses_unchecked(const struct autotune_kernel *k);
/* Returns a copy of K, with zeros for members that it lacks. */
struct autotune_kernel kernel_copy(const struct autotune_kernel *k);

#endif
