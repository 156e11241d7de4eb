/* SPDX-License-Identifier: Apache-2.0 */
/* malloc_and_free.h: thrust::malloc and thrust::free of the systems that run on the host.
 */
#ifndef AUTOTUNE_EMULATE_THRUST_MALLOC_AND_FREE_H
#define AUTOTUNE_EMULATE_THRUST_MALLOC_AND_FREE_H

#pragma GCC system_header

#include <thrust/detail/config.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/detail/sequential/execution_policy.h>

#include "../../../../autotune_emulate/thrust.h"

THRUST_NAMESPACE_BEGIN
namespace system::detail::sequential {
template <class P> inline void *malloc(execution_policy<P> &, std::size_t bytes) {
  return autotune_emulate::thrust_allocate(bytes);
}
template <class P, class Pointer> inline void free(execution_policy<P> &, Pointer p) {
  autotune_emulate::thrust_free((void *)thrust::raw_pointer_cast(p));
}
} // namespace system::detail::sequential
THRUST_NAMESPACE_END

#endif
