/* SPDX-License-Identifier: Apache-2.0 */
/* compile.h: compiles points to code, grouped by file. */
#ifndef AUTOTUNE_COMPILE_H
#define AUTOTUNE_COMPILE_H

#include "base/base.h"

/* ---- backend.c: the table of compilers; each backend has a file of its own -------- */

struct object { /* a compiled variant */
  void *data;
  size_t size;
  char *message;  /* on failure: the compiler's first error line, then the rest */
  double seconds; /* of the compilation */
  bool plain;     /* it was not accepted with constants, and has none */
};
struct backend {
  const char *name;
  bool built_in; /* else it is a program */
  /* True if this backend compiles variants for COMPILER (as spelled in compiler(…)). */
  bool (*applicable)(const char *compiler);
  /* Returns "clang 22.1.8" or "gcc (Debian …) 12.2.0", part of the identity; NULL: the
   * compiler is not installed. */
  const char *(*version)(const char *compiler);
  /* Compiles TEXT (definitions, then the unit's text). Returns 0, or -1 and OUT->message.
   * The caller calls object_free after both. Thread-safe. */
  int (*compile)(const char *compiler, const char *text, const char *const *flags,
                 struct object *out);
};
extern const struct backend backend_clang;    /* in process */
extern const struct backend backend_nvrtc;    /* CUDA, in process: nvrtc.c */
extern const struct backend backend_external; /* an installed compiler: external.c */
const struct backend *backend_find(const char *compiler);
void object_free(struct object *o);

/* ---- jit_open.c ------------------------------------------------------------------ */

struct jit_api;
/* Opens libautotune-jit.so (AUTOTUNE_JIT, else next to libautotune.so) with dlopen, once.
 * Returns NULL and *MESSAGE (malloc'ed) on failure. */
const struct jit_api *jit_open(char **message);
/* Opens libomp (AUTOTUNE_OPENMP, else the configured one) globally, unless the process
 * has LLVM's OpenMP runtime already. Returns 0, or -1 and *MESSAGE (malloc'ed). */
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
/* While a variant is compiled, one of the N words at MARKS holds its mark (not 0). */
void pool_watch(struct pool *p, _Atomic uint64_t *marks, unsigned n);
/* Lets PARTS of KEY be constants in variants (model/constants.h), but not in strict
 * builds, nor in bodies from outside, nor in the kernel as written. Call it before
 * anything is queued. */
void pool_constants(struct pool *p, const long long *key, uint64_t parts);
/* Queues POINT, which is copied, for compilation under TICKET. NULL: the kernel as
 * written, as its `replay` has it. Returns 0 or -1. */
int pool_submit(struct pool *p, const choice *point, uint64_t ticket, uint64_t mark);
/* The same with BODY, which must outlive the pool, in the place of the kernel's; NULL:
 * with the kernel's. STRICT: with variant_strict_flags. */
int pool_submit_body(struct pool *p, const choice *point, const char *body, bool strict,
                     uint64_t ticket, uint64_t mark);
/* The same with DEFINES, lines of less than POOL_DEFINES bytes in all (copied), before
 * the text. */
enum { POOL_DEFINES = 96 };
int pool_submit_defines(struct pool *p, const choice *point, uint64_t ticket,
                        uint64_t mark, const char *defines);
/* Takes the next compiled variant, waiting at most SECONDS. False: there is none. The
 * caller frees *out's point and object. */
bool pool_take(struct pool *p, struct compiled *out, double seconds);
unsigned pool_pending(struct pool *p);
void pool_pause(struct pool *p, bool paused); /* no compilation is begun while paused */
void pool_free(struct pool *p); /* drops queued jobs, waits for running ones */

/* ---- outside.c ------------------------------------------------------------------- */

/* Returns why OBJECT, compiled for POINT with a body from outside, is refused: it calls
 * what the kernel does not, or keeps data from call to call. Malloc'ed; NULL: it is
 * not. */
char *outside_refuses(const struct autotune_kernel *k, const choice *point,
                      const void *object, size_t size);

#endif
