// SPDX-License-Identifier: Apache-2.0
// kernel.c: what depends on the language that a kernel was translated from.
#include "kernel.h"

bool kernel_is_launched(const struct autotune_kernel *k) {
  return k->gpu != NULL;
}

const char *kernel_instance(const struct autotune_kernel *k) {
  return k->gpu ? k->gpu->instance : NULL;
}

bool kernel_geometry(const struct autotune_kernel *k,
                     const struct autotune_value *const *values, void *const *args,
                     const struct autotune_machine *machine,
                     const struct autotune_launch *asked, struct autotune_launch *out) {
  return k->gpu->geometry(values, args, machine, asked, out) != 0;
}
