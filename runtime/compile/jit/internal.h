/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: everything inside libautotune-jit.so, grouped by file. jit.c puts it in the
 * table that runtime/compile/jit.h describes; nothing else is visible outside. */
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
void llvm_initialise(void); /* the host as a target; once; thread-safe */
int clang_compile(const char *text, const char *const *flags, void **object, size_t *size,
                  char **message);

/* ---- link.cpp: an object to a shared object, by lld ------------------------------ */

/* Links the ELF object file INPUT into the shared object OUTPUT, which is a pipe: a
 * regular file would be written under another name and renamed. */
int lld_link(const char *input, const char *output, char **message);

/* ---- shared.c: what link.cpp needs around it ------------------------------------- */

/* struct jit_api.link_shared */
int shared_link(const void *object, size_t size, const char *path, char **message);

/* ---- orc.c: an object into this process, by JITLink ------------------------------ */

struct jit_code *orc_load(const void *object, size_t size,
                          const struct autotune_symbol *symbols, size_t n_symbols,
                          char **message);
void *orc_symbol(struct jit_code *code, const char *name);
void orc_unload(struct jit_code *code);

/* ---- code.cpp: what an object's instructions are, by LLVM's MC ------------------- */

/* struct jit_api.disassemble */
int code_disassemble(const void *object, size_t size, struct jit_instruction **code,
                     size_t *n, char **message);

/* ---- elf.c: symbols and code of a relocatable object ----------------------------- */

/* One symbol with a name that is neither a section nor a file. */
struct elf_symbol {
  const char *name;
  bool undefined, local, thread_local_storage, function;
  unsigned section;    /* its index, where it is defined in one */
  uint64_t value;      /* offset in that section */
  unsigned char *info; /* st_info, in the object that was given */
};
/* Calls VISIT for each symbol until it returns false. False: this is no ELF64 object of
 * this machine, or it is damaged. OBJECT is written to by nobody but VISIT. */
bool elf_symbols(void *object, size_t size,
                 bool (*visit)(const struct elf_symbol *symbol, void *data), void *data);

/* One section of machine code, which lies within the object. */
struct elf_section {
  unsigned section;
  const unsigned char *data;
  size_t size;
};
/* The same for all sections with code; they may overlap where the object is damaged. */
bool elf_code(const void *object, size_t size,
              bool (*visit)(const struct elf_section *code, void *data), void *data);

/* ---- jit.c ----------------------------------------------------------------------- */

/* A malloc'ed message, or NULL where there is no memory. */
char *message_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
#endif
