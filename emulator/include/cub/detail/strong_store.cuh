/* SPDX-License-Identifier: Apache-2.0 */
/* strong_store.cuh: stores with a memory order: see strong_load.cuh. */
#ifndef AUTOTUNE_EMULATE_CUB_STRONG_STORE_H
#define AUTOTUNE_EMULATE_CUB_STRONG_STORE_H

#pragma GCC system_header

#include <cub/config.cuh>
#include <cub/util_ptx.cuh>

CUB_NAMESPACE_BEGIN
namespace detail {
template <class T> static inline void store_relaxed(T *p, T v) {
  *p = v;
  __threadfence();
}
template <class T> static inline void store_release(T *p, T v) {
  store_relaxed(p, v);
}
} // namespace detail
CUB_NAMESPACE_END

#endif
