/* SPDX-License-Identifier: Apache-2.0 */
/* unit.h: placed before a unit that the emulated NVRTC compiles. It includes no system
 * header, but for a unit with CUDA's C++ libraries (AUTOTUNE_EMULATE_LIBRARIES). */
#ifndef AUTOTUNE_EMULATE_UNIT_H
#define AUTOTUNE_EMULATE_UNIT_H

#pragma GCC system_header

#ifdef AUTOTUNE_EMULATE_LIBRARIES
#undef __CUDACC_RTC__
#include "../cuda_runtime.h"
#else
#define AUTOTUNE_EMULATE_UNIT_TEXT 1
#endif
#include "kernel.h"
#include "call.h"

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;

extern "C" __attribute__((noreturn)) void __assert_fail(const char *, const char *,
                                                        unsigned, const char *);
#undef assert
#ifndef NDEBUG
#define assert(e) \
  ((e) ? (void)0 : autotune_emulate_assert(#e, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#else
#define assert(e) ((void)0)
#endif

/* Follows each kernel, in its namespace. cuModuleGetFunction finds it. */
#define AUTOTUNE_EMULATE_KERNEL(name)                                      \
  static const autotune_emulate_kernel autotune_emulate_entry_##name =     \
      ::autotune_emulate::signature<decltype(name)>::kernel(&name, #name); \
  extern "C" {                                                             \
  __attribute__((visibility("default"), used))                             \
  const autotune_emulate_kernel *autotune_emulate_kernel_##name =          \
      &autotune_emulate_entry_##name;                                      \
  }
/* Ends the unit. */
#define AUTOTUNE_EMULATE_UNIT                                          \
  extern "C" {                                                         \
  extern char __start_autotune_emulate_statics[]                       \
      __attribute__((weak, visibility("hidden")));                     \
  extern char __stop_autotune_emulate_statics[]                        \
      __attribute__((weak, visibility("hidden")));                     \
  __attribute__((visibility("default"),                                \
                 used)) unsigned long autotune_emulate_shared_static = \
      (unsigned long)(__stop_autotune_emulate_statics -                \
                      __start_autotune_emulate_statics);               \
  }

#endif
