/* SPDX-License-Identifier: Apache-2.0 */
/* compile.h: from a point to code, grouped by file. */
#ifndef AUTOTUNE_COMPILE_H
#define AUTOTUNE_COMPILE_H

#include "base/base.h"

/* ---- backend.c: how variants come to be; one table, one file each ---------------- */

struct object { /* what a compiler made of a variant */
  void *data;
  size_t size;
  char *message;  /* on failure: the compiler's first error line, and the rest */
  double seconds; /* what it took */
};
struct backend {
  const char *name;
  bool built_in; /* else it is a program */
  /* May this backend make variants for COMPILER (as spelled in compiler(…))? */
  bool (*applicable)(const char *compiler);
  /* "clang 22.1.8", "gcc (Debian …) 12.2.0": part of the identity; NULL: not there. */
  const char *(*version)(const char *compiler);
  /* Thread-safe. TEXT: definitions and the unit's text. 0 or -1 (then object->message).
   */
  int (*compile)(const char *compiler, const char *text, const char *const *flags,
                 struct object *out);
};
extern const struct backend backend_clang;    /* in process */
extern const struct backend backend_nvrtc;    /* CUDA, in process: gpu/nvrtc.c */
extern const struct backend backend_external; /* an installed compiler */
const struct backend *backend_find(const char *compiler);
void object_free(struct object *o);

/* ---- jit_open.c ------------------------------------------------------------------ */

struct jit_api;
/* dlopens libautotune-jit.so (AUTOTUNE_JIT, else beside libautotune.so); NULL and
 * *MESSAGE (malloc'ed) on failure. */
const struct jit_api *jit_open(char **message);
/* dlopens libomp (AUTOTUNE_OPENMP, else what was configured) globally unless the process
 * has an OpenMP runtime of LLVM already. 0 or -1. */
int openmp_open(char **message);

/* ---- pool.c: compiling ahead ----------------------------------------------------- */

struct pool;
struct compiled {
  choice *point;
  uint64_t ticket;
  struct object object;
  int status;
};
struct pool *pool_new(const struct autotune_kernel *k, unsigned threads);
/* While a variant is compiled, its mark (not 0) stands in one of the N words at MARKS. */
void pool_watch(struct pool *p, _Atomic uint64_t *marks, unsigned n);
/* Queues a point under TICKET. */
int pool_submit(struct pool *p, const choice *point, uint64_t ticket, uint64_t mark);
/* The next that is done, waiting at most SECONDS. False: none. The caller frees *out's
 * point, object. */
bool pool_take(struct pool *p, struct compiled *out, double seconds);
unsigned pool_pending(struct pool *p);
void pool_pause(struct pool *p, bool paused); /* nothing new is begun while paused */
void pool_free(struct pool *p); /* drops what is queued, waits for what runs */

#endif
