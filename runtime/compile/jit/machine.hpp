// SPDX-License-Identifier: Apache-2.0
// machine.hpp: one instruction after another, as LLVM's MC describes them. C++ because
// the C interface of the disassembler yields nothing but text.
//
// MC tells for any architecture what an instruction loads, stores and branches to. Two
// facts come from names: the mnemonic tells if the instruction computes with
// floating-point numbers, the names of its registers tell how wide its vectors are.
#ifndef AUTOTUNE_JIT_MACHINE_HPP
#define AUTOTUNE_JIT_MACHINE_HPP

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include "internal.h"

namespace {

// ---- facts that only names tell -----------------------------------------------------

struct RegisterName {
  const char *prefix; // a digit follows
  unsigned bits;
};
constexpr RegisterName vector_registers[] = {
  { "XMM", 128 }, { "YMM", 256 }, { "ZMM", 512 }, { "Q", 128 }, { "Z", 128 }
};

constexpr const char *stack_pointers[] = { "RSP", "SP" };
constexpr const char *frame_pointers[] = { "RBP", "FP" };

// Arithmetic. x86 appends the type of the elements to the mnemonic, and before it, for
// fused instructions, the order of operands.
struct Mnemonic {
  const char *stem;
  unsigned flags;
  bool typed; // only with a type
};
constexpr Mnemonic arithmetic[] = {
  { "add", JIT_FLOAT, true },
  { "addsub", JIT_FLOAT, true },
  { "sub", JIT_FLOAT, true },
  { "mul", JIT_FLOAT, true },
  { "div", JIT_FLOAT, true },
  { "sqrt", JIT_FLOAT, true },
  { "min", JIT_FLOAT, true },
  { "max", JIT_FLOAT, true },
  { "fmadd", JIT_FLOAT | JIT_FUSED, false },
  { "fmsub", JIT_FLOAT | JIT_FUSED, false },
  { "fnmadd", JIT_FLOAT | JIT_FUSED, false },
  { "fnmsub", JIT_FLOAT | JIT_FUSED, false },
  { "fmaddsub", JIT_FLOAT | JIT_FUSED, true },
  { "fmsubadd", JIT_FLOAT | JIT_FUSED, true },
  { "fmla", JIT_FLOAT | JIT_FUSED, false },
  { "fmls", JIT_FLOAT | JIT_FUSED, false },
  { "fadd", JIT_FLOAT, false },
  { "fsub", JIT_FLOAT, false },
  { "fmul", JIT_FLOAT, false },
  { "fnmul", JIT_FLOAT, false },
  { "fdiv", JIT_FLOAT, false },
  { "fsqrt", JIT_FLOAT, false },
  { "fmin", JIT_FLOAT, false },
  { "fmax", JIT_FLOAT, false },
};

// A mnemonic in parts: "vfmadd231ps" is "fmadd" and "ps".
struct Parts {
  llvm::StringRef stem, type;
};
Parts parts_of(llvm::StringRef name) {
  static constexpr const char *types[] = { "ps", "pd", "ph", "ss", "sd", "sh" };
  name.consume_front("v");
  for (const char *type : types)
    if (name.ends_with(type))
      return { name.drop_back(2).rtrim("0123456789"), name.take_back(2) };
  return { name, "" };
}

unsigned arithmetic_flags(const Parts &p) {
  for (const Mnemonic &m : arithmetic)
    if (p.stem == m.stem && (!m.typed || !p.type.empty()))
      return m.flags;
  return 0;
}

// True for cvttsd2si, cvtps2dq, fcvtzs and the like.
bool is_to_integer(llvm::StringRef name) {
  if (name.consume_front("fcvt")) // AArch64: fcvtzs, not fcvt and fcvtn
    return name.size() > 1 && (name[1] == 's' || name[1] == 'u');
  name.consume_front("v");
  if (name.starts_with("fist")) // x87
    return true;
  if (!name.consume_front("cvt"))
    return false;
  name.consume_front("t");
  size_t to = name.find('2');
  if (to == llvm::StringRef::npos || to + 1 >= name.size())
    return false;
  auto real = [](llvm::StringRef s) {
    return s.size() > 1 && (s[0] == 's' || s[0] == 'p') &&
        (s[1] == 's' || s[1] == 'd' || s[1] == 'h');
  };
  return real(name) && !real(name.substr(to + 1));
}

// True if the instruction uses only the first element of its vector registers (x86).
bool is_scalar(const Parts &p) {
  if (p.type.empty())
    return p.stem == "movd" || p.stem == "movq" || p.stem.starts_with("cvts") ||
        p.stem.starts_with("cvtts");
  bool packed = p.stem.starts_with("p") || p.stem == "broadcast";
  return p.type[0] == 's' && !packed;
}

// ---- the machine --------------------------------------------------------------------

class Machine {
public:
  // False: LLVM has no disassembler for this machine.
  bool open() {
    llvm_initialise();
    llvm::InitializeNativeTargetDisassembler();
    std::string error;
    triple = llvm::Triple(llvm::sys::getDefaultTargetTriple());
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target)
      return false;
    registers.reset(target->createMCRegInfo(triple));
    instructions.reset(target->createMCInstrInfo());
    // Enables all features of the subtarget: an object may be made for a larger machine
    // than this host.
    subtarget.reset(
        target->createMCSubtargetInfo(triple, "", triple.isX86() ? "" : "+all"));
    if (!registers || !instructions || !subtarget)
      return false;
    info.reset(target->createMCAsmInfo(*registers, triple, llvm::MCTargetOptions()));
    analysis.reset(target->createMCInstrAnalysis(instructions.get()));
    if (!info || !analysis)
      return false;
    context = std::make_unique<llvm::MCContext>(triple, info.get(), registers.get(),
                                                subtarget.get());
    disassembler.reset(target->createMCDisassembler(*subtarget, *context));
    // Intel's mnemonics have no suffixes for sizes.
    printer.reset(target->createMCInstPrinter(triple, triple.isX86() ? 1 : 0, *info,
                                              *instructions, *registers));
    name_registers();
    return disassembler && printer;
  }

