// SPDX-License-Identifier: Apache-2.0
// outside.c: looks at the object of a body from outside. A body computes: it has no use
// for functions that the kernel does not call, but for those of mathematics, nor for
// memory of its own that lives from call to call. Without both it cannot end the process,
// start threads, change clocks, read files, or answer from its memory.
#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "compile.h"
#include "model/variant.h"
#include "resolve.h"

// An object in memory, as far as it is sound.
struct parts {
  const unsigned char *data;
  size_t size;
  const Elf64_Shdr *sections;
  unsigned n;
};

static bool outside_inside(const struct parts *p, uint64_t offset, uint64_t bytes) {
  return offset <= p->size && bytes <= p->size - offset;
}

// Returns the bytes of section S; NULL: they are not in the object.
static const void *outside_section(const struct parts *p, const Elf64_Shdr *s) {
  return outside_inside(p, s->sh_offset, s->sh_size) ? p->data + s->sh_offset : NULL;
}

static bool outside_read(struct parts *p, const void *object, size_t size) {
  const Elf64_Ehdr *h = object;
  *p = (struct parts){ .data = object, .size = size };
  if (size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
      h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_shentsize != sizeof(Elf64_Shdr) ||
      h->e_shoff % _Alignof(Elf64_Shdr) != 0 ||
      !outside_inside(p, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
    return false;
  p->sections = (const void *)(p->data + h->e_shoff);
  p->n = h->e_shnum;
  return true;
}

// True if S holds data that a run may change, or functions that run at other times.
static bool outside_keeps(const Elf64_Shdr *s, const char *name) {
  const bool constant = strncmp(name, ".data.rel.ro", 12) == 0; // but for its relocation
  return (s->sh_flags & SHF_ALLOC) && (s->sh_flags & SHF_WRITE) && s->sh_size > 0 &&
      !constant;
}

// ---- what it calls ------------------------------------------------------------------

// Functions that compilers make calls of.
static bool outside_is_basic(const char *name) {
  static const char *const names[] = { "memcpy",
                                       "memmove",
                                       "memset",
                                       "memcmp",
                                       "bcmp",
                                       "_GLOBAL_OFFSET_TABLE_",
                                       "bzero",
                                       "abs",
                                       "labs",
                                       "llabs",
                                       "__stack_chk_fail" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

static bool outside_is_openmp(const struct autotune_kernel *k, const char *name) {
  static const char *const begins[] = { "__kmpc_", "GOMP_", "omp_get_" };
  for (size_t i = 0; k->openmp && i < sizeof begins / sizeof *begins; i++)
    if (strncmp(name, begins[i], strlen(begins[i])) == 0)
      return true;
  return false;
}

// True if NAME is a function of libm, but none of the floating-point environment.
static bool outside_is_math(const char *name) {
  Dl_info info;
  void *address = strncmp(name, "fe", 2) == 0 ? NULL : resolve_process(name);
  const char *file = address && dladdr(address, &info) ? info.dli_fname : "";
  const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
  return strncmp(base, "libm.", 5) == 0 || strncmp(base, "libm-", 5) == 0 ||
      strncmp(base, "libmvec", 7) == 0 || strncmp(base, "libgcc_s", 8) == 0;
}

static bool outside_may_use(const struct autotune_kernel *k, const choice *point,
                            const char *name) {
  return resolve_site(k->symbols, k->n_symbols, name) || outside_is_basic(name) ||
      outside_is_openmp(k, name) || variant_calls(k, point, name) ||
      outside_is_math(name);
}

// Returns what the symbols of TABLE are refused for; malloc'ed, or NULL.
static char *outside_symbols(const struct parts *p, const Elf64_Shdr *table,
                             const struct autotune_kernel *k, const choice *point) {
  const Elf64_Shdr *strings = table->sh_link < p->n ? &p->sections[table->sh_link] : NULL;
  const Elf64_Sym *symbols = outside_section(p, table);
  const char *names = strings ? outside_section(p, strings) : NULL;
  if (!symbols || !names || strings->sh_size == 0 || names[strings->sh_size - 1] ||
      table->sh_offset % _Alignof(Elf64_Sym) != 0)
    return sys_strdup("refused: its symbols cannot be read");
  for (size_t i = 1; i < table->sh_size / sizeof *symbols; i++) {
    const char *name = symbols[i].st_name < strings->sh_size ? names + symbols[i].st_name
                                                             : "?";
    if (symbols[i].st_shndx == SHN_UNDEF && *name && !outside_may_use(k, point, name))
      return sys_printf("refused: the body uses %s, which the kernel does not", name);
    if (ELF64_ST_TYPE(symbols[i].st_info) == STT_GNU_IFUNC)
      return sys_strdup("refused: the body runs code when it is loaded");
  }
  return NULL;
}

char *outside_refuses(const struct autotune_kernel *k, const choice *point,
                      const void *object, size_t size) {
  struct parts p;
  if (!outside_read(&p, object, size))
    return sys_strdup("refused: it is no object file");
  const Elf64_Ehdr *h = object;
  const Elf64_Shdr *titles = h->e_shstrndx < p.n ? &p.sections[h->e_shstrndx] : NULL;
  const char *names = titles ? outside_section(&p, titles) : NULL;
  char *why = names && titles->sh_size && !names[titles->sh_size - 1]
      ? NULL
      : sys_strdup("refused: its sections cannot be read");
  for (unsigned i = 0; i < p.n && !why; i++) {
    const Elf64_Shdr *s = &p.sections[i];
    const char *name = s->sh_name < titles->sh_size ? names + s->sh_name : "?";
    if (s->sh_type == SHT_INIT_ARRAY || s->sh_type == SHT_FINI_ARRAY ||
        s->sh_type == SHT_PREINIT_ARRAY)
      why = sys_strdup("refused: the body runs code when it is loaded");
    else if (outside_keeps(s, name))
      why = sys_printf("refused: the body keeps data from call to call (%s)", name);
    else if (s->sh_type == SHT_SYMTAB)
      why = outside_symbols(&p, s, k, point);
  }
  return why;
}
