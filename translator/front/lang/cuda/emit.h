/* SPDX-License-Identifier: Apache-2.0 */
/* emit.h: between the files that write the translated .cu file.
 *
 *   emit.c          edits of what the user wrote
 *   emit_class.c    what the runtime must know of a kernel, as a class; a template where
 * the kernel is one emit_launch.c   the functions that are called in place of launches
 */
#ifndef AUTOTUNE_CUDA_EMIT_H
#define AUTOTUNE_CUDA_EMIT_H

#include "front/reach/unit.h"
#include "cuda.h"

/* ---- emit_class.c ---------------------------------------------------------------- */

void cuda_emit_class(const struct emission *e);
/* "<T, N>", or nothing. */
void cuda_emit_instance(const struct emission *e);

/* ---- emit_launch.c --------------------------------------------------------------- */

/* A member of the class: by the runtime, else as written. */
void cuda_emit_packed(const struct emission *e);
/* autotune_launch_NAME and autotune_launchv_NAME. */
void cuda_emit_launchers(const struct emission *e);
/* The former, declared as DECLARATION declares the kernel. False: that is none. */
bool cuda_emit_declaration(struct slice declaration, const struct kernel *k,
                           struct text *out);

#endif
