// SPDX-License-Identifier: Apache-2.0
// clang.cpp: C to a relocatable object without a process, a file or a line of output. C++
// because Clang has no C interface for code generation.
//
//   flags ── driver, once for each set of flags ──► invocation (cached)
//   text + a copy of the invocation ── front end, optimiser, code generator ──► object
//
// Clang sees an empty file system, so it looks for nothing on disk. It runs in a
// CrashRecoveryContext, so a crash of Clang ends the compilation, not the process.

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticDriver.h"
#include "clang/Basic/Version.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Job.h"
#include "clang/Driver/Tool.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include "internal.h"

namespace {

using Strings = std::vector<std::string>;
using Invocation = std::shared_ptr<const clang::CompilerInvocation>;

constexpr size_t max_cached_invocations = 256;
constexpr unsigned max_driver_runs = 32; // each drops at least one flag

// All writable state of this file.
struct State {
  std::mutex lock;
  std::map<Strings, Invocation> invocations;
};
State &state() {
  static State *s = new State; // never destroyed: threads may still compile at exit
  return *s;
}

// The reason that LLVM gave before it failed in this thread.
thread_local char fatal_reason[512];

void on_fatal_error(void *, const char *reason, bool) {
  snprintf(fatal_reason, sizeof fatal_reason, "%s", reason);
  if (auto *context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(70); // back to RunSafely
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> no_files() {
  return llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
}

// Notes the flags that Clang does not know, and the first error of any other kind.
class DriverConsumer : public clang::DiagnosticConsumer {
public:
  Strings unknown;
  std::string error;

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error)
      return;
    switch (info.getID()) {
    case clang::diag::err_drv_unknown_argument:
    case clang::diag::err_drv_unknown_argument_with_suggestion:
    case clang::diag::err_drv_unsupported_opt:
    case clang::diag::err_drv_unsupported_opt_with_suggestion:
    case clang::diag::err_drv_unsupported_opt_for_target:
    case clang::diag::err_drv_unsupported_option_for_target:
      if (info.getArgKind(0) == clang::DiagnosticsEngine::ak_std_string)
        unknown.push_back(info.getArgStdStr(0));
      else if (info.getArgKind(0) == clang::DiagnosticsEngine::ak_c_string)
        unknown.push_back(info.getArgCStr(0));
      return;
    default:
      if (error.empty()) {
        llvm::SmallString<128> text;
        info.FormatDiagnostic(text);
        error = "error: " + text.str().str();
      }
    }
  }
};

bool begins(const std::string &s, const char *prefix) {
  return s.compare(0, strlen(prefix), prefix) == 0;
}

// True for flags that make something other than an object, or debug information, which
// slows compiling. Lines alone (-g1) are made.
bool useless(const std::string &flag) {
  return begins(flag, "-flto") || begins(flag, "-fwhole-program") ||
      (begins(flag, "-g") && flag != "-g1") || flag == "-c" || flag == "-S" ||
      flag == "-E" || flag == "-pipe" || begins(flag, "-save-temps");
}

// Turns the command line of cc1 for FLAGS into an invocation. Adds flags that Clang
// refuses as unknown to CONSUMER, and then returns nothing.
std::shared_ptr<clang::CompilerInvocation> drive(const Strings &flags,
                                                 DriverConsumer &consumer) {
  clang::DiagnosticOptions options;
  options.IgnoreWarnings = 1;
  clang::DiagnosticsEngine diags(clang::DiagnosticIDs::create(), options, &consumer,
                                 false);
  clang::driver::Driver driver("clang", llvm::sys::getDefaultTargetTriple(), diags,
                               "autotune", no_files());
  driver.setCheckInputsExist(false);
  driver.setProbePrecompiled(false);

  std::vector<const char *> args = { "clang", "-nostdinc", "-w" };
  for (const std::string &flag : flags)
    args.push_back(flag.c_str());
  // The last -x counts. A unit of C++ has -xc++ among its flags.
  bool cplusplus = std::find(flags.begin(), flags.end(), "-xc++") != flags.end();
  for (const char *last :
       { "-fPIC", "-fno-lto", "-x", cplusplus ? "c++" : "c", "-c", "kernel.c" })
    args.push_back(last);
  std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(args));
  if (!compilation || diags.hasErrorOccurred())
    return nullptr;

  for (const clang::driver::Command &job : compilation->getJobs()) {
    if (strcmp(job.getCreator().getName(), "clang") != 0)
      continue;
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, job.getArguments(), diags,
                                                   "clang"))
      return nullptr;
    return invocation;
  }
  consumer.error = "error: the flags name no compilation";
  return nullptr;
}

void configure(clang::CompilerInvocation &invocation) {
  auto &frontend = invocation.getFrontendOpts();
  frontend.ProgramAction = clang::frontend::EmitObj;
  frontend.DisableFree = false; // a long-lived process
  frontend.OutputFile.clear();
  auto &codegen = invocation.getCodeGenOpts();
  codegen.DisableFree = false;
  codegen.VerifyModule =
      false; // a fifth of a millisecond each, and Clang makes no invalid module
  codegen.ClearASTBeforeBackend = false;
  auto &diagnostics = invocation.getDiagnosticOpts();
  diagnostics.ShowColors = 0;
  diagnostics.IgnoreWarnings = 1;
  diagnostics.ErrorLimit = 4;
  diagnostics.DiagnosticLogFile.clear();
  invocation.getDependencyOutputOpts() = clang::DependencyOutputOptions();
}

