/* SPDX-License-Identifier: Apache-2.0 */
/* strong_load.cuh: loads with a memory order. Blocks run one after another, so each load
 * sees all stores before it. */
#ifndef AUTOTUNE_EMULATE_CUB_STRONG_LOAD_H
#define AUTOTUNE_EMULATE_CUB_STRONG_LOAD_H

#pragma GCC system_header

#include <cub/config.cuh>
#include <cub/util_ptx.cuh>

CUB_NAMESPACE_BEGIN
namespace detail {
template <class T> static inline T load_relaxed(const T *p) {
  __threadfence();
  return *p;
}
template <class T> static inline T load_acquire(const T *p) {
  return load_relaxed(p);
}
} // namespace detail
CUB_NAMESPACE_END

#endif
