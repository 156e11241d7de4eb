/* SPDX-License-Identifier: Apache-2.0 */
/* launch.h: the emulated launch. k<<<grid, block, shared, stream>>>(args) becomes
 * launch(k, grid, block, shared, stream)(args). */
#ifndef AUTOTUNE_EMULATE_LAUNCH_H
#define AUTOTUNE_EMULATE_LAUNCH_H

#pragma GCC system_header

#include <tuple>
#include <type_traits>
#include <utility>

#include "../cuda_runtime_api.h"
#include "call.h"

namespace autotune_emulate {

/* Returns the address of FN, and makes it known to runtime calls that take an address. */
template <class... P> static inline const void *known(void (*fn)(P...)) {
  autotune_emulate_kernel k =
      signature<void(P...)>::kernel(fn, "a kernel of the program");
  autotune_emulate_register(&k);
  return k.fn;
}

struct configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};

/* Launches a function. The arguments are converted to its parameters' types. */
template <class K> struct launcher;
template <class... P> struct launcher<void (*)(P...)> {
  void (*fn)(P...);
  configuration c;
  void operator()(P... p) const {
    known(fn); // for other uses of its address
    void *args[] = { (void *)&p..., nullptr };
    autotune_emulate_kernel k =
        signature<void(P...)>::kernel(fn, "a kernel of the program");
    autotune_emulate_launch(&k, c.grid, c.block, c.shared, c.stream, args);
  }
};

/* Launches a callable object without members, with copies of the arguments. */
template <class F, class... A> struct calling {
  static constexpr unsigned n = sizeof...(A);
  static constexpr unsigned sizes[n + 1] = { (unsigned)sizeof(A)..., 0 };
  template <unsigned... I> static void call_with(void *const *args, numbers<I...>) {
    (void)args;
    alignas(F) char none[sizeof(F)] = {};
    (*(F *)none)(*(A *)args[I]...);
  }
  static void call(const void *, void *const *args) {
    call_with(args, typename counted_to<n>::type());
  }
};
template <class F, class... A> constexpr unsigned calling<F, A...>::sizes[n + 1];
template <class F> struct launcher {
  static_assert(std::is_empty<F>::value,
                "a kernel of the program, or a function without captures");
  F fn;
  configuration c;
  template <class... A> void operator()(A... a) const {
    void *args[] = { (void *)&a..., nullptr };
    autotune_emulate_kernel k = { (const void *)&calling<F, A...>::call,
                                  calling<F, A...>::call, "a kernel of the program",
                                  calling<F, A...>::n, calling<F, A...>::sizes };
    autotune_emulate_launch(&k, c.grid, c.block, c.shared, c.stream, args);
  }
};

template <class K>
static inline launcher<typename std::decay<K>::type> launch(
    K &&k, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
  return { k, { grid, block, shared, stream } };
}

} // namespace autotune_emulate

#endif
