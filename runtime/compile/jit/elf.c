/* SPDX-License-Identifier: Apache-2.0 */
/* elf.c: walks the symbols and the code of a relocatable object, whatever compiler made
 * it. */
#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "internal.h"

#if defined(__x86_64__)
#define ELF_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define ELF_MACHINE EM_AARCH64
#else
#error "no ELF machine is known for this architecture"
#endif

// True if BYTES from OFFSET on lie in an object of SIZE bytes. Sizes are compared, never
// pointers: an offset that is out of range makes no pointer.
static bool elf_inside(uint64_t offset, uint64_t bytes, size_t size) {
  return offset <= size && bytes <= size - offset;
}

static const Elf64_Ehdr *header_of(const unsigned char *object, size_t size) {
  const Elf64_Ehdr *header = (const void *)object;
  if (size < sizeof *header || memcmp(object, ELFMAG, SELFMAG) != 0 ||
      object[EI_CLASS] != ELFCLASS64 || header->e_type != ET_REL ||
      header->e_machine != ELF_MACHINE || header->e_shentsize != sizeof(Elf64_Shdr) ||
      header->e_shoff % _Alignof(Elf64_Shdr) != 0 ||
      !elf_inside(header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr), size))
    return NULL;
  return header;
}

/* Requires that the section lies inside the object. False: VISIT returned false, or the
 * object is damaged. */
static bool visit_table(unsigned char *object, size_t size, const Elf64_Shdr *table,
                        const Elf64_Shdr *strings, bool *damaged,
                        bool (*visit)(const struct elf_symbol *, void *), void *data) {
  *damaged = !elf_inside(table->sh_offset, table->sh_size, size) ||
      !elf_inside(strings->sh_offset, strings->sh_size, size) || strings->sh_size == 0 ||
      table->sh_offset % _Alignof(Elf64_Sym) != 0;
  if (*damaged)
    return false;
  // Both lie inside the object: only now may their offsets become pointers.
  Elf64_Sym *symbols = (void *)(object + table->sh_offset);
  const char *names = (const char *)object + strings->sh_offset;
  *damaged = names[strings->sh_size - 1] != 0;
  for (size_t i = 1; !*damaged && i < table->sh_size / sizeof *symbols; i++) {
    Elf64_Sym *s = &symbols[i];
    unsigned type = ELF64_ST_TYPE(s->st_info);
    if (s->st_name >= strings->sh_size) {
      *damaged = true;
      return false;
    }
    if (s->st_name == 0 || type == STT_SECTION || type == STT_FILE)
      continue;
    struct elf_symbol symbol = { .name = names + s->st_name,
                                 .undefined = s->st_shndx == SHN_UNDEF,
                                 .local = ELF64_ST_BIND(s->st_info) == STB_LOCAL,
                                 .thread_local_storage = type == STT_TLS,
                                 .function = type == STT_FUNC,
                                 .section = s->st_shndx,
                                 .value = s->st_value,
                                 .info = &s->st_info };
    if (!visit(&symbol, data))
      return false;
  }
  return !*damaged;
}

bool elf_symbols(void *object, size_t size,
                 bool (*visit)(const struct elf_symbol *symbol, void *data), void *data) {
  const Elf64_Ehdr *header = header_of(object, size);
  if (!header)
    return false;
  const Elf64_Shdr *sections = (const void *)((unsigned char *)object + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type != SHT_SYMTAB)
      continue;
    if (sections[i].sh_link >= header->e_shnum)
      return false;
    bool damaged = false;
    if (!visit_table(object, size, &sections[i], &sections[sections[i].sh_link], &damaged,
                     visit, data))
      return !damaged;
  }
  return true;
}

bool elf_code(const void *object, size_t size,
              bool (*visit)(const struct elf_section *code, void *data), void *data) {
  const Elf64_Ehdr *header = header_of(object, size);
  if (!header)
    return false;
  const Elf64_Shdr *sections = (const void *)((const char *)object + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; i++) {
    const Elf64_Shdr *s = &sections[i];
    if (s->sh_type != SHT_PROGBITS || !(s->sh_flags & SHF_EXECINSTR))
      continue;
    if (!elf_inside(s->sh_offset, s->sh_size, size))
      return false;
    struct elf_section code = { i, (const unsigned char *)object + s->sh_offset,
                                s->sh_size };
    if (!visit(&code, data))
      return true;
  }
  return true;
}
