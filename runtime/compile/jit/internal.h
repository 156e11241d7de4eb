/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: the functions inside libautotune-jit.so, grouped by file. jit.c exports
 * them in the table of compile/jit.h; nothing else is visible outside. */
#ifndef AUTOTUNE_JIT_INTERNAL_H
#define AUTOTUNE_JIT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compile/jit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- clang.cpp: C to an object, in process --------------------------------------- */

const char *clang_version(void);
void llvm_initialise(void); /* initialises the host as a target, once; thread-safe */
/* Installs LLVM's handlers of crashes, once; thread-safe. Only processes that compile or
 * list code need them; other processes must die of their own crashes. */
void llvm_catch_failures(void);
int clang_compile(const char *text, const char *const *flags, void **object, size_t *size,
                  char **message);

/* ---- link.cpp: an object to a shared object, by lld ------------------------------ */

/* Links the ELF object file INPUT into the shared object OUTPUT, which must be a pipe:
 * lld writes a regular file under another name and renames it. */
int lld_link(const char *input, const char *output, char **message);

/* ---- shared.c: runs link.cpp without files --------------------------------------- */

/* struct jit_api.link_shared */
int shared_link(const void *object, size_t size, const char *path, char **message);

/* ---- orc.c: an object into this process, by JITLink ------------------------------ */

struct jit_code *orc_load(const void *object, size_t size,
                          const struct autotune_symbol *symbols, size_t n_symbols,
                          char **message);
void *orc_symbol(struct jit_code *code, const char *name);
void orc_unload(struct jit_code *code);
/* struct jit_api.calls */
bool orc_calls(const void *object, size_t size, const struct autotune_symbol *symbols,
               size_t n_symbols, bool openmp);

/* ---- code.cpp, listing.cpp: disassemble, by LLVM's MC ----------------------------- */

/* struct jit_api.disassemble */
int code_disassemble(const void *object, size_t size, struct jit_instruction **code,
                     size_t *n, char **message);

/* struct jit_api.list */
int code_list(const void *data, size_t size, uint64_t address,
              struct jit_instruction **code, struct jit_line **lines, size_t *n,
              char **message);

/* ---- elf.c: symbols and code of a relocatable object ----------------------------- */

/* One symbol with a name that is neither a section nor a file. */
struct elf_symbol {
  const char *name;
  bool undefined, local, thread_local_storage, function;
  unsigned section;    /* index of the section that defines it, if one does */
  uint64_t value;      /* offset in that section */
  unsigned char *info; /* its st_info in OBJECT */
};
/* Calls VISIT for each symbol until it returns false. False: OBJECT is not an ELF64
 * object of this machine, or it is damaged. Only VISIT may write to OBJECT. */
bool elf_symbols(void *object, size_t size,
                 bool (*visit)(const struct elf_symbol *symbol, void *data), void *data);

/* A section of machine code. It lies within the object. */
struct elf_section {
  unsigned section;
  const unsigned char *data;
  size_t size;
};
/* Calls VISIT for each section with code, with the same results. Sections may overlap if
 * the object is damaged. */
bool elf_code(const void *object, size_t size,
              bool (*visit)(const struct elf_section *code, void *data), void *data);

/* ---- jit.c ----------------------------------------------------------------------- */

/* Returns a malloc'ed message, or NULL if there is no memory. */
char *message_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
#endif
