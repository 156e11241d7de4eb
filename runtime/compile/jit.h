/* SPDX-License-Identifier: Apache-2.0 */
/* jit.h: the interface of libautotune-jit.so, which holds in-process Clang, ORC and lld.
 * The library is opened with dlopen, only in the tuner's processes, and only when
 * something must be compiled. */
#ifndef AUTOTUNE_JIT_H
#define AUTOTUNE_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "autotune_abi.h"

#define JIT_ABI 6
#define JIT_ENTRY "autotune_jit" /* const struct jit_api *autotune_jit(void) */

struct jit_code; /* an object that ORC has loaded into this process */

/* The properties of an instruction that static.c uses. */
enum jit_flag {
  JIT_LOAD = 1 << 0,
  JIT_STORE = 1 << 1,
  JIT_STACK = 1 << 2, /* accesses the frame at a fixed offset */
  JIT_BRANCH = 1 << 3,
  JIT_CALL = 1 << 4,
  JIT_FLOAT = 1 << 5, /* arithmetic on floating-point numbers */
  JIT_FUSED = 1 << 6, /* multiplies and adds; JIT_FLOAT is also set */
  JIT_FIRST = 1 << 7, /* first instruction of a function */
  JIT_RETURN = 1 << 8,
  JIT_TO_INTEGER = 1 << 9, /* converts floating-point numbers to integers */
};
#define JIT_NOWHERE UINT64_MAX
struct jit_instruction {
  uint64_t address; /* its offset in all code, section after section */
  uint64_t target;  /* of a branch within its section; else JIT_NOWHERE */
  unsigned size, flags;
  unsigned vector_bits; /* of the widest vector register in it; 0: none, or only the first
                           element is used */
};

struct jit_line {   /* an instruction for people */
  const char *text; /* its mnemonic and, after a tab, its operands */
  const char *file; /* where its source is; "": not known */
  unsigned line;    /* in that file; 0: not known */
};

/* Every `message` is malloc'ed, freed by the caller, and set only on failure: the
 * compiler's or linker's first error line, then the rest. Functions return 0 or -1. */
struct jit_api {
  unsigned abi;

  /* "clang 22.1.8", for the identity of results. */
  const char *(*version)(void);

  /* Compiles C to a relocatable, position-independent ELF object. FLAGS as for clang's
   * driver, NULL-terminated; flags that only other compilers know are ignored silently.
   * *OBJECT is malloc'ed. Thread-safe; reads and writes no file. If the compiler crashes
   * or gives up, only this compilation fails; if it never ends, it cannot be stopped. */
  int (*compile)(const char *text, const char *const *flags, void **object, size_t *size,
                 char **message);

  /* Links an object of any compiler into the shared object file PATH. Symbols that it
   * lacks stay undefined and become weak. Thread-safe: one link at a time. */
  int (*link_shared)(const void *object, size_t size, const char *path, char **message);

  /* Loads an object of any compiler into this process through ORC; symbols that it lacks
   * are looked up in SYMBOLS first, then in the process. No page is ever writable and
   * executable. All calls of load, symbol and unload must come from one thread. */
  struct jit_code *(*load)(const void *object, size_t size,
                           const struct autotune_symbol *symbols, size_t n_symbols,
                           char **message);
  void *(*symbol)(struct jit_code *code, const char *name); /* NULL: not found */
  void (*unload)(struct jit_code *code);

  /* True if the object of any compiler calls functions of the process that may allocate
   * memory: all but those of libm, those that copy memory, and none of its own. OPENMP:
   * those of LLVM's OpenMP runtime count, too. Thread-safe. */
  bool (*calls)(const void *object, size_t size, const struct autotune_symbol *symbols,
                size_t n_symbols, bool openmp);

  /* Disassembles an object of any compiler. *CODE has all instructions, by address, and
   * is malloc'ed. Bytes that are not instructions are skipped. Thread-safe. */
  int (*disassemble)(const void *object, size_t size, struct jit_instruction **code,
                     size_t *n, char **message);

  /* The same for the functions of an object, program or library, with each instruction as
   * text, and with its line if FILE has debug information. ADDRESS: only the function
   * there, and what compilers made of its parts; JIT_NOWHERE: all. *LINES is one
   * malloc'ed block, which holds the texts. Thread-safe. */
  int (*list)(const void *file, size_t size, uint64_t address,
              struct jit_instruction **code, struct jit_line **lines, size_t *n,
              char **message);
};

#endif
