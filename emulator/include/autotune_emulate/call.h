/* SPDX-License-Identifier: Apache-2.0 */
/* call.h: wraps a function as a kernel that the library can call. */
#ifndef AUTOTUNE_EMULATE_CALL_H
#define AUTOTUNE_EMULATE_CALL_H

#pragma GCC system_header

#include "device.h"

namespace autotune_emulate {

template <unsigned... I> struct numbers {};
template <unsigned N, unsigned... I>
struct counted_to : counted_to<N - 1, N - 1, I...> {};
template <unsigned... I> struct counted_to<0, I...> {
  using type = numbers<I...>;
};

template <class T> struct plain {
  using type = T;
};
template <class T> struct plain<const T> {
  using type = T;
};

template <class F> struct signature;
template <class... P> struct signature<void(P...)> {
  static constexpr unsigned n = sizeof...(P);
  static constexpr unsigned sizes[n + 1] = { (unsigned)sizeof(P)..., 0 };
  template <unsigned... I>
  static void call_with(const void *fn, void *const *args, numbers<I...>) {
    (void)args;
    reinterpret_cast<void (*)(P...)>(const_cast<void *>(fn))(
        *(typename plain<P>::type *)args[I]...);
  }
  static void call(const void *fn, void *const *args) {
    call_with(fn, args, typename counted_to<n>::type());
  }
  static autotune_emulate_kernel kernel(void (*fn)(P...), const char *name) {
    return { (const void *)fn, call, name, n, sizes };
  }
};
/* Before C++17 these need a definition. */
template <class... P> constexpr unsigned signature<void(P...)>::sizes[n + 1];

} // namespace autotune_emulate

#endif
