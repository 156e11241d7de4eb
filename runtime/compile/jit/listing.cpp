// SPDX-License-Identifier: Apache-2.0
// listing.cpp: functions of an object, a program or a library as text, with the lines of
// their source.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/CrashRecoveryContext.h"

#include "machine.hpp"

namespace {

constexpr size_t max_listing = size_t(1) << 20; // bytes of code
constexpr size_t max_debug = size_t(64) << 20;  // of a file whose lines are looked up

struct Function {
  uint64_t address, size; // in the file
  llvm::object::SectionRef section;
  std::string name;
};

struct Listing {
  Machine machine;
  std::unique_ptr<llvm::object::ObjectFile> file;
  std::unique_ptr<llvm::DWARFContext> debug; // NULL: lines are not looked up
  std::vector<jit_instruction> code;
  std::vector<std::string> texts, files;
  std::vector<unsigned> lines;
  uint64_t base = 0; // the address at which the current function begins
};

// Returns the functions with code in FILE, by address, each address once.
std::vector<Function> functions_of(const llvm::object::ObjectFile &file) {
  std::vector<Function> all;
  std::set<std::pair<uint64_t, uint64_t>> seen; // index of the section, address
  for (const llvm::object::ELFSymbolRef symbol : file.symbols()) {
    auto type = symbol.getType();
    auto section = symbol.getSection();
    auto address = symbol.getAddress();
    auto name = symbol.getName();
    bool good = type && section && address && name &&
        *type == llvm::object::SymbolRef::ST_Function && *section != file.section_end() &&
        symbol.getSize() > 0;
    if (good && seen.insert({ (*section)->getIndex(), *address }).second)
      all.push_back({ *address, symbol.getSize(), **section, name->str() });
    llvm::consumeError(type.takeError());
    llvm::consumeError(section.takeError());
    llvm::consumeError(address.takeError());
    llvm::consumeError(name.takeError());
  }
  std::sort(all.begin(), all.end(), [](const Function &a, const Function &b) {
    return std::pair(a.section.getIndex(), a.address) <
        std::pair(b.section.getIndex(), b.address);
  });
  return all;
}

// Keeps the function at ADDRESS, and its parts: compilers call these NAME._omp_fn.0,
// NAME.cold and the like.
void keep_function(std::vector<Function> *all, uint64_t address) {
  auto holds = [address](const Function &f) {
    return address >= f.address && address - f.address < f.size;
  };
  std::string name; // other files may have static functions of that name
  for (const Function &f : *all)
    if (holds(f))
      name = f.name;
  llvm::erase_if(*all, [&](const Function &f) {
    return name.empty() ||
        (!holds(f) && !llvm::StringRef(f.name).starts_with(name + "."));
  });
}

void note_line(Listing *l, const Function &f, uint64_t address) {
  llvm::DILineInfo info;
  if (l->debug)
    if (auto found = l->debug->getLineInfoForAddress(
            { address, f.section.getIndex() },
            { llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue,
              llvm::DILineInfoSpecifier::FunctionNameKind::None }))
      info = *found;
  l->lines.push_back(info.Line);
  l->files.push_back(info.Line ? info.FileName : "");
}

void list_function(Listing *l, const Function &f) {
  auto contents = f.section.getContents();
  uint64_t begin = f.address - f.section.getAddress();
  if (!contents)
    return llvm::consumeError(contents.takeError());
  if (begin > contents->size() || f.size > contents->size() - begin ||
      f.size > max_listing - l->base)
    return;
  auto bytes = llvm::arrayRefFromStringRef(*contents).slice(begin, f.size);
  l->machine.begin_function();
  for (size_t at = 0; at < bytes.size();) {
    jit_instruction i;
    std::string text;
    bool known;
    size_t size = l->machine.read(bytes.drop_front(at), l->base + at, &known, &i, &text);
    if (known) {
      if (i.target == i.address || i.target < l->base || i.target >= l->base + f.size)
        i.target = JIT_NOWHERE;
      i.flags |= at == 0 ? JIT_FIRST : 0;
      l->code.push_back(i);
      l->texts.push_back(text);
      note_line(l, f, f.address + at);
    }
    at += size;
  }
  l->base += f.size;
}

// Copies what L holds to malloc'ed blocks. False: no memory.
bool give_listing(const Listing &l, jit_instruction **code, jit_line **lines, size_t *n) {
  size_t bytes = l.code.size() * sizeof(jit_line), room = bytes;
  *n = l.code.size();
  for (size_t i = 0; i < *n; i++)
    room += l.texts[i].size() + l.files[i].size() + 2;
  *code = static_cast<jit_instruction *>(malloc(*n * sizeof **code));
  *lines = static_cast<jit_line *>(malloc(room));
  if (!*code || !*lines)
    return false;
  char *p = reinterpret_cast<char *>(*lines) + bytes;
  auto copy = [&p](const std::string &text) {
    char *to = p;
    memcpy(to, text.c_str(), text.size() + 1);
    p += text.size() + 1;
    return to;
  };
  memcpy(*code, l.code.data(), *n * sizeof **code);
  for (size_t i = 0; i < *n; i++) {
    const char *text = copy(l.texts[i]);
    (*lines)[i] = { text, copy(l.files[i]), l.lines[i] };
  }
  return true;
}

} // namespace

// As code_list, but a crash of LLVM ends the caller, too.
static int list_code(const void *data, size_t size, uint64_t address,
                     struct jit_instruction **code, struct jit_line **lines, size_t *n,
                     char **message) {
  Listing l;
  auto made = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef({ static_cast<const char *>(data), size }, "code"));
  *code = nullptr;
  *lines = nullptr;
  if (!made || !l.machine.open()) {
    llvm::consumeError(made.takeError());
    *message = message_of("this is not an object file of this machine");
    return -1;
  }
  l.file = std::move(*made);
  std::vector<Function> functions = functions_of(*l.file);
  if (address != JIT_NOWHERE)
    keep_function(&functions, address);
  if (size <= max_debug)
    l.debug = llvm::DWARFContext::create(
        *l.file, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "",
        llvm::consumeError, llvm::consumeError);
  for (const Function &f : functions)
    list_function(&l, f);
  if (!l.code.empty() && give_listing(l, code, lines, n))
    return 0;
  free(*code);
  free(*lines);
  *code = nullptr;
  *lines = nullptr;
  *message = message_of("no function with a name and code in it");
  return -1;
}

// The program's file may be anything, also damaged.
extern "C" int code_list(const void *data, size_t size, uint64_t address,
                         struct jit_instruction **code, struct jit_line **lines,
                         size_t *n, char **message) {
  int status = -1;
  llvm_catch_failures();
  llvm::CrashRecoveryContext context;
  *code = nullptr;
  *lines = nullptr;
  if (context.RunSafely(
          [&] { status = list_code(data, size, address, code, lines, n, message); }))
    return status;
  *code = nullptr;
  *lines = nullptr;
  *message = message_of("LLVM crashed while it read the code");
  return -1;
}
