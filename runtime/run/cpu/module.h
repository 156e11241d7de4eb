/* SPDX-License-Identifier: Apache-2.0 */
/* module.h: shared objects of variants, loaded into this process. */
#ifndef AUTOTUNE_MODULE_H
#define AUTOTUNE_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "autotune_abi.h"

struct link_map;

/* Opens PATH with dlopen, binds what it lacks to the N SYMBOLS, and returns its
 * autotune_entry. *HANDLE is for dlclose. NULL and *MESSAGE (malloc'ed) on failure. */
autotune_fn module_load(const char *path, const struct autotune_symbol *symbols, size_t n,
                        void **handle, char **message);
/* Returns the autotune_constants of the object of HANDLE (model/constants.h); NULL: it
 * has none. */
const long long *module_constants(void *handle);
/* True if the shared object that holds CODE, bound to the N SYMBOLS, calls functions of
 * the process that may allocate memory, or if that cannot be known. OPENMP: those of
 * LLVM's OpenMP runtime may. */
bool module_calls(autotune_fn code, const struct autotune_symbol *symbols, size_t n,
                  bool openmp);
/* Lets the library at MAP call FUNCTION where it calls the process's NAME. False: it does
 * not call it, or that cannot be changed. No other thread may be in that library. */
bool module_redirect(const struct link_map *map, const char *name, autotune_fn function);
/* Marks that the library with the kernel's symbols was closed while another thread, which
 * watches its tuning, waited for the loader. Until module_abandon(false) that thread must
 * not read anything of the kernel's. */
void module_abandon(bool yes);
bool module_abandoned(void);

#endif
