// SPDX-License-Identifier: Apache-2.0
// link.cpp: lld as a library. Its state is one for the process, so one link at a time.

#include <mutex>
#include <string>

#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"

#include "internal.h"

LLD_HAS_DRIVER(elf)

namespace {

struct State {
  std::mutex lock;
  bool broken = false; // lld crashed: its state cannot be used again
};
State &state() {
  static State *s = new State;
  return *s;
}

} // namespace

extern "C" int lld_link(const char *input, const char *output, char **message) {
  // -Bsymbolic: a variant's own names never mean the program's functions of the same
  // name. norelro: module.c binds slots of the GOT after dlopen.
  const char *args[] = { "ld.lld",
                         "-shared",
                         "-Bsymbolic",
                         "-z",
                         "now",
                         "-z",
                         "norelro",
                         "-z",
                         "noexecstack",
                         "-z",
                         "separate-code",
                         "--hash-style=gnu",
                         "--build-id=none",
                         "--threads=1",
                         "--color-diagnostics=never",
                         "-o",
                         output,
                         input };
  State &s = state();
  std::lock_guard<std::mutex> guard(s.lock);
  if (s.broken) {
    *message = message_of("lld crashed before");
    return -1;
  }
  std::string out, errors;
  llvm::raw_string_ostream out_stream(out), error_stream(errors);
  static const lld::DriverDef drivers[] = { { lld::Gnu, &lld::elf::link } };
  lld::Result result = lld::lldMain(args, out_stream, error_stream, drivers);
  s.broken = !result.canRunAgain;
  if (result.retCode == 0)
    return 0;
  *message = message_of("%s", errors.empty() ? "lld failed" : errors.c_str());
  return -1;
}
