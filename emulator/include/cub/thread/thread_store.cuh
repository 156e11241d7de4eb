/* SPDX-License-Identifier: Apache-2.0 */
/* thread_store.cuh: stores with a hint for the cache, which the CPU does not take. */
#ifndef AUTOTUNE_EMULATE_CUB_THREAD_STORE_H
#define AUTOTUNE_EMULATE_CUB_THREAD_STORE_H

#pragma GCC system_header

#include <cub/config.cuh>
#include <cub/util_ptx.cuh>
#include <cub/util_type.cuh>

CUB_NAMESPACE_BEGIN

enum CacheStoreModifier {
  STORE_DEFAULT,
  STORE_WB,
  STORE_CG,
  STORE_CS,
  STORE_WT,
  STORE_VOLATILE
};

template <CacheStoreModifier, class I, class T>
static inline void ThreadStore(I at, T value) {
  *at = value;
}

CUB_NAMESPACE_END

#endif
