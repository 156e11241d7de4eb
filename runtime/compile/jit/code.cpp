// SPDX-License-Identifier: Apache-2.0
// code.cpp: the instructions of a relocatable object.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "machine.hpp"

namespace {

constexpr size_t max_code = size_t(64) << 20; // bytes: more is no kernel

// ---- the object ---------------------------------------------------------------------

struct Start {
  unsigned section;
  uint64_t offset;
  bool operator<(const Start &o) const {
    return section != o.section ? section < o.section : offset < o.offset;
  }
};

struct Reader {
  Machine machine;
  std::vector<Start> functions; // sorted
  std::vector<jit_instruction> code;
  uint64_t base = 0; // the address at which the current section begins
};

bool note_function(const elf_symbol *symbol, void *data) {
  auto *r = static_cast<Reader *>(data);
  if (symbol->function && !symbol->undefined)
    r->functions.push_back({ symbol->section, symbol->value });
  return true;
}

bool read_section(const elf_section *section, void *data) {
  auto *r = static_cast<Reader *>(data);
  if (section->size > max_code - r->base)
    return false;
  for (size_t at = 0; at < section->size;) {
    jit_instruction i;
    bool known,
        first = std::binary_search(r->functions.begin(), r->functions.end(),
                                   Start{ section->section, at });
    if (first)
      r->machine.begin_function();
    size_t size = r->machine.read({ section->data + at, section->size - at },
                                  r->base + at, &known, &i);
    // Some instructions seem to branch to themselves before their target is relocated.
    if (known &&
        (i.target == i.address || i.target < r->base ||
         i.target >= r->base + section->size))
      i.target = JIT_NOWHERE;
    if (known) {
      i.flags |= first ? JIT_FIRST : 0;
      r->code.push_back(i);
    }
    at += size;
  }
  r->base += section->size;
  return true;
}

} // namespace

extern "C" int code_disassemble(const void *object, size_t size,
                                struct jit_instruction **code, size_t *n,
                                char **message) {
  Reader r;
  // note_function writes nothing to the object: the cast is safe.
  bool open = r.machine.open(),
       good = open && elf_symbols(const_cast<void *>(object), size, note_function, &r);
  std::sort(r.functions.begin(), r.functions.end());
  good = good && elf_code(object, size, read_section, &r) && !r.code.empty();
  size_t bytes = r.code.size() * sizeof *r.code.data();
  *code = good ? static_cast<jit_instruction *>(malloc(bytes)) : nullptr;
  if (*code) {
    memcpy(*code, r.code.data(), bytes);
    *n = r.code.size();
    return 0;
  }
  *message = message_of(
      !open      ? "LLVM has no disassembler for this machine"
          : good ? "no memory"
                 : "this is not an object file of this machine with code in it");
  return -1;
}
