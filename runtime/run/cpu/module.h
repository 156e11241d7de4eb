/* SPDX-License-Identifier: Apache-2.0 */
/* module.h: shared objects of variants, loaded into this process. */
#ifndef AUTOTUNE_MODULE_H
#define AUTOTUNE_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "autotune_abi.h"

/* Opens PATH with dlopen, binds what it lacks to the N SYMBOLS, and returns its
 * autotune_entry. *HANDLE is for dlclose. NULL and *MESSAGE (malloc'ed) on failure. */
autotune_fn module_load(const char *path, const struct autotune_symbol *symbols, size_t n,
                        void **handle, char **message);
/* True if the shared object that holds CODE, bound to the N SYMBOLS, calls functions of
 * the process that may allocate memory, or if that cannot be known. */
bool module_calls(autotune_fn code, const struct autotune_symbol *symbols, size_t n);
/* Marks that the library with the kernel's symbols was closed while another thread, which
 * watches its tuning, waited for the loader. Until module_abandon(false) that thread must
 * not read anything of the kernel's. */
void module_abandon(bool yes);
bool module_abandoned(void);

#endif
