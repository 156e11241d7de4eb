/* SPDX-License-Identifier: Apache-2.0 */
/* jit.h: the one door to libautotune-jit.so, which holds in-process Clang, ORC and lld.
 * It is opened with dlopen, only in the tuner's processes, and only when something must
 * be compiled. */
#ifndef AUTOTUNE_JIT_H
#define AUTOTUNE_JIT_H

#include <stddef.h>
#include <stdint.h>

#include "autotune_abi.h"

#define JIT_ABI 2
#define JIT_ENTRY "autotune_jit" /* const struct jit_api *autotune_jit(void) */

struct jit_code; /* an object that ORC has loaded into this process */

/* What an instruction does, as far as static.c wants to know. */
enum jit_flag {
  JIT_LOAD = 1 << 0,
  JIT_STORE = 1 << 1,
  JIT_STACK =
      1 << 2, /* at a place in the frame that does not depend on other registers */
  JIT_BRANCH = 1 << 3,
  JIT_CALL = 1 << 4,
  JIT_FLOAT = 1 << 5, /* arithmetic on floating-point numbers */
  JIT_FUSED = 1 << 6, /* multiplies and adds; JIT_FLOAT besides */
  JIT_FIRST = 1 << 7, /* of a function */
  JIT_RETURN = 1 << 8,
};
#define JIT_NOWHERE UINT64_MAX
struct jit_instruction {
  uint64_t address; /* counted through all code of the object, section behind section */
  uint64_t target;  /* of a branch within its section; else JIT_NOWHERE */
  unsigned size, flags;
  unsigned vector_bits; /* of the widest vector register in it; 0: none, or only its first
                           element */
};

/* Every `message` is malloc'ed, the caller's to free, and set only on failure: the
 * compiler's or linker's first error line first, the rest behind it. Functions return 0
 * or -1. */
struct jit_api {
  unsigned abi;

  /* "clang 22.1.8", for the identity of results. */
  const char *(*version)(void);

  /* Compiles C to a relocatable, position-independent ELF object. FLAGS as for clang's
   * driver, NULL-terminated; flags that only other compilers know are left out silently.
   * *OBJECT is malloc'ed. Thread-safe; reads and writes no file. A compiler that crashes
   * or gives up fails this compilation and no more; one that never ends cannot be
   * stopped. */
  int (*compile)(const char *text, const char *const *flags, void **object, size_t *size,
                 char **message);

  /* Links an object of any compiler into the shared object file PATH. Symbols that it
   * lacks stay undefined and weak. One at a time (locks inside). */
  int (*link_shared)(const void *object, size_t size, const char *path, char **message);

  /* Loads an object of any compiler into this process through ORC; what it lacks is
   * looked up in SYMBOLS first, then in the process. No page is ever writable and
   * executable. For one thread. */
  struct jit_code *(*load)(const void *object, size_t size,
                           const struct autotune_symbol *symbols, size_t n_symbols,
                           char **message);
  void *(*symbol)(struct jit_code *code, const char *name); /* NULL: not there */
  void (*unload)(struct jit_code *code);

  /* All instructions of an object of any compiler, by address, malloc'ed. Bytes that are
   * no instruction are passed over. Thread-safe. */
  int (*disassemble)(const void *object, size_t size, struct jit_instruction **code,
                     size_t *n, char **message);
};

#endif