// Runs the driver, again without each flag that it does not know.
Invocation invocation_make(Strings flags, std::string &error) {
  for (unsigned run = 0; run < max_driver_runs; run++) {
    DriverConsumer consumer;
    if (auto invocation = drive(flags, consumer)) {
      configure(*invocation);
      return invocation;
    }
    size_t before = flags.size();
    for (const std::string &unknown : consumer.unknown)
      for (size_t i = flags.size(); i-- > 0;)
        if (flags[i] == unknown)
          flags.erase(flags.begin() + i);
    if (flags.size() == before) {
      error = !consumer.error.empty() ? consumer.error
          : !consumer.unknown.empty()
          ? "error: clang does not support '" + consumer.unknown[0] + "'"
          : "error: clang does not understand these flags";
      return nullptr;
    }
  }
  error = "error: too many flags that clang does not know";
  return nullptr;
}

Invocation invocation_for(const char *const *flags, std::string &error) {
  Strings list;
  for (; flags && *flags; flags++) {
    if (strcmp(*flags, "-mllvm") == 0) {
      error = "error: '-mllvm' would change every compilation of the process: not "
              "possible in process; "
              "use compiler(clang-22)";
      return nullptr;
    }
    if (!useless(*flags))
      list.push_back(*flags);
  }
  State &s = state();
  {
    std::lock_guard<std::mutex> guard(s.lock);
    auto found = s.invocations.find(list);
    if (found != s.invocations.end())
      return found->second;
  }
  Invocation invocation = invocation_make(list, error);
  if (invocation) {
    std::lock_guard<std::mutex> guard(s.lock);
    if (s.invocations.size() >= max_cached_invocations)
      s.invocations.clear();
    s.invocations[list] = invocation;
  }
  return invocation;
}

// Returns DIAGNOSTICS with the first error moved to the front.
std::string first_error_first(const std::string &diagnostics) {
  size_t begin = 0;
  while (begin < diagnostics.size()) {
    size_t end = diagnostics.find('\n', begin);
    if (end == std::string::npos)
      end = diagnostics.size();
    std::string line = diagnostics.substr(begin, end - begin);
    if (line.find("error: ") != std::string::npos)
      return diagnostics.substr(begin) +
          (begin ? "\n" + diagnostics.substr(0, begin) : std::string());
    begin = end + 1;
  }
  return diagnostics.empty() ? "error: the compiler failed and said nothing"
                             : diagnostics;
}

bool compile(const char *text, const char *const *flags,
             llvm::SmallVectorImpl<char> &object, std::string &message) {
  Invocation cached = invocation_for(flags, message);
  if (!cached)
    return false;
  auto invocation = std::make_shared<clang::CompilerInvocation>(*cached);
  auto &frontend = invocation->getFrontendOpts();
  auto kind = frontend.Inputs[0].getKind();
  frontend.Inputs.clear();
  frontend.Inputs.emplace_back(llvm::MemoryBufferRef(text, "kernel.c"), kind);

  std::string diagnostics;
  llvm::raw_string_ostream diagnostics_stream(diagnostics);
  clang::TextDiagnosticPrinter printer(diagnostics_stream,
                                       invocation->getDiagnosticOpts());
  clang::CompilerInstance instance(invocation);
  instance.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
  instance.setVirtualFileSystem(no_files());
  instance.createDiagnostics(&printer, false);
  instance.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(object));
  clang::EmitObjAction action;
  if (instance.ExecuteAction(action) && !object.empty())
    return true;
  message = first_error_first(diagnostics);
  return false;
}

} // namespace

extern "C" void llvm_catch_failures() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::CrashRecoveryContext::Enable();
    llvm::install_fatal_error_handler(on_fatal_error);
    llvm::install_bad_alloc_error_handler(on_fatal_error);
  });
}

extern "C" void llvm_initialise(void) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser(); // for asm statements
  });
}

extern "C" const char *clang_version(void) {
  // The version of the library that is loaded, not of the headers: "Debian clang version
  // 22.1.8 (++…)".
  static const std::string *version = [] {
    std::string full = clang::getClangFullVersion();
    size_t at = full.find("version ");
    at = at == std::string::npos ? 0 : at + strlen("version ");
    return new std::string("clang " + full.substr(at, full.find(' ', at) - at));
  }();
  return version->c_str();
}

extern "C" int clang_compile(const char *text, const char *const *flags, void **object,
                             size_t *size, char **message) {
  llvm_initialise();
  llvm_catch_failures();
  llvm::SmallVector<char, 0> code;
  std::string error;
  bool done = false;
  fatal_reason[0] = 0;
  llvm::CrashRecoveryContext context;
  if (!context.RunSafely([&] { done = compile(text, flags, code, error); })) {
    done = false;
    error = fatal_reason[0] ? std::string("fatal error: ") + fatal_reason
                            : "fatal error: the compiler crashed on this variant";
  }
  if (!done) {
    *message = message_of("%s", error.c_str());
    return -1;
  }
  *object = malloc(code.size());
  if (!*object) {
    *message = message_of("out of memory");
    return -1;
  }
  memcpy(*object, code.data(), code.size());
  *size = code.size();
  return 0;
}