  // Returns the number of bytes to advance. *KNOWN: they are an instruction, stored in
  // *OUT, and as text in *TEXT, which may be NULL.
  size_t read(llvm::ArrayRef<uint8_t> bytes, uint64_t address, bool *known,
              jit_instruction *out, std::string *text = nullptr) {
    llvm::MCInst inst;
    uint64_t size = 0;
    auto status = disassembler->getInstruction(inst, size, bytes, address, llvm::nulls());
    *known = status == llvm::MCDisassembler::Success && size > 0;
    if (*known)
      describe(inst, address, size, out);
    if (*known && text) {
      llvm::raw_string_ostream stream(*text);
      printer->printInst(&inst, address, "", *subtarget, stream);
      stream.flush();
      *text = llvm::StringRef(*text).trim().str();
    }
    return std::max<size_t>(size, triple.isX86() ? 1 : 4);
  }

  void begin_function() {
    frame = false;
  }

private:
  enum Role : uint16_t { STACK_POINTER = 1, FRAME_POINTER = 2, VECTOR_UNIT = 64 };

  llvm::Triple triple;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCAsmInfo> info;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  std::vector<uint16_t> roles; // of each register: a Role, or bits of a vector
  bool frame = false;          // the frame pointer has been set up as one

  void name_registers() {
    roles.resize(registers->getNumRegs());
    for (unsigned r = 1; r < roles.size(); r++) {
      llvm::StringRef name = registers->getName(r);
      for (const RegisterName &v : vector_registers) {
        size_t n = strlen(v.prefix);
        if (name.starts_with(v.prefix) && name.size() > n && isdigit(name[n]))
          roles[r] = v.bits;
      }
      if (llvm::is_contained(stack_pointers, name))
        roles[r] = STACK_POINTER;
      if (llvm::is_contained(frame_pointers, name))
        roles[r] = FRAME_POINTER;
    }
  }

  unsigned role(const llvm::MCOperand &o) const {
    return o.isReg() && o.getReg().id() < roles.size() ? roles[o.getReg().id()] : 0;
  }

  // Notes `mov rbp, rsp` and `add x29, sp, #16`: from here on the frame pointer points
  // into the frame. Elsewhere that register may hold any other variable.
  void watch_frame(const llvm::MCInst &inst, const llvm::MCInstrDesc &desc) {
    if (desc.mayLoad() || desc.mayStore() || inst.getNumOperands() < 2)
      return;
    if (role(inst.getOperand(0)) == FRAME_POINTER && desc.getNumDefs() > 0)
      for (unsigned i = desc.getNumDefs(); i < inst.getNumOperands(); i++)
        frame |= role(inst.getOperand(i)) == STACK_POINTER;
  }

  // True if the address is the stack or frame pointer plus a constant. On x86 an address
  // is five operands of a kind of their own; elsewhere the operands after the base belong
  // to it.
  bool on_stack(const llvm::MCInst &inst, const llvm::MCInstrDesc &desc) const {
    unsigned n = std::min<unsigned>(inst.getNumOperands(), desc.getNumOperands());
    unsigned base = desc.getNumDefs();
    auto kind = [&](unsigned i) { return desc.operands()[i].OperandType; };
    auto is_base = [&](unsigned i) {
      unsigned r = role(inst.getOperand(i));
      return (r == STACK_POINTER || (r == FRAME_POINTER && frame)) &&
          (!triple.isX86() || kind(i) == llvm::MCOI::OPERAND_MEMORY);
    };
    while (base < n && !is_base(base))
      base++;
    for (unsigned i = base + 1; i < n && kind(i) == kind(base); i++)
      if (inst.getOperand(i).isReg() && inst.getOperand(i).getReg())
        return false;
    return base < n;
  }

  void describe(const llvm::MCInst &inst, uint64_t address, uint64_t size,
                jit_instruction *out) {
    const llvm::MCInstrDesc &desc = instructions->get(inst.getOpcode());
    llvm::StringRef mnemonic = llvm::StringRef(printer->getMnemonic(inst).first).rtrim();
    Parts name = parts_of(mnemonic);
    bool memory = desc.mayLoad() || desc.mayStore(), jump = desc.isBranch();
    watch_frame(inst, desc);
    *out = { address, JIT_NOWHERE, unsigned(size), arithmetic_flags(name), 0 };
    out->flags |= (desc.mayLoad() ? JIT_LOAD : 0) | (desc.mayStore() ? JIT_STORE : 0) |
        (memory && on_stack(inst, desc) ? JIT_STACK : 0) | (jump ? JIT_BRANCH : 0) |
        (desc.isCall() ? JIT_CALL : 0) | (is_to_integer(mnemonic) ? JIT_TO_INTEGER : 0) |
        (desc.isReturn() ? JIT_RETURN : 0);
    uint64_t target;
    if (jump && analysis->evaluateBranch(inst, address, size, target))
      out->target = target;
    for (const llvm::MCOperand &o : inst)
      if (role(o) >= VECTOR_UNIT && !is_scalar(name))
        out->vector_bits = std::max(out->vector_bits, role(o));
  }
};

} // namespace

#endif
