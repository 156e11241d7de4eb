/* SPDX-License-Identifier: Apache-2.0 */
/* backend.h: what backend.c's table lists, one line for each file of a backend. */
#ifndef AUTOTUNE_BACKEND_H
#define AUTOTUNE_BACKEND_H

#include "runtime.h"

extern const struct backend backend_clang;    /* in process */
extern const struct backend backend_nvrtc;    /* CUDA, in process */
extern const struct backend backend_external; /* an installed compiler */

#endif
