/* SPDX-License-Identifier: Apache-2.0 */
/* thread_load.cuh: loads with a hint for the cache, which the CPU does not take. */
#ifndef AUTOTUNE_EMULATE_CUB_THREAD_LOAD_H
#define AUTOTUNE_EMULATE_CUB_THREAD_LOAD_H

#pragma GCC system_header

#include <cub/config.cuh>
#include <cub/util_ptx.cuh>
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

enum CacheLoadModifier {
  LOAD_DEFAULT,
  LOAD_CA,
  LOAD_CG,
  LOAD_CS,
  LOAD_CV,
  LOAD_LDG,
  LOAD_VOLATILE
};

template <CacheLoadModifier, class I>
static inline detail::it_value_t<I> ThreadLoad(I at) {
  return *at;
}
template <int N, CacheLoadModifier, class T>
static inline void UnrolledThreadLoad(const T *from, T *to) {
  for (int i = 0; i < N; i++)
    to[i] = from[i];
}
template <int N, class I, class T> static inline void UnrolledCopy(I from, T *to) {
  for (int i = 0; i < N; i++)
    to[i] = from[i];
}

CUB_NAMESPACE_END

#endif
