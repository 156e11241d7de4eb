/* SPDX-License-Identifier: Apache-2.0 */
/* launch.h: what `autotune cc --emulate` writes for CUDA's additions to C++. cuda_runtime.h ends by
 * including it.
 *
 *   k<T><<<g, b, sh, st>>>(x, y)      ::autotune_emulate::launch(k<T>, g, b, sh, st)(x, y)
 *   k<<<g, b>>>(x), T to be deduced   ::autotune_emulate::launch([](auto... a) { k(a...); }, g, b)(x) */
#ifndef AUTOTUNE_EMULATE_LAUNCH_H
#define AUTOTUNE_EMULATE_LAUNCH_H

#include <stddef.h>
#include <utility>

#include "device.h"

namespace autotune_emulate {

template <class... P> struct signature {
  template <size_t... I>
  static void apply(const void *fn, void *const *args, std::index_sequence<I...>)
  {
    (void)args; /* where there are none */
    reinterpret_cast<void (*)(P...)>(const_cast<void *>(fn))(*static_cast<P *>(args[I])...);
  }
  static void call(const void *fn, void *const *args)
  {
    apply(fn, args, std::index_sequence_for<P...>());
  }
};

/* FN, made known to cudaLaunchKernel and all that asks for a kernel by its address. */
template <class... P> const void *known(void (*fn)(P...))
{
  static const unsigned sizes[] = { unsigned(sizeof(P))..., 0 };
  const autotune_emulate_kernel kernel = { reinterpret_cast<const void *>(fn),
                                           signature<P...>::call, "kernel", sizeof...(P), sizes };
  autotune_emulate_register(&kernel);
  return kernel.fn;
}

struct configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};

/* Launches that the runtime refuses are heard of by cudaGetLastError, as CUDA's are. */
template <class... P> struct typed_launch {
  void (*fn)(P...);
  configuration c;
  void operator()(P... args) const
  {
    void *all[] = { static_cast<void *>(&args)..., nullptr };
    (void)cudaLaunchKernel(known(fn), c.grid, c.block, all, c.shared, c.stream);
  }
};

/* F is a lambda that calls the kernel: it deduces template arguments, and has default arguments. */
template <class F> struct deduced_launch {
  F f;
  configuration c;
  template <class... A> void operator()(A... args) const
  {
    void (*fn)(A...) = f;
    typed_launch<A...>{ fn, c }(args...);
  }
};

template <class... P>
typed_launch<P...> launch(void (*fn)(P...), dim3 grid, dim3 block, size_t shared = 0,
                          cudaStream_t stream = nullptr)
{
  return { fn, { grid, block, shared, stream } };
}

template <class F>
deduced_launch<F> launch(F f, dim3 grid, dim3 block, size_t shared = 0,
                         cudaStream_t stream = nullptr)
{
  return { f, { grid, block, shared, stream } };
}

} // namespace autotune_emulate

#endif
